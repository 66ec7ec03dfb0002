import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1)))
struct ReceptionTests {
    private func reception(
        _ head: String, maxBytes: Int = 100, body: [UInt8] = []
    ) -> Reception {
        var reception = Reception(maxBytes: maxBytes)
        for line in head.split(separator: "\n", omittingEmptySubsequences: true) {
            let bytes = Array((line == "." ? "\r\n" : line + "\r\n").utf8)
            guard bytes.withUnsafeBufferPointer({ reception.takeLine($0) }) else {
                return reception
            }
        }
        for byte in body where !Array([byte]).withUnsafeBufferPointer({ reception.takeBody($0) }) {
            return reception
        }
        return reception
    }

    @Test func `only the final head is kept`() {
        let reception = reception(
            "HTTP/1.1 103 Early Hints\nLink: </a>\n.\nHTTP/2 200 a: b\nETag: \"a\"\n.\nTrailer: x\n.",
            body: [1, 2])
        #expect(reception.status == 200)
        #expect(reception.fields.map(\.name) == ["ETag"])
        #expect(reception.body == [1, 2])
        #expect(reception.stop == nil)
    }

    @Test(
        arguments: [
            ("Content-Length: 101", Reception.Stop.failed(.tooLarge(limit: 100))),
            ("content-length:100", nil), ("CONTENT-LENGTH:  101 ", .failed(.tooLarge(limit: 100))),
            ("Content-Length: 99999999999999999999999", nil), ("Content-Length: x", nil),
            ("Content-Encoding: gzip\nContent-Length: 1200", .failed(.tooLarge(limit: 100))),
            ("Content-Encoding: gzip\nContent-Length: 1125", nil),
            ("Content-Length: 5\nContent-Length: 5", nil),
            (
                "Content-Length: 5\nContent-Length: 6",
                .failed(.protocolError(reason: "it declares two different lengths"))
            ),
            ("Transfer-Encoding: chunked\nContent-Length: 101", nil), ("Content-Lengthy: 101", nil),
        ] as [(String, Reception.Stop?)])
    func `a transfer stops as soon as its head is unacceptable`(
        fields: String, stop: Reception.Stop?
    ) {
        #expect(reception("HTTP/1.1 200 OK\n\(fields)\n.").stop == stop)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\nContent-Length: 2\n.", true),
        ("HTTP/1.1 200 OK\nContent-Length: 3\n.", false),
        ("HTTP/1.1 200 OK\n.", true), ("HTTP/1.1 404 No\nContent-Length: 3\n.", true),
    ])
    func `a body is compared with its declared length`(head: String, isComplete: Bool) {
        #expect((reception(head, body: [1, 2]).lack == nil) == isComplete)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\n", "X: \(String(repeating: "a", count: 1_000))\n", "."),
        ("HTTP/1.1 200 OK\n.\n", "X: \(String(repeating: "a", count: 1_000))\n", ""),
        (
            "", "HTTP/1.1 103 Early Hints\nX: \(String(repeating: "a", count: 1_000))\n.\n",
            "HTTP/1.1 200 OK\n."
        ),
    ])
    func `the size of the head is limited, trailers and interim heads included`(
        before: String, line: String, after: String
    ) {
        #expect(reception(before + String(repeating: line, count: 60) + after).stop == nil)
        let reception = reception(before + String(repeating: line, count: 70) + after)
        guard case .failed(.protocolError) = reception.stop else { return miss("no bound") }
    }

    @Test func `header fields with blanks and odd bytes are parsed`() {
        let text = "A: 1\r\nB:2 \t\r\nno field\r\nC:\r\nD: a:b\r\n"
        let fields = [(name: String, value: String)](
            head: Array(text.utf8) + [0x45, 0x3a, 0xff, 0x0a])
        #expect(fields.map(\.name) == ["A", "B", "C", "D", "E"])
        #expect(fields.map(\.value) == ["1", "2", "", "a:b", "\u{ff}"])
    }
}
