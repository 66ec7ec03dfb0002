/// The body of a request that a responder has: how much of it is still to come, and whether it comes fast
/// enough. Pure.
///
/// Times are milliseconds of a monotonic clock.
struct IncomingBody {
    private let limits: ServerContext.Limits
    private var scan: BodyScan
    private var pace: BodyPace
    /// Bytes that arrived after the response.
    private var dropped = 0

    init(_ framing: RequestScan.Framing, _ limits: ServerContext.Limits, at now: Int) {
        self.limits = limits
        scan = BodyScan(framing.body, maxOverhead: limits.maxHeadBytes)
        pace = BodyPace(at: now, isInvited: !framing.expects)
    }

    var isWhole: Bool { scan.isWhole }
    /// Whether the end of the body can't be found any more.
    var isBroken: Bool { scan.isBroken }
    /// Whether the rest of the body is not read once the request is answered.
    var isTooLongToDrop: Bool { (scan.left ?? .max) > limits.maxLingerBytes }
    var isTooSlow: Bool { !isWhole && pace.isTooSlow(limits) }
    var isDripping: Bool { !isWhole && pace.isSlow(limits, after: limits.dripGrace) }

    /// Takes bytes and returns how many of them belong to the body.
    ///
    /// - Parameter content: gets those that are not framing.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, at now: Int,
        _ content: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) -> Int {
        let count = scan.take(bytes, content)
        if !isBroken { pace.add(count, at: now) }
        return count
    }

    /// Counts bytes that arrived after the response. Returns whether they are too many.
    mutating func drop(_ count: Int) -> Bool {
        dropped += count
        return dropped > limits.maxLingerBytes
    }

    /// The client got its 100 response.
    mutating func invite(at now: Int) { pace.invite(at: now) }

    /// - Parameter isAwaited: whether the server has read everything and waits for more.
    mutating func advance(to now: Int, isAwaited: Bool) {
        pace.advance(to: now, isAwaited: isAwaited)
    }
}
