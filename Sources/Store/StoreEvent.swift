/// An event of the store that an operator should know. `description` is for the log.
package enum StoreEvent: Sendable, Equatable {
    /// The disk did not take a blob or a row. It and later ones stay in memory.
    case behind(StoreError)
    /// The disk has taken everything that was in memory.
    case caughtUp
    /// Rows in memory were dropped because they exceeded their share.
    case dropped
    /// A damaged database was moved to this path and replaced by a new one.
    case setAside(path: String)
    /// The readable rows of a damaged database were copied into the new one.
    case salvaged
    /// Stored data could not be read and counts as missing.
    case unreadable(StoreError)
    /// Favorites, pins and searches were copied from what an earlier version left at this path.
    case moved(path: String)
    /// A favorite or a search could not be written.
    case unwritten(StoreError)
    /// Other files leave the cache this many bytes, less than half of what it may take.
    case crowded(bytes: Int)
    /// The cache may take more than half again.
    case roomy
}

extension StoreEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .behind(let error):
            "The cache isn't writable. The service continues from memory. \(error)"
        case .caughtUp: "The cache is writable again. Everything is stored."
        case .dropped:
            "Too many unsaved rows: they are dropped and will be made again on request. "
                + "Free some space, or raise memory.budget."
        case .setAside(let path):
            "A database of the cache was damaged. It was moved to \(path) and replaced by a new one. "
                + "Check the disk."
        case .salvaged: "The readable rows of the damaged database were copied into the new one."
        case .moved(let path):
            "Favorites, pins and searches of the earlier version were copied. Its pictures in \(path) are "
                + "not read: they are made again on request, and removed when room is needed. "
                + "`vitrine cache gc` removes all of them now."
        case .unwritten(let error): "A favorite or a search could not be stored. \(error)"
        case .crowded(let bytes):
            "Other files fill the disk of the cache, so it may take \(bytes / 1_000_000) MB only. "
                + "Remove files, or give the cache a disk of its own."
        case .roomy: "The disk of the cache has room again."
        case .unreadable(let error):
            "Stored data can't be read and counts as missing. \(error)"
        }
    }

    /// Distinguishes events that the log limits separately.
    var kind: Int {
        switch self {
        case .behind: 0
        case .caughtUp: 1
        case .dropped: 2
        case .setAside: 3
        case .unreadable: 4
        case .unwritten: 5
        case .salvaged: 6
        case .moved: 7
        case .crowded: 8
        case .roomy: 9
        }
    }
}
