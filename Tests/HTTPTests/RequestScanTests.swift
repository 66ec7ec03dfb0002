import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct RequestScanTests {
    private static let start = "GET /t/m/tvmaze/show/1 HTTP/1.1\r\nHost: a\r\n"

    private func scan(_ text: String) -> RequestScan {
        Array(text.utf8).withUnsafeBytes { RequestScan($0) }
    }

    private func text(_ range: Range<Int>?, _ text: String) -> String? {
        range.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
    }

    @Test func `the scan finds the fields that a hit depends on among all others`() throws {
        let request =
            "HEAD /t/m/tvmaze/show/1.jpg HTTP/1.1\r\nHOST: a:80\r\nuser-agent: b\r\nAccept:  image/webp,*/* \r\n"
            + "Sec-Fetch-Mode: no-cors\r\nSec-CH-UA: \"x\"\r\nSec-Ch-Ua-Mobile: ?0\r\nCookie: a=b\r\n"
            + "If-None-Match: \"x\"\r\nIf-Modified-Since: yesterday\r\nConnection: Keep-Alive\r\n"
            + "Range: bytes=0-1\r\nIf-Range: \"y\"\r\n"
            + "x-request-id: one\r\nReferer: http://a/\r\nDNT: 1\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n"
        guard case .plain(let found) = scan(request + "GET /") else {
            Issue.record("not plain")
            return
        }
        #expect(found.isHead)
        #expect(text(found.target, request) == "/t/m/tvmaze/show/1.jpg")
        #expect(text(found.accept, request) == "image/webp,*/*")
        #expect(text(found.entityTag, request) == "\"x\"")
        #expect(text(found.modifiedSince, request) == "yesterday")
        #expect(text(found.range, request) == "bytes=0-1")
        #expect(text(found.ifRange, request) == "\"y\"")
        #expect(text(found.requestID, request) == "one")
        #expect(
            found.framing
                == .init(headLength: request.utf8.count, closes: false))
    }

    @Test(arguments: [
        "X-Request-Id: 1\r\nX-Request-Id: 2", "Range: a\r\nRange: a", "If-Range: a\r\nIf-Range: b",
        "Host: b",
        "Accept: a\r\nAccept: b",
        "If-None-Match: a\r\nIf-None-Match: b", "Content-Length: 0", "Authorization: x",
        "If-Match: *", "Accept: \u{e9}", "Keep-Alive: 1", "Sec-Other: 1", "TE: trailers",
        "Trailer: x", "Upgrade: h2c", "Connection: keep-alive, te",
    ])
    func `unknown requests are passed on one at a time`(fields: String) {
        let request = "\(Self.start)\(fields)\r\n\r\n"
        #expect(
            scan(request + "rest")
                == .framed(
                    .init(headLength: request.utf8.count, closes: false)))
    }

    @Test(arguments: [
        ("/t/m/a/b/1", HitRoute.picture), ("/o/a/b/1", .original), ("/b/sha256-0", .blob),
        ("/sheet/m/a/b", .sheet), ("/v1/a", .catalog), ("/openapi.json", .description),
        ("/openapi.json?a", .description), ("/", .gallery), ("/?a", .gallery),
    ])
    func `the targets of thumbnails, other blobs and documents are plain`(
        target: String, route: HitRoute
    ) {
        guard case .plain = scan("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") else {
            Issue.record("not plain")
            return
        }
        #expect(Array(target.utf8).withUnsafeBytes { HitRoute($0) } == route)
    }

    @Test(arguments: [
        "GET /healthz HTTP/1.1", "GET /o/ HTTP/1.1", "GET /v1/ HTTP/1.1", "GET /op HTTP/1.1",
        "GET // HTTP/1.1", "GET /sheets/m/a HTTP/1.1",
        "POST /t/m/a/b/1 HTTP/1.1", "GET /t/m/a/b/1?x=\u{e9} HTTP/1.1",
        "GET http://a/t/m/a/b/1 HTTP/1.1", "GET * HTTP/1.1", "GET /t/m/a/b/1#c HTTP/1.1",
        "get /t/m/a/b/1 HTTP/1.1", "M-SEARCH * HTTP/1.1", "GET /\u{e9} HTTP/1.1",
    ])
    func `requests for other than hits are passed on`(line: String) {
        let request = "\(line)\r\nHost: a\r\n\r\n"
        #expect(
            scan(request)
                == .framed(
                    .init(headLength: request.utf8.count, closes: false)))
    }

    @Test func `a query belongs to the target, whatever it means`() {
        let request = "GET /t/m/a/b/1?x=1&%zz?y HTTP/1.1\r\nHost: a\r\n\r\n"
        guard case .plain(let plain) = scan(request) else {
            Issue.record("not plain: \(scan(request))")
            return
        }
        let target = Array(request.utf8)[plain.target]
        #expect(String(decoding: target, as: UTF8.self) == "/t/m/a/b/1?x=1&%zz?y")
    }

    @Test func `the scan finds the end of bodies and the last request`() {
        let put = "PUT /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n"
        #expect(
            scan(put)
                == .framed(
                    .init(headLength: put.utf8.count, body: .length(12), closes: false)))
        let chunked = Self.start + "Expect: 100-continue\r\nTransfer-Encoding: Chunked\r\n\r\n"
        #expect(
            scan(chunked + "0")
                == .framed(
                    .init(
                        headLength: chunked.utf8.count, body: .chunked, closes: false,
                        expects: true)))
        let old = "GET /t/m/a/b/1 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"
        #expect(
            scan(old)
                == .framed(.init(headLength: old.utf8.count, closes: true, isVersion10: true)))
    }

    @Test(arguments: [
        "connection: Close", "Connection: close, keep-alive", "Connection: keep-alive,\tclose",
        "Connection: keep-alive\r\nConnection: close", "Proxy-Connection: close",
        "Connection: close\r\nConnection: close", "Connection: Upgrade\r\nUpgrade: h2c",
    ])
    func `a connection closes after a request with close in any Connection field`(fields: String) {
        switch scan("\(Self.start)\(fields)\r\n\r\n") {
        case .plain(let request): #expect(request.framing.closes)
        case .framed(let framing): #expect(framing.closes)
        case .incomplete, .refused: Issue.record("not read")
        }
    }

    @Test(arguments: [
        ("Content-Length: 1\r\nContent-Length: 1", RequestScan.Fault.contentLength),
        ("Content-Length: 1\r\nContent-Length: 2", .contentLength),
        ("Content-Length: +1", .contentLength), ("Content-Length: 1,1", .contentLength),
        ("Content-Length: -1", .contentLength), ("Content-Length:", .contentLength),
        ("Content-Length: 9999999999999999", .contentLength),
        ("Content-Length: 99999999999999999999", .contentLength),
        ("Content-Length: 3\r\nTransfer-Encoding: chunked", .transferEncoding),
        ("Transfer-Encoding: xchunked", .transferEncoding),
        ("Transfer-Encoding: chunked, gzip", .transferEncoding),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", .transferEncoding),
        ("Transfer-Encoding: chunked, chunked", .transferEncoding),
        ("Transfer-Encoding: \"chunked\"", .transferEncoding),
        ("A : b", .fieldName), (": b", .fieldName), ("A", .fieldName), ("Ä: b", .fieldName),
        (" folded", .foldedField), ("A: b\r\n folded", .foldedField),
        ("A: b\r\n\tfolded", .foldedField), ("A: b\u{0}", .fieldValue),
        ("A: b\rc", .fieldValue), ("A: \u{7f}", .fieldValue), ("Host: a\nB: c", .lineEnd),
    ])
    func `ambiguous framing is refused`(
        fields: String, fault: RequestScan.Fault
    ) {
        #expect(scan("\(Self.start)\(fields)\r\n\r\n") == .refused(fault))
    }

    @Test func `unknown transfer codings, and any in HTTP/1.0, are refused`() {
        let gzip = "Transfer-Encoding: gzip, chunked\r\n\r\n"
        #expect(scan(Self.start + gzip) == .refused(.unknownCoding))
        let old = "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(scan(old) == .refused(.transferEncoding))
    }

    @Test(arguments: [
        "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET /  HTTP/1.1", "GET / http/1.1", "GET /", "GET",
        "GET /\t HTTP/1.1", "\u{16}\u{3}\u{1}", "GET HTTP/1.1", "GET / HTTP/1,1",
        "GET / HTTP/x.1",
    ])
    func `invalid request lines are refused`(line: String) {
        #expect(scan("\(line)\r\nHost: a\r\n\r\n") == .refused(.requestLine))
    }

    @Test(arguments: ["GET / HTTP/2.0", "PRI * HTTP/2.0", "GET / HTTP/1.2"])
    func `other HTTP versions are refused`(line: String) {
        #expect(scan("\(line)\r\nHost: a\r\n\r\n") == .refused(.unknownVersion))
    }

    @Test func `empty lines before a request are ignored`() {
        let request = "\r\n\r\n\(Self.start)\r\n"
        guard case .plain(let found) = scan(request) else {
            Issue.record("not plain")
            return
        }
        #expect(found.framing.headLength == request.utf8.count)
        #expect(text(found.target, request) == "/t/m/tvmaze/show/1")
    }

    @Test func `the scan is incomplete until the whole head has arrived`() {
        let request = Array("\(Self.start)Accept: */*\r\n\r\n".utf8)
        for length in 0..<request.count {
            #expect(request[..<length].withUnsafeBytes { RequestScan($0) } == .incomplete)
        }
    }
}
