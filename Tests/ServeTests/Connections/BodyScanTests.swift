import HitServer
import NIOCore
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct BodyScanTests {
    private func taken(
        _ text: String, _ framing: RequestScan.BodyFraming, in pieces: Int
    ) -> (scan: BodyScan, count: Int) {
        var scan = BodyScan(framing, maxOverhead: 16)
        let bytes = Array(text.utf8)
        var count = 0
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = bytes[start..<min(start + pieces, bytes.count)]
            count += piece.withUnsafeBytes { scan.take($0) }
        }
        return (scan, count)
    }

    @Test(arguments: [
        "0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n", "0A\r\n0123456789\r\n00\r\n\r\n",
        "3;a=b\r\nabc\r\n0;c\r\n\r\n", "0\r\nA: b\r\nC: d\r\n\r\n", "2\r\n\r\n\r\n0\r\n\r\n",
    ])
    func `the end of chunks is found in any pieces`(text: String) {
        for pieces in [1, 2, 3, 100] {
            let found = taken(text + "GET", .chunked, in: pieces)
            #expect(found.scan.isWhole && !found.scan.isBroken)
            #expect(found.count == text.utf8.count)
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
        "3;0123456789abcdefg",
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
    private let limits: ConnectionLimits = {
        var configuration = ServerConfiguration()
        configuration.headerTimeout = .seconds(10)
        configuration.bodyTimeout = .seconds(60)
        configuration.minBodyRate = 100
        return ConnectionLimits(configuration)
    }()

    /// The second in which a body is too slow that sends so many bytes a second; `nil` is never
    /// within two minutes.
    private func end(rate: Int, isAwaited: Bool = true, isInvited: Bool = true) -> Int? {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var pace = BodyPace(at: start, isInvited: isInvited)
        for second in 1...120 {
            let now = start + .seconds(Int64(second))
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

@Suite(.timeLimit(.minutes(1))) struct HTTP2FrameScanTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private static func frame(_ type: UInt8, _ flags: UInt8, _ count: Int) -> [UInt8] {
        [0, UInt8(count >> 8), UInt8(count & 0xff), type, flags, 0, 0, 0, 1]
            + [UInt8](repeating: 0, count: count)
    }

    private func isOpen(after bytes: [UInt8], in pieces: Int) -> Bool {
        var scan = HTTP2FrameScan()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            _ = bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { scan.take($0) }
        }
        return scan.isOpen
    }

    @Test func `an HTTP/2 head is incomplete until its last CONTINUATION frame`() {
        let settings = Self.frame(4, 0, 0)
        let start = Self.frame(1, 1, 300)
        let more = Self.frame(9, 0, 20)
        let end = Self.frame(9, 4, 20)
        for pieces in [1, 7, 1_000] {
            #expect(!isOpen(after: Self.preface + settings, in: pieces))
            #expect(isOpen(after: Self.preface + settings + start, in: pieces))
            #expect(isOpen(after: Self.preface + start + more, in: pieces))
            #expect(isOpen(after: Self.preface + start + end.dropLast(), in: pieces))
            #expect(!isOpen(after: Self.preface + start + more + end, in: pieces))
            #expect(!isOpen(after: Self.preface + Self.frame(1, 5, 30), in: pieces))
            #expect(isOpen(after: Self.preface + [0], in: pieces))
        }
    }

    @Test func `an incomplete DATA frame is not an incomplete head`() {
        #expect(!isOpen(after: Self.preface + Self.frame(0, 0, 50).dropLast(), in: 1))
    }

    @Test func `a head right after another one counts as new`() {
        var scan = HTTP2FrameScan()
        let head = Self.frame(1, 5, 10)
        let started = Self.preface + head.dropLast(3)
        let first = started.withUnsafeBytes { scan.take($0) }
        #expect(scan.isOpen && !first)
        let rest = head.suffix(3) + head.dropLast()
        let second = Array(rest).withUnsafeBytes { scan.take($0) }
        #expect(scan.isOpen && second)
    }
}
