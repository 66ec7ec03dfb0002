import Imaging
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
