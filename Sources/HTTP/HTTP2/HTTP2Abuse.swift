/// Counts frames that cost their sender less than the server. Pure.
///
/// Honest clients send a few of each. A flood of resets makes the server start work for nothing, whether the client
/// sends them (CVE-2023-44487) or has the server send them (CVE-2025-8671).
struct HTTP2Abuse: Equatable {
    struct Counts: Equatable {
        /// RST_STREAM frames of the client, and those of the server that the client has caused.
        var resets = 0
        /// PING, SETTINGS and PRIORITY frames, and DATA frames without data.
        var controls = 0
        /// Frames that break the protocol, and heads over the limit.
        var errors = 0
    }

    /// Most frames of each kind within ``window``.
    static let limit = 200
    /// Milliseconds.
    static let window = 30_000

    private var counts = Counts()
    /// Nil before the first frame.
    private var since: Int?

    /// - Parameter now: milliseconds of a monotonic clock.
    mutating func add(_ more: Counts, at now: Int) {
        guard more != Counts() else { return }
        if since.map({ now - $0 > Self.window }) ?? true { (counts, since) = (Counts(), now) }
        counts.resets += more.resets
        counts.controls += more.controls
        counts.errors += more.errors
    }

    var isTooMuch: Bool {
        max(counts.resets, counts.controls, counts.errors) > Self.limit
    }
}
