/// A permit to start a transfer, taken when the transfer's host lets it start.
///
/// It limits work in progress. A request that waits for its host is not in progress.
package protocol StartPermit: AnyObject, Sendable {
    /// Returns whether the transfer may start now. If not, `wake` is called once, on any thread,
    /// when another attempt is useful.
    ///
    /// Called on the network thread, so it must not block.
    func take(orWake wake: @escaping @Sendable () -> Void) -> Bool

    /// Releases the permit or cancels the wait for it. A retry or redirect takes it again.
    func giveBack()
}
