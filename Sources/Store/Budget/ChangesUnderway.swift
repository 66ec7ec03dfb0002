import Synchronization

/// Changes to blobs that the ledger knows of only in part: a blob that is counted and not there yet,
/// or gone and still counted. A count of a directory meanwhile would be wrong for good.
///
/// Each change holds a shared lock on a byte of `v2/claims` that stands for its first-level
/// directory. The kernel releases the locks of a process that dies. Calls block for a few
/// microseconds. Any thread.
final class ChangesUnderway: Sendable {
    /// The first of the bytes, above the offsets of ``Claims``.
    private static let start = 1 << 62

    private struct State {
        var file: SharedFile?
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
        try during([fan], body)
    }

    /// Runs a change in several of them.
    func during<Value, Failure: Error>(
        _ fans: Set<Int>, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        begin(fans)
        defer { end(fans) }
        return try body()
    }

    private func begin(_ fans: Set<Int>) {
        state.withLock { state in
            for fan in fans { begin(fan, &state) }
        }
    }

    private func end(_ fans: Set<Int>) {
        state.withLock { state in
            for fan in fans { end(fan, &state) }
        }
    }

    private func begin(_ fan: Int, _ state: inout State) {
        let count = state.counts[fan] ?? 0
        if count == 0 {
            if state.counts.isEmpty {
                state.file = SharedFile.current(state.file, at: path)
            }
            // A count holds the lock for a moment only. One that was stopped meanwhile finds that this
            // directory has changed since.
            _ = Errno.optional { () throws(Errno) in
                try state.file?.lock(Self.start + fan, .shared, waiting: true)
            }
        }
        state.counts[fan] = count + 1
    }

    private func end(_ fan: Int, _ state: inout State) {
        guard let count = state.counts[fan] else { return }
        state.counts[fan] = count > 1 ? count - 1 : nil
        if count == 1 { state.file?.unlock(Self.start + fan) }
    }

    /// Returns whether no process is at a change in this directory that began earlier. True if the
    /// file system has no locks.
    func areNone(in fan: Int) -> Bool {
        do throws(Errno) {
            // A descriptor of its own, so that changes of this process count, too.
            return try SharedFile(path).lock(Self.start + fan, .exclusive)
        } catch {
            return true
        }
    }
}
