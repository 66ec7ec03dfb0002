import Synchronization

/// Locks on bytes of `v2/claims`, which the kernel releases if the process dies. Within a process
/// they don't exclude each other: the lock goes with its last holder. Calls block for a few
/// microseconds. Any thread.
final class ByteLocks: Sendable {
    private struct State {
        var file: SharedFile?
        /// Holders of each byte.
        var counts: [Int: Int] = [:]
    }

    private let path: String
    private let state = Mutex(State())

    init(_ layout: StoreLayout) { path = layout.claims }

    deinit { assert(state.withLock { $0.counts.isEmpty }, "a lock has no holder any more") }

    /// Returns false if another process has a lock against it, with `waiting` after
    /// ``FileDescriptor/longestWait``; nil if the file system has no locks.
    func take(_ byte: Int, isShared: Bool = false, waiting: Bool = false) -> Bool? {
        state.withLock { state in
            if let count = state.counts[byte] {
                assert(count > 0, "a lock is kept without a holder")
                assert(state.file != nil, "a lock is in no file")
                state.counts[byte] = count + 1
                return true
            }
            open(&state)
            let isTaken = Errno.optional { () throws(Errno) in
                try state.file?.lock(byte, isShared: isShared, waiting: waiting)
            }
            if isTaken == true { state.counts[byte] = 1 }
            return isTaken ?? nil
        }
    }

    /// Releases a lock, unless it could not be taken.
    func release(_ byte: Int) {
        state.withLock { state in
            guard let count = state.counts[byte] else { return }
            state.counts[byte] = count > 1 ? count - 1 : nil
            if count == 1 { state.file?.unlock(byte) }
        }
    }

    /// Returns whether another process has a lock on a byte. False if that can't be asked.
    func isElsewhere(_ byte: Int) -> Bool {
        state.withLock { state in
            open(&state)
            return state.file?.isLocked(byte) ?? false
        }
    }

    /// Locks are in the file that was open when they were taken.
    private func open(_ state: inout State) {
        if state.counts.isEmpty { state.file = SharedFile.current(state.file, at: path) }
    }
}
