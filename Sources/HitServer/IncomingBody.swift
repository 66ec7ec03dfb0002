import HitServer
import NIOCore

/// The body of the request that the codec has: how much of it is still to come, and whether it comes
/// fast enough. Pure.
struct RequestUnderway {
    private let limits: ConnectionLimits
    private var body: BodyScan
    private var pace: BodyPace
    /// Bytes that arrived after the response.
    private var dropped = 0

    /// No request.
    init(_ limits: ConnectionLimits) {
        self.limits = limits
        body = BodyScan(.none, maxOverhead: 0)
        pace = BodyPace(at: .distantPast, isInvited: false)
    }

    init(_ framing: RequestScan.Framing, _ limits: ConnectionLimits, at now: NIODeadline) {
        self.limits = limits
        body = BodyScan(framing.body, maxOverhead: limits.maxHeadBytes)
        pace = BodyPace(at: now, isInvited: !framing.expects)
    }

    var isWhole: Bool { body.isWhole }
    /// Whether the end of the body can't be found any more.
    var isBroken: Bool { body.isBroken }
    /// Whether the rest of the body is not read once the request is answered.
    var isTooLongToDrop: Bool { (body.left ?? .max) > limits.maxLingerBytes }
    var isTooSlow: Bool { !isWhole && pace.isTooSlow(limits) }
    var isDripping: Bool { !isWhole && pace.isSlow(limits, after: limits.dripGrace) }

    /// Takes bytes and returns how many of them belong to the body.
    mutating func take(_ bytes: UnsafeRawBufferPointer, at now: NIODeadline) -> Int {
        let count = body.take(bytes)
        if !isBroken { pace.add(count, at: now) }
        return count
    }

    /// Counts bytes that arrived after the response. Returns whether they are too many.
    mutating func drop(_ count: Int) -> Bool {
        dropped += count
        return dropped > limits.maxLingerBytes
    }

    /// The client got its 100 response.
    mutating func invite(at now: NIODeadline) { pace.invite(at: now) }

    /// - Parameter isAwaited: whether the server has read everything and waits for more.
    mutating func advance(to now: NIODeadline, isAwaited: Bool) {
        pace.advance(to: now, isAwaited: isAwaited)
    }
}
