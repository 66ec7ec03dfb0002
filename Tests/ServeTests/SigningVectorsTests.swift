import Catalog
import Fetch
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// `config/signing/vectors.json`, which programs that sign test themselves with. `FREEZE=1` writes it again.
@Suite(.timeLimit(.minutes(1))) struct SigningVectorsTests {
    private static let file = Fixtures.project.appending(path: "config/signing/vectors.json")
    private static let keys = [
        "first-key-of-the-vectors", "second key of the vectors", "dritter-schlüssel-der-vektoren",
    ]
    /// Hosts that the URLs may lead to.
    private static let hosts = ["shop.example", "xn--bcher-kva.example", "10.0.0.1"]

    /// The whole file.
    private struct Vectors: Codable, Equatable {
        /// What `VITRINE_URL_KEYS` and `VITRINE_URL_HOSTS` are for all vectors, but for those that say otherwise.
        var keys: String
        var hosts: [String]
        var accepted: [Accepted]
        var refused: [Refused]
    }

    private struct Accepted: Codable, Equatable {
        var about: String
        var key: String
        var level: String
        var url: String
        var expires: Int?
        var normalForm: String
        var base64url: String
        var message: String
        var signature: String
        var path: String
    }

    private struct Refused: Codable, Equatable {
        var about: String
        var path: String
        var status: Int
        var type: String
        var detail: String
    }

    // MARK: - Accepted

    private static let end = 4_102_444_800
    private static let picture = "https://shop.example/a.jpg"

    private static let signed: [(about: String, url: String, level: String, key: Int, Int?)] = [
        ("a URL", picture, "m", 0, nil),
        ("another level", picture, "l", 0, nil),
        ("an expiry, in seconds since 1970", picture, "m", 0, end),
        ("a key with blanks, which don't count; not the first key", picture, "m", 1, nil),
        ("a key with letters beyond ASCII, which are UTF-8", picture, "m", 2, end),
        (
            "letters beyond ASCII, a blank, a fragment",
            "https://shop.example/Stühle rot|2.jpg#top", "m", 0, nil
        ),
        ("letters of three and four bytes", "https://shop.example/目/🖼.jpg?名=目", "m", 0, nil),
        (
            "escapes stay, in either case", "https://shop.example/%2f%2F%c3%BC.jpg?a=%20", "m", 0,
            nil
        ),
        ("percent signs that begin no escape", "https://shop.example/100%_%4g%.jpg", "m", 0, nil),
        (
            "characters that stay",
            "https://shop.example/-._~!$&'()*+,;=:@/a.jpg?-._~!$&'()*+,;=:@/?", "m", 0, nil
        ),
        (
            "characters that are escaped",
            "https://shop.example/\"<>[]^`{|}.jpg?\"<>[]^`{|}\\", "m", 0, nil
        ),
        ("scheme and host in capitals", "HTTPS://Shop.EXAMPLE/A.jpg", "m", 0, nil),
        ("a port stays, also the scheme's own", "https://shop.example:443/a.jpg", "m", 0, nil),
        ("http", "http://shop.example:80/a.jpg", "m", 0, nil),
        ("neither path nor query", "https://shop.example", "m", 0, nil),
        ("a query without a path", "https://shop.example?a=1", "m", 0, nil),
        ("segments of dots stay", "https://shop.example/b/../a.jpg", "m", 0, nil),
        ("backslashes of a path", "https://shop.example\\b\\a.jpg", "m", 0, nil),
        (
            "blanks around, a tab and a line end within",
            " \thttps://shop.example/a\t.j\npg\r\n", "m", 0, nil
        ),
        (
            "a host name beyond ASCII: make it xn--… first", "https://Bücher.example/a.jpg", "m", 0,
            nil
        ),
        ("the IIIF service of a picture", picture, "iiif", 0, nil),
        ("the same with an expiry", picture, "iiif", 0, end),
    ]

    private static func accepted() throws -> [Accepted] {
        try signed.map { about, url, level, key, expires in
            let signature = URLSignature(keys: keys[key])
            let item = try SignedURL.item(of: url)
            let date = expires.map { Date(timeIntervalSince1970: TimeInterval($0)) }
            return Accepted(
                about: about, key: keys[key], level: level, url: url, expires: expires,
                normalForm: try #require(SignedURL.url(of: item)), base64url: item.id,
                message: URLSignature.message(
                    level: level, encodedURL: item.id, expires: expires),
                signature: try signature.sign(level: level, encodedURL: item.id, expires: date),
                path: try SignedPath.of(item, level: level, expires: date, by: signature))
        }
    }

    // MARK: - Refused

    /// Returns a path that is signed right but for what a vector changes.
    ///
    /// - Parameters:
    ///   - text: is signed, whether or not it is a URL.
    ///   - padding: behind its base64url.
    ///   - change: of the path.
    private static func path(
        _ text: String = picture, signedFor level: String = "m", key: String = keys[0],
        expires: Int? = nil, padding: String = "",
        _ change: (String) -> String = { $0 }
    ) throws -> String {
        let date = expires.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        let item = Item(
            source: SignedURL.name, kind: SignedURL.kind,
            id: Base64URL.encode(Array(text.utf8)) + padding)
        return change(
            try SignedPath.of(
                item, level: level, expires: date, by: URLSignature(keys: key)))
    }

    /// Returns a path whose signature is another text.
    private static func resigned(_ path: String, _ change: (String) -> String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        parts[4] = change(parts[4])
        return parts.joined(separator: "/")
    }

    private static func requests() throws -> [(about: String, path: String)] {
        func hex(_ signature: String) -> String {
            (Base64URL.decode(signature) ?? []).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0\(digits)" : digits
            }.joined()
        }
        let later = end + 1
        return [
            ("signed for another level", try path { $0.replacing("/t/m/", with: "/t/l/") }),
            (
                "signed for another URL",
                try path {
                    $0.replacing(
                        Base64URL.encode(Array(picture.utf8)),
                        with: Base64URL.encode(Array("https://shop.example/b.jpg".utf8)))
                }
            ),
            ("signed with a key that the service doesn't have", try path(key: "strange-key")),
            ("a signature in hexadecimal", resigned(try path(), hex)),
            ("a signature with padding", resigned(try path()) { "\($0)=" }),
            ("a signature that is cut off", resigned(try path()) { String($0.dropLast(2)) }),
            ("the word image in place of a signature", resigned(try path()) { _ in "image" }),
            ("an expiry that isn't signed", try path { "\($0)?expires=\(end)" }),
            ("a signed expiry that is missing", try path(expires: end) { cut($0) }),
            (
                "another expiry than the signed one",
                try path(expires: end) { $0.replacing("\(end)", with: "\(later)") }
            ),
            ("an expiry that isn't a number", try path { "\($0)?expires=2100-01-01" }),
            ("a signed expiry that is over", try path(expires: 1_000_000_000)),
            (
                "a URL that is encoded with padding",
                try path("https://shop.example/ab.jpg", padding: "=")
            ),
            ("not an absolute URL", try path("shop.example/a.jpg")),
            ("a scheme that is neither http nor https", try path("ftp://shop.example/a.jpg")),
            ("no host", try path("https:///a.jpg")),
            ("a blank in the host", try path("https://shop example/a.jpg")),
            ("a host name with a bar", try path("https://shop|1.example/a.jpg")),
            ("user-info", try path("https://me:secret@shop.example/a.jpg")),
            ("a port other than 80 and 443", try path("https://shop.example:8443/a.jpg")),
            ("a host outside url.hosts", try path("https://other.example/a.jpg")),
            ("an address of a private network", try path("http://10.0.0.1/a.jpg")),
            ("a level that is not configured", try path(signedFor: "huge")),
            ("an extension that is not offered", try path { "\($0).gif" }),
            (
                "a path without its signature",
                try path {
                    let parts = $0.split(separator: "/")
                    return "/t/m/url/\(parts[parts.count - 1])"
                }
            ),
        ]
    }

    private static func cut(_ path: String) -> String { String(path.prefix { $0 != "?" }) }

    private func refused() async throws -> [Refused] {
        var refused: [Refused] = []
        for (about, path) in try Self.requests() {
            let harness = try await Harness(configure: {
                $0.urlSignature = URLSignature(keys: Self.keys.joined(separator: ","))
            })
            try await withHarness(harness) { harness in
                harness.reload(urlHosts: Self.hosts.map { HostPattern($0) })
                let response = await ask(harness, path, [.accept: "application/json"])
                let problem = try json(response)
                refused.append(
                    Refused(
                        about: about, path: path, status: response.status.code,
                        type: try #require(problem["type"] as? String),
                        detail: try #require(problem["detail"] as? String)))
            }
        }
        return refused
    }

    // MARK: - Tests

    @Test func `the vectors for programs that sign are what the service does`() async throws {
        let made = Vectors(
            keys: Self.keys.joined(separator: ","), hosts: Self.hosts,
            accepted: try Self.accepted(), refused: try await refused())
        if ProcessInfo.processInfo.environment["FREEZE"] != nil {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(made).write(to: Self.file)
        }
        let frozen = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: Self.file))
        for (vector, known) in zip(made.accepted, frozen.accepted) { #expect(vector == known) }
        for (vector, known) in zip(made.refused, frozen.refused) { #expect(vector == known) }
        #expect(made == frozen)
    }

    @Test func `every path of the vectors that is accepted has a signature of one of the keys`()
        throws
    {
        let signature = URLSignature(keys: Self.keys.joined(separator: ","))
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for vector in try Self.accepted() {
            try signature.check(
                vector.signature, level: vector.level, encodedURL: vector.base64url,
                expires: vector.expires, now: now)
            #expect(vector.path.contains(vector.signature))
        }
    }
}
