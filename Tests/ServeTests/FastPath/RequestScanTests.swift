import Testing

@testable import Serve

@Suite struct RequestScanTests {
    private static let start = "GET /t/m/tvmaze/show/1 HTTP/1.1\r\nHost: a\r\n"

    private func scan(_ text: String) -> RequestScan {
        Array(text.utf8).withUnsafeBytes { RequestScan($0) }
    }

    private func text(_ range: Range<Int>?, _ text: String) -> String? {
        range.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
    }

    @Test func `finds what a hit depends on, whatever else clients send`() throws {
        let request =
            "HEAD /t/m/tvmaze/show/1.jpg HTTP/1.1\r\nHOST: a:80\r\nuser-agent: b\r\nAccept:  image/webp,*/* \r\n"
            + "Sec-Fetch-Mode: no-cors\r\nSec-CH-UA: \"x\"\r\nSec-Ch-Ua-Mobile: ?0\r\nCookie: a=b\r\n"
            + "If-None-Match: \"x\"\r\nIf-Modified-Since: yesterday\r\nConnection: Keep-Alive\r\n"
            + "Referer: http://a/\r\nDNT: 1\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n"
        guard case .plain(let found) = scan(request + "GET /") else {
            Issue.record("not plain")
            return
        }
        #expect(found.isHead)
        #expect(text(found.target, request) == "/t/m/tvmaze/show/1.jpg")
        #expect(text(found.accept, request) == "image/webp,*/*")
        #expect(text(found.entityTag, request) == "\"x\"")
        #expect(text(found.modifiedSince, request) == "yesterday")
        #expect(
            found.framing
                == .init(headLength: request.utf8.count, bodyLength: 0, closes: false))
    }

    @Test(arguments: [
        "X-Request-Id: 1", "Range: bytes=0-1", "If-Range: \"x\"", "Host: b",
        "Accept: a\r\nAccept: b",
        "If-None-Match: a\r\nIf-None-Match: b", "Content-Length: 0", "Authorization: x",
        "If-Match: *", "Accept: \u{e9}", "Keep-Alive: 1", "Sec-Other: 1",
    ])
    func `hands on what it does not know, one request at a time`(fields: String) {
        let request = "\(Self.start)\(fields)\r\n\r\n"
        #expect(
            scan(request + "rest")
                == .framed(
                    .init(headLength: request.utf8.count, bodyLength: 0, closes: false)))
    }

    @Test(arguments: [
        "GET /t/m/a/b/1?x=1 HTTP/1.1", "GET /healthz HTTP/1.1", "POST /t/m/a/b/1 HTTP/1.1",
        "GET http://a/t/m/a/b/1 HTTP/1.1", "GET * HTTP/1.1", "GET /t/m/a/b/1#c HTTP/1.1",
    ])
    func `hands on what asks for something else`(line: String) {
        let request = "\(line)\r\nHost: a\r\n\r\n"
        #expect(
            scan(request)
                == .framed(
                    .init(headLength: request.utf8.count, bodyLength: 0, closes: false)))
    }

    @Test func `knows where bodies end and which requests are last`() {
        let put = "PUT /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n"
        #expect(
            scan(put)
                == .framed(.init(headLength: put.utf8.count, bodyLength: 12, closes: false)))
        let old = "GET /t/m/a/b/1 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"
        #expect(
            scan(old) == .framed(.init(headLength: old.utf8.count, bodyLength: 0, closes: true)))
        guard case .plain(let last) = scan(Self.start + "connection: Close\r\n\r\n") else {
            Issue.record("not plain")
            return
        }
        #expect(last.framing.closes)
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked", "Expect: 100-continue", "Upgrade: h2c", "TE: trailers",
        "Connection: upgrade", "Connection: close\r\nConnection: close",
        "Content-Length: 1\r\nContent-Length: 1", "Content-Length: +1", "Content-Length: 1,1",
        "Content-Length: 9999999999999999", "A : b", " folded", "A: b\r\n folded", ": b", "A",
        "A: b\u{0}",
        "A: b\rc", "A: \u{7f}", "Ä: b", "Host: a\nB: c",
    ])
    func `leaves to the codec what could end elsewhere`(fields: String) {
        #expect(scan("\(Self.start)\(fields)\r\n\r\n") == .opaque)
    }

    @Test(arguments: [
        "\r\nGET / HTTP/1.1", "get / HTTP/1.1", "GET  / HTTP/1.1", "GET / HTTP/1.1 ",
        "GET /  HTTP/1.1",
        "GET / HTTP/2.0", "GET / http/1.1", "GET /", "GET", "CONNECT a:1 HTTP/1.1",
        "GET /\u{e9} HTTP/1.1",
        "GET /\t HTTP/1.1", "\u{16}\u{3}\u{1}", "PRI * HTTP/2.0", "GET HTTP/1.1",
    ])
    func `leaves to the codec lines that are no request line`(line: String) {
        #expect(scan("\(line)\r\nHost: a\r\n\r\n") == .opaque)
    }

    @Test func `waits for the whole head`() {
        let request = Array("\(Self.start)Accept: */*\r\n\r\n".utf8)
        for length in 0..<request.count {
            #expect(request[..<length].withUnsafeBytes { RequestScan($0) } == .incomplete)
        }
    }
}
