import Foundation
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Raw requests with the exact answers that they get, except for dates and ids. `RequestScanTests` and
/// `BodyScanTests` say which bytes are refused; here is what clients then read.
@Suite(.timeLimit(.minutes(1))) struct RawRequestTests {
    private static let token = "a-token-of-the-operator"

    /// What a client sends.
    private struct Case {
        var name: String
        var sent: String
        /// What it gets. "open" is the response to a last request, for which the connection stayed open.
        var answers: [String]
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

    private static let plain =
        "cache-control: no-store | content-length: 3 | content-type: text/plain; charset=utf-8"
    private static let healthy = "200 | secured | common | \(plain) | ok"
    private static let healthyAndClosed =
        "200 | secured | common | "
        + plain.replacing("| content", with: "| connection: close | content", maxReplacements: 1)
        + " | ok"
    private static let unknown =
        "404 | secured | common | problem | unknown-route | Unknown route | There is nothing here; "
        + "thumbnails are at /t/{level}/{source}/{kind}/{id}."
    /// What the operator gets for a body that is read.
    private static let noObject =
        "400 | secured | common | cache-control: no-store | content-type: application/problem+json | "
        + "vary: Origin, Sec-Fetch-Site | invalid-request | Invalid request | The body is not a JSON "
        + "object."
    private static let noPath =
        "400 | secured | common | problem | malformed-path | Malformed path | "
    private static let noHost =
        noPath + "A request has one Host field, and a target that begins with “/”."

    /// A request that no responder sees.
    private static func refused(_ status: Int, _ text: String) -> String {
        "\(status) | secured | common | problem | connection: close | \(text)"
    }

    private static func unreadable(_ reason: String) -> String {
        refused(400, "unreadable-request | Unreadable request | \(reason)")
    }

    private static let methods: [Case] = [
        Case(
            name: "OPTIONS *", sent: request("*", method: "OPTIONS"),
            answers: [
                "204 | secured | common | allow: GET, HEAD, POST, PUT, DELETE, OPTIONS", "open",
            ]),
        Case(
            name: "GET *", sent: request("*"),
            answers: [
                "405 | secured | common | problem | allow: OPTIONS | method-not-allowed | Method not "
                    + "allowed | GET is not possible here; possible are OPTIONS.", "open",
            ]),
        Case(
            name: "OPTIONS of a route", sent: request("/healthz", method: "OPTIONS"),
            answers: [
                "204 | secured | common | access-control-allow-headers: Accept, Accept-Language, "
                    + "If-Modified-Since, If-None-Match, If-Range, Range, traceparent, tracestate | "
                    + "access-control-allow-methods: GET, HEAD, OPTIONS | access-control-allow-origin: * "
                    + "| access-control-max-age: 86400 | allow: GET, HEAD, OPTIONS", "open",
            ]),
        // No page of another origin may read it.
        Case(
            name: "OPTIONS of a private route",
            sent: request("/v1/favorites/tvmaze/show/1", method: "OPTIONS"),
            answers: [
                "204 | secured | common | allow: GET, HEAD, PUT, DELETE, OPTIONS | vary: Origin, "
                    + "Sec-Fetch-Site", "open",
            ]),
        Case(
            name: "CONNECT", sent: request("a:443", method: "CONNECT"),
            answers: [
                "501 | secured | common | problem | connection: close | unknown-method | Unknown method "
                    + "| Method CONNECT is not supported; supported are GET, HEAD, POST, PUT, DELETE and OPTIONS."
            ]),
        Case(
            name: "a method in lower case", sent: request("/healthz", method: "get"),
            answers: [
                "501 | secured | common | problem | unknown-method | Unknown method | Method get is not "
                    + "supported; supported are GET, HEAD, POST, PUT, DELETE and OPTIONS.", "open",
            ]),
        Case(
            name: "a method that is not possible", sent: request("/healthz", method: "DELETE"),
            answers: [
                "405 | secured | common | problem | allow: GET, HEAD, OPTIONS | method-not-allowed | "
                    + "Method not allowed | DELETE is not possible here; possible are GET, HEAD, OPTIONS.",
                "open",
            ]),
        Case(
            name: "HEAD", sent: request("/healthz", method: "HEAD"),
            answers: ["200 | secured | common | \(plain)", "open"], heads: [0]),
        Case(
            name: "HEAD of nothing", sent: request("/nope", method: "HEAD"),
            answers: ["404 | secured | common | problem | content-length: 270", "open"], heads: [0]),
    ]

    private static let versions: [Case] = [
        Case(name: "HTTP/1.0", sent: "GET /healthz HTTP/1.0\r\n\r\n", answers: [healthyAndClosed]),
        Case(
            name: "HTTP/1.2", sent: "GET /healthz HTTP/1.2\r\nHost: a\r\n\r\n",
            answers: [
                refused(
                    505,
                    "unknown-version | Unknown HTTP version | Requests without TLS are read as "
                        + "HTTP/1.1 or HTTP/1.0.")
            ]),
        Case(
            name: "HTTP/0.9", sent: "GET /healthz\r\n\r\n",
            answers: [
                refused(400, "not-http | Not HTTP | The bytes are not an HTTP/1.1 request.")
            ]),
        Case(
            name: "Upgrade",
            sent: request("/healthz", "Connection: upgrade\r\nUpgrade: websocket\r\n"),
            answers: [healthyAndClosed]),
        Case(
            name: "id and trace",
            sent: request(
                "/healthz",
                "X-Request-Id: mine-1\r\ntraceparent: 00-\(String(repeating: "1", count: 32))-"
                    + "2222222222222222-01\r\n"),
            answers: [
                "200 | secured | \(plain) | date: … | server: vitrine | x-request-id: mine-1 | ok",
                "open",
            ]),
    ]

    private static let heads: [Case] = [
        Case(
            name: "a folded field", sent: request("/healthz", "X: a\r\n b\r\n"),
            answers: [
                unreadable("A header field continues on a second line, which HTTP/1.1 forbids.")
            ]),
        Case(
            name: "lines without CR", sent: "GET /healthz HTTP/1.1\nHost: a\n\n",
            answers: [unreadable("A line of the header does not end with CR LF.")]),
        Case(
            name: "two equal lengths",
            sent: post("Content-Length: 2\r\nContent-Length: 2\r\n", "[]"),
            answers: [unreadable("Content-Length is not one number of at most 15 digits.")]),
        Case(
            name: "length and coding",
            sent: post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "[]"),
            answers: [
                unreadable(
                    "Transfer-Encoding has to end with chunked, named once, in HTTP/1.1 and without "
                        + "Content-Length.")
            ]),
        Case(
            name: "another coding", sent: post("Transfer-Encoding: gzip, chunked\r\n", "[]"),
            answers: [
                refused(
                    501,
                    "unknown-coding | Unknown transfer coding | The only transfer coding that is "
                        + "known here is chunked.")
            ]),
        Case(
            name: "no Host", sent: "GET /healthz HTTP/1.1\r\n\r\n", answers: [noHost, "open"]),
        Case(
            name: "an empty Host", sent: "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
            answers: [noHost, "open"]),
        Case(
            name: "two Hosts", sent: request("/healthz", "Host: a\r\n"), answers: [noHost, "open"]),
        Case(
            name: "an odd Host", sent: "GET /healthz HTTP/1.1\r\nHost: a b/c\r\n\r\n",
            answers: [healthy, "open"]),
    ]

    private static let targets: [Case] = [
        Case(name: "absolute form", sent: request("http://a/healthz"), answers: [healthy, "open"]),
        Case(name: "8 kB", sent: request(target(8_192)), answers: [unknown, "open"]),
        Case(
            name: "more than 8 kB", sent: request(target(8_193)),
            answers: [
                "414 | secured | common | problem | target-too-long | URI too long | The request target "
                    + "has more than 8192 bytes.", "open",
            ]),
        Case(
            name: "9 kB", sent: request(target(9_000)),
            answers: [
                refused(
                    414,
                    "target-too-long | URI too long | The request target has more than 8192 bytes.")
            ]),
        Case(name: "not a path", sent: request("healthz"), answers: [noHost, "open"]),
        Case(
            name: "not ASCII", sent: request("/ä"),
            answers: [
                noPath
                    + "The target must be ASCII without spaces and “#”; percent-encode the rest.",
                "open",
            ]),
    ]

    private static let bodies: [Case] = [
        Case(
            name: "Expect other than 100-continue",
            sent: post("Expect: 200-ok\r\nContent-Length: 2\r\n", "[]"),
            answers: [noObject, "open"]),
        Case(
            name: "a chunk without its end",
            sent: post("Transfer-Encoding: chunked\r\n", "2\r\n[]0\r\n\r\n"),
            answers: [
                "400 | secured | common | cache-control: no-store | connection: close | content-type: "
                    + "application/problem+json | vary: Origin, Sec-Fetch-Site | broken-body | Broken body "
                    + "| The body is cut off, or its framing is broken."
            ]),
        Case(
            name: "an unread body with a chunk without a size",
            sent: request("/nope", "Transfer-Encoding: chunked\r\n", method: "POST") + "x\r\n\r\n",
            answers: [unknown.replacing("problem |", with: "problem | connection: close |")]),
        Case(
            name: "a request after a body that is read",
            sent: post("Content-Length: 2\r\n", "[]") + request("/healthz"),
            answers: [noObject, healthy, "open"]),
        Case(
            name: "a request after a body that is not read",
            sent: request("/healthz", "Content-Length: 5\r\n") + "12345" + request("/nope"),
            answers: [healthy, unknown, "open"]),
        Case(
            name: "an empty body",
            sent: request("/healthz", "Content-Length: 0\r\n") + request("/healthz"),
            answers: [healthy, healthy, "open"]),
        Case(
            name: "a body that is too long",
            sent: post("Content-Length: 100000\r\n", String(repeating: " ", count: 100_000)),
            answers: [noObject, "open"]),
        Case(
            name: "a chunked body that is too long",
            sent: post(
                "Transfer-Encoding: chunked\r\n",
                "186a0\r\n" + String(repeating: " ", count: 100_000) + "\r\n0\r\n\r\n"),
            answers: [noObject, "open"]),
    ]

    @Test func `each raw request gets the response of its kind`() async throws {
        try await RunningServer.with(
            Harness(), { $0.adminToken = AdminToken(Self.token) }
        ) { _, running in
            for one in Self.methods + Self.versions + Self.heads + Self.targets + Self.bodies {
                let connection = try await running.connect()
                let last = request("/last", "Connection: close\r\n")
                // The server may close before all of it is sent.
                _ = try? await connection.send(one.sent + last)
                var found = RawAnswer.parse(
                    await connection.receivedUntilClosed(), heads: one.heads
                ).map(Self.text)
                let isOpen =
                    found.last?.hasPrefix(
                        "404 | secured | common | problem | connection: close")
                if found.count > 1, isOpen == true { found[found.count - 1] = "open" }
                #expect(found == one.answers, "\(one.name)")
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
        } else if !answer.body.isEmpty {
            parts.append(String(decoding: answer.body, as: UTF8.self).replacing("\n", with: ""))
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
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "ETag, Cache-Status, Retry-After, X-Request-Id",
        "cache-control": "no-store", "content-type": "application/problem+json",
    ]

    private static let common = ["date": "…", "server": "vitrine", "x-request-id": "…"]
}
