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
    /// Limit of files that stay open for the next response.
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
