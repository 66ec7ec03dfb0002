import PipelineSupport
import Serve
import TestSupport
import Testing

/// Requests that two servers could take for different ones.
@Suite(.timeLimit(.minutes(1))) struct StrictFramingTests {
    private static let path = "/v1/tvmaze/nothing"

    @Test(arguments: [
        (request(path, "Transfer-Encoding: xchunked\r\n"), 400),
        (request(path, "Transfer-Encoding: gzip, chunked\r\n"), 501),
        (request(path, "Transfer-Encoding: chunked, gzip\r\n"), 400),
        (request(path, "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"), 400),
        (request(path, "Content-Length: 3\r\nContent-Length: 3\r\n"), 400),
        (request(path, "X : y\r\n"), 400), (request(path, "X: y\r\n z\r\n"), 400),
        (request(path, "X: a\rb\r\n"), 400), (request(path, "X: a\0b\r\n"), 400),
        ("GET \(path) HTTP/1.1\nHost: a\n\n", 400),
        ("GET \(path) HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("GET \(path) HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ])
    func `requests with ambiguous framing are refused and disconnected`(sent: String, status: Int)
        async throws
    {
        try await withHarness { harness in
            try await RunningServer.with(harness.pipeline) { running in
                let connection = try await running.connect()
                try await connection.send(sent + request("/healthz"))
                let answers = RawAnswer.parse(await connection.receivedUntilClosed())
                #expect(answers.map(\.status) == [status])
                #expect(answers.first?.fields["content-type"] == "application/problem+json")
                #expect(running.server.counts.responded == 0)
            }
        }
    }

    @Test(arguments: [
        "Connection: close, keep-alive\r\n", "Connection: keep-alive\r\nConnection: close\r\n",
        "Connection: upgrade\r\nUpgrade: h2c\r\n",
    ])
    func `close wins over keep-alive, and only one response is sent`(fields: String) async throws {
        try await withHarness { harness in
            try await RunningServer.with(harness.pipeline) { running in
                let connection = try await running.connect()
                try await connection.send(request("/healthz", fields) + request("/healthz"))
                let answers = RawAnswer.parse(await connection.receivedUntilClosed())
                #expect(answers.map(\.status) == [200])
                #expect(answers.first?.fields["connection"] == "close")
            }
        }
    }

    @Test(arguments: ["", "Transfer-Encoding: chunked\r\n", "Upgrade: x\r\n", "TE: trailers\r\n"])
    func `every head is limited in size`(field: String) async throws {
        try await withHarness { harness in
            try await RunningServer.with(harness.pipeline, { $0.maxHeaderBytes = 4 << 10 }) {
                running in
                let long = String(repeating: "a", count: 5_000)
                let connection = try await running.connect()
                try await connection.send(request("/healthz", "\(field)X: \(long)\r\n"))
                let answers = RawAnswer.parse(await connection.receivedUntilClosed())
                #expect(answers.map(\.status) == [431])
            }
        }
    }
}
