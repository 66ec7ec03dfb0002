import NIOCore

/// Measures whether the body of a request comes fast enough. Pure.
///
/// Only time in which the server reads counts against the client.
struct BodyPace: Equatable {
    /// Nil until the client may send.
    private var checked: NIODeadline?
    private var lasted = TimeAmount.zero
    private var bytes = 0

    /// - Parameter isInvited: whether the client may send without a 100 response.
    init(at now: NIODeadline, isInvited: Bool) { checked = isInvited ? now : nil }

    /// The client got its 100 response.
    mutating func invite(at now: NIODeadline) { checked = checked ?? now }

    mutating func add(_ count: Int, at now: NIODeadline) {
        invite(at: now)
        bytes += count
    }

    /// - Parameter isAwaited: whether the server has read everything and waits for more.
    mutating func advance(to now: NIODeadline, isAwaited: Bool) {
        guard let checked else { return }
        if isAwaited { lasted = lasted + (now - checked) }
        self.checked = now
    }

    /// Returns whether it took longer than a body may, or longer than a head may at too low a rate.
    func isTooSlow(_ limits: ConnectionLimits) -> Bool {
        lasted > limits.body || isSlow(limits, after: limits.head)
    }

    /// Returns whether its mean rate is too low, once `grace` is over.
    func isSlow(_ limits: ConnectionLimits, after grace: TimeAmount) -> Bool {
        let seconds = Double(lasted.nanoseconds) / 1e9
        return lasted > grace && Double(bytes) < Double(limits.minBodyRate) * seconds
    }
}
