/// Measures whether the body of a request comes fast enough. Pure.
///
/// Only time in which the server reads counts against the client. Times are milliseconds of a monotonic
/// clock.
package struct BodyPace: Equatable {
    /// Nil until the client may send.
    private var checked: Int?
    private var lasted = 0
    private var bytes = 0

    /// - Parameter isInvited: whether the client may send without a 100 response.
    package init(at now: Int, isInvited: Bool) { checked = isInvited ? now : nil }

    /// The client got its 100 response.
    package mutating func invite(at now: Int) { checked = checked ?? now }

    package mutating func add(_ count: Int, at now: Int) {
        invite(at: now)
        bytes += count
    }

    /// - Parameter isAwaited: whether the server has read everything and waits for more.
    package mutating func advance(to now: Int, isAwaited: Bool) {
        guard let checked else { return }
        if isAwaited { lasted += now - checked }
        self.checked = now
    }

    /// Returns whether it took longer than a body may, or longer than a head may at too low a rate.
    package func isTooSlow(_ limits: ServerContext.Limits) -> Bool {
        lasted > limits.body || isSlow(limits, after: limits.head)
    }

    /// Returns whether its mean rate is too low, once `grace` is over.
    package func isSlow(_ limits: ServerContext.Limits, after grace: Int) -> Bool {
        lasted > grace && bytes * 1_000 < limits.minBodyRate * lasted
    }
}
