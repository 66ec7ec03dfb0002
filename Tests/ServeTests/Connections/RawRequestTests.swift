import Foundation
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Raw requests with the exact answers that they get, except for dates and ids.
@Suite(.timeLimit(.minutes(1))) struct RawRequestTests {
    static let token = "a-token-of-the-operator"
    private static let purge = #"{"item": "tvmaze/show/1"}"#

    /// What a client sends.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sent: String
        /// Whether a last request follows, which shows whether the connection has stayed open.
        var isFollowed = true
        /// Whether the client closes its end at once.
        var isFinished = false
        /// Which answers have no body.
        var heads: Set<Int> = []
    }

    private static func post(_ fields: String, _ body: String) -> String {
        let own = "Authorization: Bearer \(token)\r\nContent-Type: application/json\r\n"
        return request("/admin/purge", own + fields, method: "POST") + body
    }

    private static func target(_ count: Int) -> String {
        "/" + String(repeating: "a", count: count - 1)
    }

    static let cases: [Case] = [
        Case(testDescription: "HTTP/1.0", sent: "GET /healthz HTTP/1.0\r\n\r\n"),
        Case(
            testDescription: "HTTP/1.0 that wants to stay",
            sent: "GET /healthz HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"),
        Case(testDescription: "HTTP/1.0 HEAD", sent: "HEAD /healthz HTTP/1.0\r\n\r\n", heads: [0]),
        Case(testDescription: "HTTP/1.2", sent: "GET /healthz HTTP/1.2\r\nHost: a\r\n\r\n"),
        Case(testDescription: "HTTP/0.9", sent: "GET /healthz\r\n\r\n"),
        Case(testDescription: "absolute form", sent: request("http://a/healthz")),
        Case(
            testDescription: "absolute form without a path",
            sent: request("http://a?x", method: "POST")),
        Case(testDescription: "OPTIONS *", sent: request("*", method: "OPTIONS")),
        Case(testDescription: "GET *", sent: request("*")),
        Case(testDescription: "OPTIONS of a route", sent: request("/healthz", method: "OPTIONS")),
        Case(testDescription: "CONNECT", sent: request("a:443", method: "CONNECT")),
        Case(testDescription: "TRACE", sent: request("/healthz", method: "TRACE")),
        Case(testDescription: "unknown method", sent: request("/healthz", method: "BREW")),
        Case(testDescription: "method in lower case", sent: request("/healthz", method: "get")),
        Case(
            testDescription: "method that is not possible",
            sent: request("/healthz", method: "DELETE")),
        Case(testDescription: "HEAD", sent: request("/healthz", method: "HEAD"), heads: [0]),
        Case(
            testDescription: "HEAD of nothing", sent: request("/nope", method: "HEAD"), heads: [0]),
        Case(
            testDescription: "Upgrade",
            sent: request("/healthz", "Connection: upgrade\r\nUpgrade: websocket\r\n")),
        Case(
            testDescription: "h2c",
            sent: request(
                "/healthz",
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
            )),
        Case(testDescription: "prior knowledge", sent: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Case(
            testDescription: "Expect other than 100-continue",
            sent: post("Expect: 200-ok\r\nContent-Length: 25\r\n", purge)),
        Case(
            testDescription: "Expect other than 100-continue without a body",
            sent: request("/healthz", "Expect: tea\r\n")),
        Case(
            testDescription: "folded field",
            sent: request("/healthz", "X: a\r\n b\r\n")),
        Case(
            testDescription: "folded first field",
            sent: "GET /healthz HTTP/1.1\r\n Host: a\r\n\r\n"),
        Case(
            testDescription: "two equal lengths",
            sent: post("Content-Length: 25\r\nContent-Length: 25\r\n", purge)),
        Case(
            testDescription: "two lengths in one field",
            sent: post("Content-Length: 25, 25\r\n", purge)),
        Case(
            testDescription: "length and coding",
            sent: post("Content-Length: 25\r\nTransfer-Encoding: chunked\r\n", purge)),
        Case(
            testDescription: "another coding",
            sent: post("Transfer-Encoding: gzip, chunked\r\n", purge)),
        Case(
            testDescription: "length with a sign", sent: post("Content-Length: +25\r\n", purge)),
        Case(
            testDescription: "chunk extensions",
            sent: post(
                "Transfer-Encoding: chunked\r\n", "19;a=b;c=\"d\"\r\n\(purge)\r\n0;e\r\n\r\n")),
        Case(
            testDescription: "long chunk extensions",
            sent: post(
                "Transfer-Encoding: chunked\r\n",
                "19;\(String(repeating: "a", count: 40_000))\r\n\(purge)\r\n0\r\n\r\n")),
        Case(
            testDescription: "request trailers",
            sent: post(
                "Transfer-Encoding: chunked\r\nTrailer: X\r\n",
                "19\r\n\(purge)\r\n0\r\nX: y\r\nAuthorization: z\r\n\r\n")),
        Case(
            testDescription: "long request trailers",
            sent: post(
                "Transfer-Encoding: chunked\r\n",
                "19\r\n\(purge)\r\n0\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n")),
        Case(
            testDescription: "chunk without its end",
            sent: post("Transfer-Encoding: chunked\r\n", "19\r\n\(purge)0\r\n\r\n")),
        Case(
            testDescription: "body that is not read, and a chunk without a size",
            sent: request("/nope", "Transfer-Encoding: chunked\r\n", method: "POST") + "x\r\n\r\n"),
        Case(testDescription: "no Host", sent: "GET /healthz HTTP/1.1\r\n\r\n"),
        Case(testDescription: "empty Host", sent: "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n"),
        Case(testDescription: "two Hosts", sent: request("/healthz", "Host: a\r\n")),
        Case(testDescription: "odd Host", sent: "GET /healthz HTTP/1.1\r\nHost: a b/c\r\n\r\n"),
        Case(testDescription: "target of 8 kB", sent: request(target(8_192))),
        Case(testDescription: "target of more than 8 kB", sent: request(target(8_193))),
        Case(testDescription: "target of 9 kB", sent: request(target(9_000))),
        Case(testDescription: "target that is not a path", sent: request("healthz")),
        Case(testDescription: "target with a fragment", sent: request("/healthz#a")),
        Case(testDescription: "target that is not ASCII", sent: request("/ä")),
        Case(testDescription: "empty lines first", sent: "\r\n\r\n" + request("/healthz")),
        Case(testDescription: "lines without CR", sent: "GET /healthz HTTP/1.1\nHost: a\n\n"),
        Case(
            testDescription: "request after a body that is read",
            sent: post("Content-Length: 25\r\n", purge) + request("/healthz")),
        Case(
            testDescription: "request after a body that is not read",
            sent: request("/healthz", "Content-Length: 5\r\n") + "12345" + request("/nope")),
        Case(
            testDescription: "empty body",
            sent: request("/healthz", "Content-Length: 0\r\n") + request("/healthz")),
        Case(
            testDescription: "body that is too long",
            sent: post("Content-Length: 100000\r\n", String(repeating: " ", count: 100_000))),
        Case(
            testDescription: "chunked body that is too long",
            sent: post(
                "Transfer-Encoding: chunked\r\n",
                "186a0\r\n" + String(repeating: " ", count: 100_000) + "\r\n0\r\n\r\n")),
        Case(
            testDescription: "id and trace",
            sent: request(
                "/healthz",
                "X-Request-Id: mine-1\r\ntraceparent: 00-\(String(repeating: "1", count: 32))-2222222222222222-01\r\n"
            )),
        Case(
            testDescription: "hit, and then no more", sent: request(), isFollowed: false,
            isFinished: true),
        Case(testDescription: "hit in HTTP/1.0", sent: "GET /t/m/tvmaze/show/1 HTTP/1.0\r\n\r\n"),
        Case(testDescription: "hit in absolute form", sent: request("http://a/t/m/tvmaze/show/1")),
        Case(
            testDescription: "hit, miss of a route, hit",
            sent: request() + request("/nope") + request(method: "HEAD"), heads: [2]),
    ]

    @Test(arguments: cases) func `a raw request gets this answer`(one: Case) async throws {
        try await withHarness(HitSite.harness()) { harness in
            try await RunningServer.with(
                harness.pipeline, { $0.adminToken = AdminToken(Self.token) }
            ) { running in
                let connection = try await running.connect()
                let last = one.isFollowed ? request("/last", "Connection: close\r\n") : ""
                // The server may close before all of it is sent.
                _ = try? await connection.send(one.sent + last)
                if one.isFinished { try await connection.finish() }
                let answers = RawAnswer.parse(
                    await connection.receivedUntilClosed(), heads: one.heads)
                var texts = answers.map(Self.text)
                // The answer to the last request, which an open connection gets.
                let open = "404 | secured | common | problem | connection: close"
                if one.isFollowed, texts.count > 1, texts.last?.hasPrefix(open) == true {
                    texts[texts.count - 1] = "open"
                }
                let found = texts.joined(separator: "\n")
                #expect(found == RawAnswers.of[one.testDescription], "\(one.testDescription)")
            }
        }
    }

    /// The answer in short: its status; "secured", "common" and "problem" for the fields that many have,
    /// which differ in part each time; the others; and a problem's name, title and detail, or the first bytes
    /// of the body.
    private static func text(_ answer: RawAnswer) -> String {
        var parts = ["\(answer.status)"]
        var fields = answer.fields
        let document = try? JSONDecoder().decode(Document.self, from: Data(answer.body))
        let isProblem = document?.isPlain(answer) == true
        if isProblem { fields["content-length"] = nil }
        if security.allSatisfy({ fields[$0.key] == $0.value }) {
            for name in security.keys { fields[name] = nil }
            parts.append("secured")
        }
        if fields["x-request-id"] != "mine-1" {
            fields["x-request-id"] = fields["x-request-id"].map { _ in "…" }
        }
        fields["date"] = fields["date"].map { _ in "…" }
        if common.allSatisfy({ fields[$0.key] == $0.value }) {
            for name in common.keys { fields[name] = nil }
            parts.append("common")
        }
        if problem.allSatisfy({ fields[$0.key] == $0.value }) {
            for name in problem.keys { fields[name] = nil }
            parts.append("problem")
        }
        parts += fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        if isProblem, let document {
            parts += [
                document.type.replacing("urn:vitrine:problem:", with: ""), document.title,
                document.detail,
            ]
        } else if answer.body.contains(0) {
            parts.append("\(answer.body.count) bytes")
        } else if !answer.body.isEmpty {
            parts.append(
                String(decoding: answer.body.prefix(600), as: UTF8.self)
                    .replacing("\n", with: "")
                    // A purge tells blocks of the file system.
                    .replacing(/"bytes":\d+/, with: "\"bytes\":…"))
        }
        return parts.joined(separator: " | ")
    }

    /// A problem document.
    private struct Document: Decodable {
        var type: String
        var title: String
        var detail: String
        var message: String
        var status: Int
        var retryAfter: Int?

        /// Whether the rest of it, and its length, follow from what is shown.
        func isPlain(_ answer: RawAnswer) -> Bool {
            message == detail && status == answer.status && retryAfter == nil
                && answer.fields["content-length"] == "\(answer.body.count)"
        }
    }

    private static let security = [
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
        "referrer-policy": "no-referrer", "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    ]

    private static let problem = [
        "access-control-allow-origin": "*", "cache-control": "no-store",
        "content-type": "application/problem+json",
    ]

    private static let common = ["date": "…", "server": "vitrine", "x-request-id": "…"]
}
