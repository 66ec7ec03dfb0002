/// What a confirmed write survives.
package enum Durability: String, Sendable, CaseIterable {
    /// The death of the process, but not always a power cut.
    case process
    /// A power cut, too: blob and directory are on the disk before the index names them.
    case power
}

/// How much of the disk the store uses, and how it behaves while that is full, read-only, damaged or
/// locked by another process.
package struct StorePolicy: Sendable {
    /// How long a write waits, in seconds, for another process's write.
    static let defaultLockTimeout = 10.0

    /// Limit of blobs and rows in memory that the disk did not take, in bytes. With 0 a failed
    /// write throws, as commands on the cache need it.
    package var unsavedBytes: Int
    /// Pause before the first retry, doubled up to ``maxPause``.
    package var pause: Duration
    package var maxPause: Duration
    package var limits = DiskLimits.none
    /// Limit of files that are open because a response is sent from them. A server divides the
    /// process's limit of open files.
    package var responseFiles = 512
    /// How long a response waits for one of these. Clients that read take most files in less.
    package var fileWait = Duration.seconds(5)
    /// Limit of files that stay open for the next response. While responses need more, they get these.
    package var keptFiles = 512
    package var durability = Durability.process
    /// Limit of index writes that are committed together, so that none waits long.
    package var writesPerTransaction = 128
    /// Receives events, each kind at most once a minute. Called on any thread; must be quick.
    package var report: @Sendable (StoreEvent) -> Void

    package init(
        unsavedBytes: Int = 0, pause: Duration = .milliseconds(250),
        maxPause: Duration = .seconds(15),
        report: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) {
        self.unsavedBytes = unsavedBytes
        self.pause = pause
        self.maxPause = maxPause
        self.report = report
    }

    /// Whether the store keeps working from memory when the disk fails.
    var worksFromMemory: Bool { unsavedBytes > 0 }
    /// Rows are small compared to pictures.
    var rowBytes: Int { unsavedBytes / 4 }
    var blobBytes: Int { unsavedBytes - rowBytes }
    /// Seconds that a write waits for another process's write. Short if the store can work from
    /// memory instead.
    var lockTimeout: Double { worksFromMemory ? 1 : Self.defaultLockTimeout }
}

/// An event of the store that an operator should know. `description` is for the log.
package enum StoreEvent: Sendable, Equatable {
    /// The disk did not take a blob or a row. It and later ones stay in memory.
    case behind(StoreError)
    /// One file or directory did not take a blob. It stays in memory, and all others are stored.
    case partlyBehind(StoreError)
    /// The disk has taken everything that was in memory.
    case caughtUp
    /// Rows in memory were dropped because they exceeded their share.
    case dropped
    /// A damaged database was moved to this path and replaced by a new one.
    case setAside(path: String)
    /// A file of counts or marks was damaged. What it said is made again.
    case damaged(path: String)
    /// A database was removed, or replaced, while it was open. There is a new one at its path.
    case removed(path: String)
    /// The readable rows of a damaged database were copied into the new one.
    case salvaged
    /// Stored data could not be read and counts as missing.
    case unreadable(StoreError)
    /// Favorites, pins and searches were copied from what an earlier version left at this path.
    case moved(path: String)
    /// A blob could not be removed.
    case unremoved(StoreError)
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
        case .partlyBehind(let error):
            "A part of the cache isn't writable. What belongs there stays in memory, and all else is "
                + "stored. \(error)"
        case .caughtUp: "The cache is writable again. What waited in memory is stored."
        case .dropped:
            "Too many unsaved rows: they are dropped and will be made again on request. "
                + "Free some space, or raise memory.budget."
        case .setAside(let path):
            "A database of the cache was damaged. It was moved to \(path) and replaced by a new one. "
                + "Check the disk."
        case .damaged(let path):
            "\(path) was damaged. What it said is counted again. Check the disk."
        case .removed(let path):
            "The database \(path) was removed or replaced while it was in use. It was opened again, and "
                + "what was in it is gone. Stop the service before you remove or restore its cache."
        case .salvaged: "The readable rows of the damaged database were copied into the new one."
        case .moved(let path):
            "Favorites, pins and searches of the earlier version were copied. Its pictures in \(path) are "
                + "not read: they are made again on request, and removed when room is needed. "
                + "`vitrine cache gc` removes all of them now."
        case .unremoved(let error): "A file of the cache can't be removed. \(error)"
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
        case .damaged: 13
        case .partlyBehind: 10
        case .unremoved: 11
        case .removed: 12
        }
    }
}
