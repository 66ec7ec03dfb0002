import Glibc
import Synchronization

/// Changes to blobs that the ledger knows of only in part: a blob that is counted and not there yet,
/// or gone and still counted. A count of a directory meanwhile would be wrong for good.
///
/// Each change holds a shared lock on a byte of `v1/claims` that stands for its first-level
/// directory. The kernel releases the locks of a process that dies. Calls block for a few
/// microseconds. Any thread.
final class ChangesUnderway: Sendable {
    private struct State {
        var file: ByteLocks?
        /// Changes of this process in each directory: the lock goes with the last.
        var counts: [Int: Int] = [:]
    }

    private let path: String
    private let state = Mutex(State())

    init(_ layout: StoreLayout) { path = layout.claims }

    /// Runs a change in a first-level directory. Without locks on this file system a count doesn't
    /// notice it.
    func during<Value, Failure: Error>(
        _ fan: Int, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        begin(fan)
        defer { end(fan) }
        return try body()
    }

    private func begin(_ fan: Int) {
        state.withLock { state in
            let count = state.counts[fan] ?? 0
            if count == 0 {
                if state.counts.isEmpty, state.file?.isThere != true {
                    state.file = Errno.optional { () throws(Errno) in try ByteLocks(path) }
                }
                // A count holds the lock for a moment only.
                _ = Errno.optional { () throws(Errno) in
                    try state.file?.lock(fan, Int16(F_RDLCK), waiting: true)
                }
            }
            state.counts[fan] = count + 1
        }
    }

    private func end(_ fan: Int) {
        state.withLock { state in
            guard let count = state.counts[fan] else { return }
            state.counts[fan] = count > 1 ? count - 1 : nil
            if count == 1 {
                _ = Errno.optional { () throws(Errno) in
                    try state.file?.lock(fan, Int16(F_UNLCK), waiting: false)
                }
            }
        }
    }

    /// Returns whether no process is at a change in this directory that began earlier. True if the
    /// file system has no locks.
    func areNone(in fan: Int) -> Bool {
        do throws(Errno) {
            // A descriptor of its own, so that changes of this process count, too.
            return try ByteLocks(path).lock(fan, Int16(F_WRLCK), waiting: false)
        } catch {
            return true
        }
    }
}

/// A file whose bytes are locked one by one. Its content is never read.
private final class ByteLocks: Sendable {
    /// Macros that Swift doesn't import: locks that belong to the open file, not to the process.
    private static let ofdSetLock: Int32 = 37
    private static let ofdSetLockWaiting: Int32 = 38
    /// Above the offsets of ``Claims``.
    private static let start = 1 << 62

    private let descriptor: FileDescriptor
    private let path: String

    init(_ path: String) throws(Errno) {
        self.path = path
        descriptor = try FileDescriptor(
            opening: path, O_CREAT | O_RDWR, mode: StoreLayout.fileMode)
    }

    var isThere: Bool {
        Errno.optional { () throws(Errno) in try descriptor.isAt(path) } ?? false
    }

    /// Returns false if another open file has a lock against it.
    func lock(_ number: Int, _ type: Int16, waiting: Bool) throws(Errno) -> Bool {
        var range = flock()
        range.l_type = type
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(Self.start + number)
        range.l_len = 1
        let command = waiting ? Self.ofdSetLockWaiting : Self.ofdSetLock
        do throws(Errno) {
            try Errno.check { fcntl(descriptor.number, command, &range) }
            return true
        } catch {
            if error.code == EAGAIN || error.code == EACCES { return false }
            throw error
        }
    }
}
