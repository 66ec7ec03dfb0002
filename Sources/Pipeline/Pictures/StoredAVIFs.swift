package import Catalog
package import Imaging
import Memory
import Store
import Synchronization
import Threads

/// What this process knows of stored AVIFs, which it shows in the place of other formats to clients that
/// take them. Any thread.
final class StoredAVIFs: Sendable {
    /// Looks that are under way at a time: each request for another format may want one.
    private static let mostLooks = 16

    /// AVIFs that came into memory since the start.
    let seen = Counter()
    /// Increases when AVIFs were stored, perhaps by another process, of which this one doesn't know.
    let others = Counter()
    private let counted = Mutex<(mark: IndexMark?, count: Int)>((nil, 0))
    private let looks = Mutex(0)

    /// Notices those that were stored since the last call.
    func follow(_ index: Index) async {
        let mark = index.mark
        let last = counted.withLock { $0 }
        // Most of the time nothing has changed.
        if let mark, mark == last.mark { return }
        guard
            // An index that can't be read is asked again in a second.
            let count = try? await index.thumbnailCount(format: ThumbnailFormat.avif.rawValue)
        else { return }
        counted.withLock { $0 = (mark, count) }
        if count > last.count { others.add() }
    }

    /// Returns false if enough is looked for already.
    func beginLook() -> Bool {
        looks.withLock { looks in
            guard looks < Self.mostLooks else { return false }
            looks += 1
            return true
        }
    }

    func endLook() { looks.withLock { $0 -= 1 } }
}

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
