import Synchronization

/// Shows the processes that use the cache that clients of this one wait for pictures, so that their runs
/// let these go first.
///
/// While they wait, this process has a shared lock on one byte (``ByteLocks``). Any thread.
package final class WaitingClients: Sendable {
    /// Claims of items are anywhere below.
    private static let byte = Int.max - 1

    private let locks: ByteLocks
    private let isShown = Mutex(false)

    package convenience init(of index: Index) { self.init(index.layout) }

    init(_ layout: StoreLayout) { locks = ByteLocks(layout) }

    /// Shows whether clients of this process wait. Without locks on the disk, no process sees it.
    package func show(_ areWaiting: Bool) {
        isShown.withLock { isShown in
            if isShown == areWaiting { return }
            if areWaiting {
                isShown = locks.take(Self.byte, .shared) == true
            } else {
                locks.release(Self.byte)
                isShown = false
            }
        }
    }

    /// Whether clients of another process wait.
    package var areElsewhere: Bool { locks.isElsewhere(Self.byte) }
}
