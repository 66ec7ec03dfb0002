package import Catalog
package import Imaging
import Memory
import Store
import Synchronization
import Threads

/// AVIFs that another process has stored, and that this one may show in the place of other formats.
extension Pictures {
    /// Notices them. Called about once a second.
    package func followAVIFs() async {
        let mark = thumbnails.index.mark
        let last = countedAVIFs.withLock { $0 }
        // Most of the time nothing has changed.
        if let mark, mark == last.mark { return }
        guard
            // An index that can't be read is asked again in a second.
            let count = try? await thumbnails.index.thumbnailCount(
                format: ThumbnailFormat.avif.rawValue)
        else { return }
        countedAVIFs.withLock { $0 = (mark, count) }
        if count > last.count { memory.otherAVIFs.add() }
    }

    /// Changes when AVIFs were stored of which this process may not know. A caller that has another
    /// format of a picture then looks once with ``lookForAVIF(_:level:)``.
    package var otherAVIFs: Int { memory.otherAVIFs.value }

    /// Looks in the background for an AVIF. It replaces the picture's other formats in memory. Returns
    /// false if enough is looked for already; a later request may look again.
    @discardableResult
    package func lookForAVIF(_ item: Item, level: Level) -> Bool {
        guard otherAVIFLooks.begin() else { return false }
        look(item, level)
        return true
    }

    /// Does the same for a hit, once for each change of ``otherAVIFs``.
    package func lookForAVIF(insteadOf hit: Hit) {
        guard hit.mayHaveAVIF, hit.mayLook(at: memory.otherAVIFs.value), otherAVIFLooks.begin()
        else { return }
        guard hit.beginsLook(at: memory.otherAVIFs.value) else { return otherAVIFLooks.end() }
        look(hit.key.item, hit.key.rendition.level)
    }

    private func look(_ item: Item, _ level: Level) {
        // Unstructured, because the response does not wait for it. Without an answer the clients get
        // the other format.
        Task { [self] in
            _ = try? await isStored(item, level: level, format: .avif)
            otherAVIFLooks.end()
            StateChange.tell()
        }
    }
}
