import HTTPTypes
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

@Suite(.timeLimit(.minutes(1))) struct RequestIdentityTests {
    @Test(arguments: ["a-1_B.2:c=/+", "a;b\"{~", String(repeating: "a", count: 64)])
    func `a valid request id of the client is kept`(id: String) {
        #expect(RequestIdentity([.xRequestID: id]).id == id)
    }

    @Test(arguments: ["", "with space", "ü", String(repeating: "a", count: 65)])
    func `an invalid request id is replaced`(id: String) {
        let made = RequestIdentity([.xRequestID: id]).id
        #expect(made.count == 16 && made.allSatisfy(\.isHexDigit))
    }

    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later", true),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false), ("nonsense", false),
    ])
    func `a trace id is taken from a valid traceparent only`(field: String, isTrace: Bool) {
        let trace = RequestIdentity([.traceParent: field]).trace
        #expect(trace == (isTrace ? "4bf92f3577b34da6a3ce929d0e0e4736" : nil))
    }
}

@Suite(.timeLimit(.minutes(1))) struct ClientAddressTests {
    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("127.0.0.1", nil), ("127.8.8.8", nil), ("::1", nil),
            ("2001:db8:0:1::5", "2001:db8:0:1::/64"),
            ("2001:db8:0:1:ffff::", "2001:db8:0:1::/64"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:127.0.0.1", nil),
        ] as [(String, String?)])
    func `clients are identified by their IPv4 address or IPv6 network`(
        address: String, client: String?
    ) {
        #expect(ClientAddress.of(address, [:]) == client)
    }

    @Test(arguments: ["X-Forwarded-For", "forwarded", "Via", "X-Real-IP"])
    func `the address of a proxy identifies no client`(field: String) throws {
        let name = try #require(HTTPField.Name(field))
        #expect(ClientAddress.of("192.0.2.1", [name: "x"]) == nil)
        #expect(ClientAddress.of(nil, [:]) == nil)
    }
}
