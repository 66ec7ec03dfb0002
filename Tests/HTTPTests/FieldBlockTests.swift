import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct FieldBlockTests {
    private static let path = "/t/m/tvmaze/show/1"

    private func block(
        _ path: String = path, method: String = "GET", authority: String? = "a",
        fields: [(String, String)] = [], limit: Int = 4_096
    ) -> FieldBlock {
        var block = FieldBlock(limit: limit)
        let pseudo = [(":method", method), (":scheme", "https"), (":path", path)]
        // What an earlier request left.
        add([(":path", "/earlier"), ("accept", "x"), ("x-odd", "1")], &block)
        block.clear()
        add(pseudo + (authority.map { [(":authority", $0)] } ?? []) + fields, &block)
        return block
    }

    private func add(_ fields: [(String, String)], _ block: inout FieldBlock) {
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { block.add(name, $0) }
            }
        }
    }

    private func text(_ range: Range<Int>?, _ block: FieldBlock) -> String? {
        range.map { String(decoding: block.head.bytes[$0], as: UTF8.self) }
    }

    private func plain(_ block: FieldBlock) -> RequestScan.PlainRequest? {
        var block = block
        guard case .plain(let request) = block.scan() else { return nil }
        return request
    }

    /// A request line without a version, and the fields.
    private func lines(_ block: FieldBlock) -> [String] {
        var block = block
        _ = block.scan()
        return ["\(block.head.method) \(block.head.target)"]
            + block.head.fields.map { "\($0.name): \($0.value)" }
    }

    @Test func `the fields of a hit are found among all others`() throws {
        let block = block(
            method: "HEAD",
            fields: [
                ("accept", "image/webp"), ("if-none-match", "\"x\""), ("if-modified-since", "now"),
                ("user-agent", "b"), ("sec-fetch-mode", "no-cors"), ("cookie", "a=b"),
            ])
        let request = try #require(plain(block))
        #expect(request.isHead)
        #expect(text(request.target, block) == Self.path)
        #expect(text(request.accept, block) == "image/webp")
        #expect(text(request.entityTag, block) == "\"x\"")
        #expect(text(request.modifiedSince, block) == "now")
        #expect(lines(block).count == 8)
        #expect(text(request.host, block) == "a")
    }

    @Test(arguments: [
        "/healthz", "/t/m/a/b/1#c", "*", "/t/", "/t/\u{e9}", "/t/m/a/b/1?x=\u{e9}", "/t/m/a b",
    ])
    func `a target that can't be a hit is not plain`(path: String) {
        #expect(plain(block(path)) == nil)
    }

    @Test func `other methods, and requests without a host, are not plain`() {
        for method in ["POST", "get", "OPTIONS"] { #expect(plain(block(method: method)) == nil) }
        #expect(plain(block(authority: nil)) == nil)
        #expect(plain(block(authority: nil, fields: [("host", "a")])) != nil)
    }

    @Test func `a head over the limit is counted and not kept`() {
        let block = block(fields: [
            ("x-long", String(repeating: "a", count: 5_000)), ("accept", "a"),
        ])
        #expect(block.isTooLarge)
        #expect(block.head.bytes.count < 4_096)
        // By RFC 9113, section 6.5.2: the bytes of names and values, and 32 for each field.
        let text = ":method:scheme:path:authorityx-longaccept" + "GEThttps" + Self.path + "aa"
        #expect(block.size == text.utf8.count + 5_000 + 6 * 32)
    }

    @Test func `the authority is the host, and the field of that name is dropped then`() {
        let fields = [("host", "other"), ("accept-encoding", "gzip")]
        #expect(
            lines(block("/v1/a?b", authority: "h", fields: fields))
                == ["GET /v1/a?b", "host: h", "accept-encoding: gzip"])
        let post = block("/", method: "POST", authority: nil, fields: [("host", "h"), ("x", "1")])
        #expect(lines(post) == ["POST /", "host: h", "x: 1"])
        #expect(lines(block("/", authority: nil)) == ["GET /"])
    }

    @Test func `CONNECT names its target as HTTP/1.1 does`() {
        var block = FieldBlock(limit: 4_096)
        add([(":method", "CONNECT"), (":authority", "a:443")], &block)
        #expect(lines(block) == ["CONNECT a:443", "host: a:443"])
    }

    @Test(arguments: [
        ("content-length", "1,1", RequestScan.Fault.contentLength),
        ("transfer-encoding", "gzip, chunked", .unknownCoding), ("a", "b\r", .fieldValue),
    ])
    func `what HTTP/1 refuses is refused`(name: String, value: String, fault: RequestScan.Fault) {
        var block = block(fields: [(name, value)])
        #expect(block.scan() == .refused(fault))
    }
}
