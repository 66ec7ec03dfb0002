import NIOCore

/// Counts frames that cost their sender less than the server. Pure.
///
/// Honest clients send a few of each. A flood of resets makes the server start work for nothing
/// (CVE-2023-44487).
struct HTTP2Abuse: Equatable {
    struct Counts: Equatable {
        /// RST_STREAM frames of the client.
        var resets = 0
        /// PING, SETTINGS and PRIORITY frames, and DATA frames without data.
        var controls = 0
        /// Streams that the client broke the protocol on.
        var errors = 0
    }

    /// Most frames of each kind within ``window``.
    static let limit = 200
    static let window = TimeAmount.seconds(30)

    private var counts = Counts()
    private var since = NIODeadline.distantPast

    mutating func add(_ more: Counts, at now: NIODeadline) {
        guard more != Counts() else { return }
        if now - since > Self.window { (counts, since) = (Counts(), now) }
        counts.resets += more.resets
        counts.controls += more.controls
        counts.errors += more.errors
    }

    var isTooMuch: Bool {
        max(counts.resets, counts.controls, counts.errors) > Self.limit
    }
}
