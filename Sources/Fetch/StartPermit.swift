/// Leave to start a transfer, asked for once the transfer's host lets it start.
///
/// It bounds what a caller has in hand, and a request that waits for its host has nothing in hand.
package protocol StartPermit: AnyObject, Sendable {
    /// Whether the transfer may start now. Where it may not, `wake` is called once when it is worth
    /// asking again, on any thread.
    ///
    /// The network thread asks: this must not block.
    func take(orWake wake: @escaping @Sendable () -> Void) -> Bool

    /// Gives up what was taken or is waited for; a retry and a redirect wait for their host again.
    func giveBack()
}
