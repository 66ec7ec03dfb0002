import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct BodyScanTests {
    private func taken(
        _ text: String, _ framing: RequestScan.BodyFraming, in pieces: Int
    ) -> (scan: BodyScan, count: Int, content: String) {
        var scan = BodyScan(framing, maxOverhead: 16)
        let bytes = Array(text.utf8)
        var count = 0
        var content: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = bytes[start..<min(start + pieces, bytes.count)]
            count += piece.withUnsafeBytes { scan.take($0) { content += $0 } }
        }
        return (scan, count, String(decoding: content, as: UTF8.self))
    }

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("3\r\nabc\r\n0\r\n\r\n", "abc"),
        ("0A\r\n0123456789\r\n00\r\n\r\n", "0123456789"),
        ("3;a=b\r\nabc\r\n0;c\r\n\r\n", "abc"), ("0\r\nA: b\r\nC: d\r\n\r\n", ""),
        ("2\r\n\r\n\r\n1\r\na\r\n0\r\n\r\n", "\r\na"),
    ])
    func `chunks and their end are found in any pieces`(text: String, content: String) {
        for pieces in [1, 2, 3, 100] {
            let found = taken(text + "GET", .chunked, in: pieces)
            #expect(found.scan.isWhole && !found.scan.isBroken)
            #expect(found.count == text.utf8.count && found.content == content)
        }
        for length in 0..<text.utf8.count {
            let start = String(decoding: Array(text.utf8).prefix(length), as: UTF8.self)
            let found = taken(start, .chunked, in: 1)
            #expect(!found.scan.isWhole && !found.scan.isBroken && found.scan.left == nil)
        }
    }

    @Test(arguments: [
        "\r\n", "zz\r\n", "-1\r\n", "3\nabc", "3 \r\nabc", "3\r\nabcd", "3\r\nabc\n", "0\r\n\n",
        "3\rabc", "0\r\nA: b\n", "0\r\nA: \u{0}", "1000000000000000\r\n", "3;a\nabc",
        "3;0123456789abcdefg", "0\r\nA: 0123456789abcdefg",
    ])
    func `ambiguous chunks are invalid`(text: String) {
        #expect(taken(text, .chunked, in: 1).scan.isBroken)
        #expect(taken(text, .chunked, in: 100).scan.isBroken)
    }

    @Test func `a known length is counted down`() {
        let some = taken("abc", .length(5), in: 1)
        #expect(some.scan.left == 2 && !some.scan.isWhole)
        let all = taken("abcdefg", .length(5), in: 3)
        #expect(all.scan.isWhole && all.count == 5)
        #expect(BodyScan(.none, maxOverhead: 0).isWhole)
    }
}

@Suite(.timeLimit(.minutes(1))) struct BodyPaceTests {
    private let limits = ServerContext.Limits(
        keepAlive: 75_000, head: 10_000, send: 30_000, body: 60_000, minBodyRate: 100,
        linger: 2_000, maxLingerBytes: 65_536, dripGrace: 2_500, tick: 250, maxHeadBytes: 32_768,
        maxTargetBytes: 8_192)

    /// The second in which a body is too slow that sends so many bytes a second; `nil` is never
    /// within two minutes.
    private func end(rate: Int, isAwaited: Bool = true, isInvited: Bool = true) -> Int? {
        let start = 1_000
        var pace = BodyPace(at: start, isInvited: isInvited)
        for second in 1...120 {
            let now = start + second * 1_000
            if rate > 0 { pace.add(rate, at: now) }
            pace.advance(to: now, isAwaited: isAwaited)
            if pace.isTooSlow(limits) { return second }
        }
        return nil
    }

    @Test func `an occasional byte doesn't extend the body timeout`() {
        #expect(end(rate: 0) == 11)
        #expect(end(rate: 1) == 11)
        #expect(end(rate: 99) == 11)
    }

    @Test func `a fast body has its own timeout`() {
        #expect(end(rate: 200) == 61)
    }

    @Test func `time in which the server doesn't read doesn't count for the client`() {
        #expect(end(rate: 0, isAwaited: false) == nil)
        #expect(end(rate: 0, isInvited: false) == nil)
    }
}
