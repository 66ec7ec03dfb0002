import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct RequestTargetTests {
    @Test(arguments: [
        ("/a/b?c=d?e", "/a/b", "c=d?e"), ("/", "/", ""), ("/a?", "/a", ""),
        ("http://x/a?b", "/a", "b"), ("HTTPS://x:80?b", "/", "b"), ("http://x", "/", ""),
        ("//x/a", "//x/a", ""),
    ])
    func `path and query are split, and an absolute URL is accepted`(
        target: String, path: String, query: String
    ) throws {
        let parsed = try RequestTarget(target, maxBytes: 100)
        #expect(parsed.path == path)
        #expect(parsed.query == query)
        #expect(!parsed.isWholeServer)
    }

    @Test(arguments: ["", "a", "host", "ftp://x/a", "/a#b", "/ü", "/\u{fffd}", "/a b", "/a\u{7f}"])
    func `an invalid target is refused before routing`(target: String) {
        #expect {
            try RequestTarget(target, maxBytes: 100)
        } throws: { error in
            guard case Route.Failure.malformed = error else { return false }
            return true
        }
    }

    @Test func `a target over the limit is too long`() throws {
        #expect(try RequestTarget("/aaa", maxBytes: 4).path == "/aaa")
        #expect(throws: Route.Failure.tooLong(limit: 3)) {
            try RequestTarget("/aaa", maxBytes: 3)
        }
    }
}
