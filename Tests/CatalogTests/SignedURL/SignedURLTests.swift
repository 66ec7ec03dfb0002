import Catalog
import Fetch
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct URLSignatureTests {
    private let signature = URLSignature(keys: "first key, second")
    private let now = Date(timeIntervalSince1970: 1_000)

    @Test func `a signature is honored for its own level and URL only`() throws {
        let made = try signature.sign(level: "m", encodedURL: "abc", expires: nil)
        try signature.check(made, level: "m", encodedURL: "abc", expires: nil, now: now)
        #expect(throws: URLSignature.wrong) {
            try signature.check(made, level: "l", encodedURL: "abc", expires: nil, now: now)
        }
        #expect(throws: URLSignature.wrong) {
            try signature.check(made, level: "m", encodedURL: "abd", expires: nil, now: now)
        }
        #expect(throws: URLSignature.wrong) {
            try signature.check(made, level: "m", encodedURL: "abc", expires: 9_999, now: now)
        }
    }

    @Test func `the expiry is signed too`() throws {
        let made = try signature.sign(
            level: "m", encodedURL: "abc", expires: Date(timeIntervalSince1970: 2_000))
        try signature.check(made, level: "m", encodedURL: "abc", expires: 2_000, now: now)
        #expect(throws: URLSignature.expired) {
            try signature.check(
                made, level: "m", encodedURL: "abc", expires: 2_000,
                now: Date(timeIntervalSince1970: 2_000))
        }
        #expect(throws: URLSignature.wrong) {
            try signature.check(made, level: "m", encodedURL: "abc", expires: 3_000, now: now)
        }
        #expect(throws: URLSignature.wrong) {
            try signature.check(made, level: "m", encodedURL: "abc", expires: nil, now: now)
        }
    }

    @Test(arguments: ["", "AAAA", "not base64!", "%00"])
    func `a malformed signature is refused`(given: String) {
        #expect(throws: URLSignature.wrong) {
            try signature.check(given, level: "m", encodedURL: "abc", expires: nil, now: now)
        }
    }

    @Test func `older keys are honored, the first one signs`() throws {
        let old = try URLSignature(keys: "second").sign(level: "m", encodedURL: "a", expires: nil)
        try signature.check(old, level: "m", encodedURL: "a", expires: nil, now: now)
        let new = try signature.sign(level: "m", encodedURL: "a", expires: nil)
        #expect(throws: URLSignature.wrong) {
            try URLSignature(keys: "second")
                .check(new, level: "m", encodedURL: "a", expires: nil, now: now)
        }
    }

    @Test(arguments: ["", " , ", ","])
    func `without a key nothing is signed or honored`(keys: String) {
        let none = URLSignature(keys: keys)
        #expect(throws: URLSignature.unconfigured) {
            try none.sign(level: "m", encodedURL: "a", expires: nil)
        }
        #expect(throws: URLSignature.unconfigured) {
            try none.check("", level: "m", encodedURL: "a", expires: nil, now: now)
        }
    }

    @Test(
        arguments: [
            ("", nil), ("x", 1), ("0123456789abcdef", nil), ("0123456789abcdef,short", 5),
            (" 0123456789 abcde,", 15),
        ] as [(String, Int?)])
    func `a key of fewer than 16 bytes is too short`(keys: String, count: Int?) {
        #expect(URLSignature.tooShort(in: keys) == count)
    }

    @Test func `the code is the HMAC of RFC 2104`() throws {
        // printf 'm/url/YQ?expires=5' | openssl dgst -sha256 -hmac key -binary | base64
        let made = try URLSignature(keys: "key").sign(
            level: "m", encodedURL: "YQ", expires: Date(timeIntervalSince1970: 5.9))
        #expect(made == "0AO0kzA0EsXxfDvF5at64rfjnlNk7OzNrUM0DTX1jf8")
    }
}

@Suite(.timeLimit(.minutes(1))) struct SignedURLTests {
    private let source = SignedURL(hosts: [])

    @Test(arguments: [
        ("https://example.org/a.jpg", "https://example.org/a.jpg"),
        ("HTTPS://Example.ORG/A.jpg", "https://example.org/A.jpg"),
        ("http://example.org", "http://example.org/"),
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c"),
    ])
    func `an item is its URL in one canonical form`(url: String, canonical: String) async throws {
        let item = try SignedURL.item(of: url)
        #expect(Base64URL.decode(item.id) == Array(canonical.utf8))
        #expect(try source.item(kind: "image", id: item.id) == item)
        let details = try await source.details(of: item, api: ScriptedAPI([:]))
        guard case .candidate(let candidate) = details.chain.first else {
            Issue.record("no candidate")
            return
        }
        #expect(candidate.url == canonical)
        #expect(details.chain.count == 1)
    }

    @Test(arguments: [
        "ftp://example.org/a", "//example.org/a", "example.org/a.jpg", "https:///a", "https://",
        "https://exam ple.org/a", "https://exam|ple.org/a", "javascript:alert(1)", "",
    ])
    func `anything but an absolute http URL is refused`(url: String) {
        #expect {
            try SignedURL.item(of: url)
        } throws: { error in
            (error as? Failure)?.kind == .invalid
        }
    }

    @Test func `base64url is the standard's alphabet with two other digits and no padding`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count * 11) }
            let text = Data(bytes).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(Base64URL.encode(bytes) == text)
            #expect(Base64URL.decode(text) == bytes)
        }
    }

    @Test(arguments: ["YQ==", "a+b", "!", "YR", "YWJ", "A", "YWJjZ", "Y\u{e9}", "YQ\n"])
    func `a text that is not encoded is not decoded`(text: String) {
        #expect(Base64URL.decode(text) == nil)
        #expect(throws: Failure.self) { try source.item(kind: "image", id: text) }
    }

    @Test(arguments: [
        ("https://me:pw@Example.org:8443/a.jpg?token=x", "url/image/example.org#"),
        ("http://[2001:db8::1]:80/a.jpg", "url/image/[2001:db8::1]#"),
        ("https://example.org?token=x", "url/image/example.org#"),
    ])
    func `an item is shown as its host and a digest`(
        url: String, start: String
    ) throws {
        let item = try SignedURL.item(of: url)
        #expect(item.shown.hasPrefix(start))
        #expect(item.shown.utf8.count == start.utf8.count + 12)
        #expect(!item.shown.contains("token") && !item.shown.contains(item.id.prefix(8)))
        let other = try SignedURL.item(of: url + "2")
        #expect(other.shown != item.shown)
        let show = Item(source: "tvmaze", kind: "show", id: "1")
        #expect(show.shown == "tvmaze/show/1")
    }

    @Test(arguments: [
        ("https://me:pw@example.org/a.jpg?token=x", "https://example.org/a.jpg"),
        ("https://example.org/a@2x.jpg", "https://example.org/a@2x.jpg"),
        ("https://me@example.org/b/a@2x.jpg?x=@/", "https://example.org/b/a@2x.jpg"),
    ])
    func `a URL is named without query and user-info, and an @ of its path stays`(
        url: String, shown: String
    ) async throws {
        let item = try SignedURL.item(of: url)
        #expect(SignedURL.place(of: item) == shown)
        #expect(
            try await source.details(of: item, api: ScriptedAPI([:])).entry.title == shown)
        #expect(SignedURL.place(of: Item(source: "tvmaze", kind: "show", id: "1")) == nil)
    }

    @Test func `the digest is the start of the URL's SHA-256`() throws {
        // printf https://example.org/a.jpg | sha256sum
        let item = try SignedURL.item(of: "https://example.org/a.jpg")
        #expect(item.shown == "url/image/example.org#700caca5ae8f")
    }

    @Test func `configured hosts are the only ones`() {
        let source = SignedURL(hosts: [HostPattern("*.example.org")])
        #expect(source.imageHosts.contains { $0.matches("img.example.org") })
        #expect(!source.imageHosts.contains { $0.matches("example.com") })
        #expect(self.source.imageHosts.contains { $0.matches("example.com") })
    }
}
