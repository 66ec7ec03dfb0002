import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct ResponseReaderTests {
    /// Reads pieces and returns the last step and the body as it was reported.
    private func read(
        _ pieces: [String], into reader: inout ResponseReader
    ) -> (step: ResponseReader.Step, body: String) {
        var step = ResponseReader.Step.partial
        var bytes: [UInt8] = []
        for piece in pieces {
            let piece = Array(piece.utf8)
            var body = 0..<0
            step = piece.withUnsafeBytes { reader.read($0, body: &body) }
            bytes += piece[body]
        }
        return (step, String(decoding: bytes, as: UTF8.self))
    }

    private static let response =
        "HTTP/1.1 200 OK\r\ncontent-type: image/jpeg\r\nCONTENT-LENGTH: 5\r\n\r\nhello"

    /// Of one byte, of some, and of all.
    @Test(arguments: 1...80)
    func `a response is the same in pieces of any size`(size: Int) {
        var reader = ResponseReader()
        let bytes = Array(Self.response)
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            String(bytes[$0..<min($0 + size, bytes.count)])
        }
        let (step, body) = read(pieces, into: &reader)
        #expect(step == .complete)
        #expect(body == "hello")
        #expect(reader.head == .init(status: 200, length: 5))
    }

    @Test(arguments: 1...5)
    func `a response is partial as long as a byte of it is missing`(missing: Int) {
        var reader = ResponseReader()
        let (step, body) = read([String(Self.response.dropLast(missing))], into: &reader)
        #expect(step == .partial)
        #expect(body == String("hello".dropLast(missing)))
    }

    @Test func `a reader that was reset knows nothing of the last response`() {
        var reader = ResponseReader()
        _ = read([Self.response], into: &reader)
        reader.reset()
        let (step, body) = read(
            ["HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n"], into: &reader)
        #expect(step == .complete)
        #expect(body.isEmpty)
        #expect(reader.head == .init(status: 503, length: 0, hasRetryAfter: true))
    }

    @Test func `a 304 has no body, whatever length it announces`() {
        var reader = ResponseReader()
        let (step, _) = read(
            ["HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n"], into: &reader)
        #expect(step == .complete)
    }

    @Test func `a body without a length lasts until the connection ends`() {
        var reader = ResponseReader()
        let (step, body) = read(
            ["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc", "def"], into: &reader)
        #expect(step == .partial)
        #expect(body == "abcdef")
        #expect(reader.head.closes)
        #expect(reader.head.length == nil)
    }

    @Test(arguments: [
        "SSH-2.0-server\r\n\r\n12345678",
        "HTTP/1.1 20x OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        // More than was asked for.
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello",
    ])
    func `what is not one response is broken`(text: String) {
        var reader = ResponseReader()
        #expect(read([text], into: &reader).step == .broken)
    }

    @Test func `a head without an end is broken at some point`() {
        var reader = ResponseReader()
        let field = "X-Long: " + String(repeating: "x", count: 1_000) + "\r\n"
        let pieces = ["HTTP/1.1 200 OK\r\n"] + Array(repeating: field, count: 40)
        #expect(read(pieces, into: &reader).step == .broken)
    }
}
