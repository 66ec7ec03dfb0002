import NIOCore

/// Whether the body of a request comes fast enough. Pure.
///
/// Only time in which the server reads counts against its client.
struct BodyPace: Equatable {
    /// `nil` until the client may send.
    private var checked: NIODeadline?
    private var lasted = TimeAmount.zero
    private var bytes = 0

    /// `isInvited`: whether the client need not wait to be told to send.
    init(at now: NIODeadline, isInvited: Bool) { checked = isInvited ? now : nil }

    /// The client was told to send.
    mutating func invite(at now: NIODeadline) { checked = checked ?? now }

    mutating func add(_ count: Int, at now: NIODeadline) {
        invite(at: now)
        bytes += count
    }

    /// `isAwaited`: whether the server has read all that there was, and waits for more.
    mutating func advance(to now: NIODeadline, isAwaited: Bool) {
        guard let checked else { return }
        if isAwaited { lasted = lasted + (now - checked) }
        self.checked = now
    }

    /// Whether it took longer than bodies may, or than a head may and came too slowly on the mean.
    func isTooSlow(_ limits: ConnectionLimits) -> Bool {
        lasted > limits.body || isSlow(limits, after: limits.head)
    }

    /// Whether it comes too slowly on the mean, once `grace` is over.
    func isSlow(_ limits: ConnectionLimits, after grace: TimeAmount) -> Bool {
        let seconds = Double(lasted.nanoseconds) / 1e9
        return lasted > grace && Double(bytes) < Double(limits.minBodyRate) * seconds
    }
}
