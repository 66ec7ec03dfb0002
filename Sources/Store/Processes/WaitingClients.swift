import Synchronization

/// Shows the processes that use the cache that clients of this one wait for pictures, so that their runs
/// let these go first.
///
/// While they wait, this process has a shared lock on one byte of `v2/claims`. The kernel releases it if the
/// process dies. Calls block for a few microseconds. Any thread.
package final class WaitingClients: Sendable {
    /// Claims of items are anywhere below.
    private static let byte = Int.max - 1

    private struct State {
        var file: SharedFile?
        var isShown = false
    }

    private let layout: StoreLayout
    private let state = Mutex(State())

    package convenience init(of index: Index) { self.init(index.layout) }

    init(_ layout: StoreLayout) { self.layout = layout }

    /// Shows whether clients of this process wait. Without locks on the disk, no process sees it.
    package func show(_ areWaiting: Bool) {
        state.withLock { state in
            state.isShown = areWaiting
            guard areWaiting else { return state.file?.unlock(Self.byte) ?? () }
            state.file = SharedFile.current(state.file, at: layout.claims)
            _ = Errno.optional { () throws(Errno) in try state.file?.lock(Self.byte, .shared) }
        }
    }

    /// Whether clients of another process wait.
    package var areElsewhere: Bool {
        state.withLock { state in
            // The lock of this process is in the file that was open when it was taken.
            if !state.isShown { state.file = SharedFile.current(state.file, at: layout.claims) }
            return state.file?.isLocked(Self.byte) ?? false
        }
    }
}
