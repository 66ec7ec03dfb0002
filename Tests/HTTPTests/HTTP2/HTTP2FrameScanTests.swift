import Testing

@testable import HTTP

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
