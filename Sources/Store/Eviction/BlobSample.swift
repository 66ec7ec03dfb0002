import Hashing
import Synchronization

/// Takes the directories of blobs in turns, a few at a time. Digests spread evenly, so a directory
/// is a fair sample of all blobs.
final class BlobSample: Sendable {
    private struct Place {
        var fan: Int
        /// The directory that was taken last in it; empty at its beginning.
        var last = ""
    }

    private let walk: BlobWalk
    private let next: Mutex<Place>

    /// - Parameter start: the first directory, so that processes don't look at the same ones.
    init(_ layout: StoreLayout, start: Int = .random(in: 0..<256)) {
        walk = BlobWalk(layout: layout)
        next = Mutex(Place(fan: start))
    }

    /// Returns the blobs of the next directories, at least `count` unless there are fewer. Leaves out
    /// directories that can't be read. Blocks.
    func take(_ count: Int) throws(StoreError) -> [BlobWalk.Found] {
        var found: [BlobWalk.Found] = []
        var seen: Set<Digest> = []
        var place = next.withLock { $0 }
        // Ends in the directory where it began, which it may have seen in part.
        for _ in 0...StoreLayout.fans.count where found.count < count {
            let fan = place.fan
            let paths = try readable(or: []) { () throws(StoreError) in
                try walk.directories(inFan: fan).paths
            }
            for path in paths where path > place.last && found.count < count {
                let blobs = try readable(or: []) { () throws(StoreError) in
                    try walk.content(of: path).blobs
                }
                found += blobs.filter { $0.isRegular && seen.insert($0.digest).inserted }
                place.last = path
            }
            if found.count < count {
                place = Place(fan: (place.fan + 1) % StoreLayout.fans.count)
            }
        }
        next.withLock { [place] next in next = place }
        return found
    }

    private func readable<Value>(
        or nothing: Value, _ read: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try read()
        } catch {
            guard error.isOfOneFile else { throw error }
            return nothing
        }
    }
}
