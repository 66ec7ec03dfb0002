import Testing

@testable import HitServer

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
        range.map { String(decoding: block.bytes[$0], as: UTF8.self) }
    }

    @Test func `the fields of a hit are found among all others`() throws {
        let block = block(
            method: "HEAD",
            fields: [
                ("accept", "image/webp"), ("if-none-match", "\"x\""), ("if-modified-since", "now"),
                ("user-agent", "b"), ("sec-fetch-mode", "no-cors"), ("cookie", "a=b"),
            ])
        let request = try #require(block.plain)
        #expect(request.isHead)
        #expect(text(request.target, block) == Self.path)
        #expect(text(request.accept, block) == "image/webp")
        #expect(text(request.entityTag, block) == "\"x\"")
        #expect(text(request.modifiedSince, block) == "now")
        #expect(block.fields.count == 6)
        #expect(text(block.authority, block) == "a")
    }

    @Test(arguments: [
        ("range", "bytes=0-1"), ("content-length", "0"), ("te", "trailers"),
        ("expect", "100-continue"), ("authorization", "x"), ("accept", "\u{e9}"),
    ])
    func `a request with a field that needs a responder is not plain`(
        name: String, value: String
    ) {
        #expect(block(fields: [(name, value)]).plain == nil)
    }

    @Test func `a field twice is not plain`() {
        for name in ["accept", "if-none-match", "if-modified-since"] {
            #expect(block(fields: [(name, "a"), (name, "b")]).plain == nil, "\(name)")
        }
    }

    @Test(arguments: [
        "/healthz", "/t/m/a/b/1#c", "*", "/t/", "/t/\u{e9}", "/t/m/a/b/1?x=\u{e9}", "/t/m/a b",
    ])
    func `a target that can't be a hit is not plain`(path: String) {
        #expect(block(path).plain == nil)
    }

    @Test(arguments: ["/t/m/url/a/b?expires=17", "/t/m/a/b/1?x=1", "/t/m/a/b/1?"])
    func `a target with a query may be a hit's`(path: String) {
        #expect(block(path).plain != nil)
    }

    @Test func `other methods, and requests without a host, are not plain`() {
        for method in ["POST", "get", "OPTIONS"] { #expect(block(method: method).plain == nil) }
        #expect(block(authority: nil).plain == nil)
        #expect(block(authority: nil, fields: [("host", "a")]).plain != nil)
    }

    @Test func `a head over the limit is counted and not kept`() {
        let block = block(fields: [
            ("x-long", String(repeating: "a", count: 5_000)), ("accept", "a"),
        ])
        #expect(block.isTooLarge && block.plain == nil)
        #expect(block.bytes.count < 4_096)
        // By RFC 9113, section 6.5.2: the bytes of names and values, and 32 for each field.
        let text = ":method:scheme:path:authorityx-longaccept" + "GEThttps" + Self.path + "aa"
        #expect(block.size == text.utf8.count + 5_000 + 6 * 32)
    }

    @Test func `a request for a document is the same in HTTP/1.1`() throws {
        let block = block(
            "/v1/a?b", authority: "h", fields: [("host", "other"), ("accept-encoding", "gzip")])
        #expect(block.plain == nil)
        let head = try #require(block.documentHead)
        #expect(
            String(decoding: head, as: UTF8.self)
                == "GET /v1/a?b HTTP/1.1\r\nhost:h\r\naccept-encoding:gzip\r\n\r\n")
    }

    @Test func `other requests have no head of a document`() {
        for path in ["/t/m/a/b/1", "/healthz", ""] { #expect(block(path).documentHead == nil) }
        #expect(block("/", fields: [("x-odd", "1")]).documentHead == nil)
        #expect(block("/", authority: nil).documentHead == nil)
    }
}
