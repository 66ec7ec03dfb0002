import TestSupport

/// What honest clients send on a connection.
enum ConnectionSeeds {
    /// Of HTTP/1.1 and HTTP/1.0. After the last two the server closes.
    static let http1 = [
        get("/t/a"), get("/x"), get("/b/1"),
        get("/t/a") + get("/x") + get("/t/a", "If-None-Match: \"a\"\r\n") + get("/x"),
        get("/b/1", "Range: bytes=100-2000\r\n") + get("/b/1", "Range: bytes=-5\r\n"),
        get("/t/a?utm=1", "Accept: image/avif,image/webp;q=0.8,*/*;q=0.5\r\nCookie: a=b\r\n"),
        post("/x", "Content-Length: 5\r\n", "hello") + get("/t/a"),
        post("/x", "Content-Length: 40000\r\n", String(repeating: "b", count: 40_000)),
        post(
            "/x", "Transfer-Encoding: chunked\r\n",
            "5\r\nhello\r\nA;name=\"v\"\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n") + get("/x"),
        post("/x", "Expect: 100-continue\r\nContent-Length: 3\r\n", "abc"),
        "GET http://a/t/a HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /t/a HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n" + get("/x"),
        get("/x", "Connection: close\r\nUpgrade: h2c\r\nX-Request-Id: seed-1\r\n"),
    ].map { Array($0.utf8) }

    /// The last request of a connection, after which the server closes.
    static let last = Array(get("/x", "Connection: close\r\n").utf8)

    private static func get(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    private static func post(_ target: String, _ fields: String, _ body: String) -> String {
        "POST \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)"
    }

    /// Of HTTP/2, without the preface.
    static let http2: [[UInt8]] = [
        recorded { _ = $0.ask("/t/a") },
        recorded { client in
            for path in ["/t/a", "/x", "/b/1", "/t/a"] { _ = client.ask(path) }
            client.ping()
        },
        recorded { client in
            let stream = client.ask("/x", method: "POST", ends: false)
            client.send(Array("hello".utf8), on: stream, ends: false)
            client.send(
                [UInt8](repeating: 1, count: 20_000), on: stream, ends: true,
                trailers: [("checksum", "1")])
        },
        recorded { client in
            let streams = (0..<4).map { _ in client.ask("/b/1") }
            client.giveWindow(1 << 20, of: streams[0])
            client.reset(streams[1])
            client.setTableSize(0)
            client.setTableSize(4_096)
            _ = client.ask("/x", fields: (0..<20).map { ("x-field-\($0)", "value \($0)") })
        },
    ]

    /// What every connection of HTTP/2 begins with (RFC 9113, section 3.4).
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private static func recorded(_ act: (HTTP2ClientSession) -> Void) -> [UInt8] {
        let client = HTTP2ClientSession()
        act(client)
        return Array(client.output().dropFirst(preface.count))
    }
}
