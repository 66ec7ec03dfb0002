import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Clients that ask whether to send their body (RFC 9110, section 10.1.1).
@Suite(.timeLimit(.minutes(1))) struct ExpectTests {
    private static let token = "a-token-of-the-operator"
    private static let body = #"{"item": "tvmaze/show/1"}"#

    private static func purge(
        _ token: String, length: Int = body.utf8.count, version: String = "1.1"
    ) -> String {
        """
        POST /admin/purge HTTP/\(version)\r\nHost: a\r\nAuthorization: Bearer \(token)\r
        Content-Type: application/json\r\nContent-Length: \(length)\r\nExpect: 100-continue\r\n\r\n
        """
    }

    private func connected(
        _ act: (RunningServer, RawConnection) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            try await RunningServer.with(
                harness.pipeline, { $0.adminToken = AdminToken(Self.token) }
            ) { running in try await act(running, try await running.connect()) }
        }
    }

    @Test func `a client that expects 100 gets it when the body is read`() async throws {
        try await connected { _, client in
            try await client.send(Self.purge(Self.token))
            #expect(await client.answers(1).map(\.status) == [100])
            try await client.send(Self.body + request("/healthz"))
            #expect(await client.answers(3).map(\.status) == [100, 200, 200])
        }
    }

    @Test(arguments: [
        (purge("wrong"), 401), (purge(token, length: 1 << 30), 413),
        (request("/t/m/tvmaze/x/1", "Content-Length: 3\r\nExpect: 100-continue\r\n"), 404),
    ])
    func `a client that expects 100 gets the final response if the body is not needed`(
        asked: String, status: Int
    ) async throws {
        try await connected { _, client in
            try await client.send(asked)
            let answers = RawAnswer.parse(await client.receivedUntilClosed())
            #expect(answers.map(\.status) == [status])
            #expect(answers.first?.fields["connection"] == "close")
        }
    }

    @Test func `an HTTP/1.0 client gets no interim response`() async throws {
        try await connected { _, client in
            try await client.send(Self.purge(Self.token, version: "1.0") + Self.body)
            let answers = RawAnswer.parse(await client.receivedUntilClosed())
            #expect(answers.map(\.status) == [200])
        }
    }

    @Test func `a client that expects 100 without a body gets no interim response`() async throws {
        try await connected { _, client in
            let asked = request("/healthz", "Expect: 100-continue\r\n")
            try await client.send(asked + asked)
            #expect(await client.answers(2).map(\.status) == [200, 200])
        }
    }
}
