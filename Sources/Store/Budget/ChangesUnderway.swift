/// Changes to blobs that the ledger knows of only in part: a blob that is counted and not there yet,
/// or gone and still counted. A count of a directory meanwhile would be wrong for good.
///
/// Each change holds a shared lock on a byte of `v2/claims` that stands for its first-level
/// directory. Any thread.
struct ChangesUnderway: Sendable {
    /// The first of the bytes, above the offsets of ``Claims``.
    private static let start = 1 << 62

    private let path: String
    private let locks: ByteLocks

    init(_ layout: StoreLayout) {
        path = layout.claims
        locks = ByteLocks(layout)
    }

    /// Runs a change in first-level directories. Without locks on this file system a count doesn't
    /// notice it.
    func during<Value, Failure: Error>(
        _ fans: Set<Int>, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // A count holds the lock for a moment only. One that was stopped meanwhile finds that this
        // directory has changed since.
        let taken = fans.map { Self.start + $0 }.filter {
            locks.take($0, .shared, waiting: true) == true
        }
        defer { for byte in taken { locks.release(byte) } }
        return try body()
    }

    /// Returns whether no process is at a change in this directory that began earlier. True if the
    /// file system has no locks.
    func areNone(in fan: Int) -> Bool {
        // A descriptor of its own, so that changes of this process count, too.
        Errno.optional { () throws(Errno) in
            try SharedFile(path).lock(Self.start + fan, .exclusive)
        } ?? true
    }
}
