package import Catalog
package import Imaging
import Threads

/// AVIFs that clients get in the place of other formats.
extension Pictures {
    /// Whether this process has had an AVIF since its start.
    package var knowsAVIF: Bool { memory.avifs.seen.value > 0 }

    /// Notices AVIFs that another process has stored. Called about once a second.
    package func followAVIFs() async { await memory.avifs.follow(thumbnails.index) }

    /// Changes when AVIFs were stored of which this process may not know. A caller that has another
    /// format of a picture then looks once with ``lookForAVIF(_:level:)``.
    package var otherAVIFs: Int { memory.avifs.others.value }

    /// Looks in the background for an AVIF. It replaces the picture's other formats in memory. Returns
    /// false if enough is looked for already; a later request may look again.
    @discardableResult
    package func lookForAVIF(_ item: Item, level: Level) -> Bool {
        guard memory.avifs.beginLook() else { return false }
        look(item, level)
        return true
    }

    /// Does the same for a hit, once for each change of ``otherAVIFs``.
    package func lookForAVIF(insteadOf hit: Hit) {
        guard hit.mayHaveAVIF, hit.mayLook(at: otherAVIFs), memory.avifs.beginLook() else { return }
        guard hit.beginsLook(at: otherAVIFs) else { return memory.avifs.endLook() }
        look(hit.key.item, hit.key.rendition.level)
    }

    private func look(_ item: Item, _ level: Level) {
        // Unstructured, because the response does not wait for it. Without an answer the clients get
        // the other format.
        Task { [self] in
            _ = try? await isStored(item, level: level, format: .avif)
            memory.avifs.endLook()
            StateChange.tell()
        }
    }
}
