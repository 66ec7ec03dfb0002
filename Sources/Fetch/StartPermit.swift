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

/// For whom the current task works.
package enum Requester {
    /// The client's network address where it is known; requests of different clients take turns at
    /// a host. `nil` for the service's own work and behind a proxy.
    @TaskLocal package static var address: String?
}
