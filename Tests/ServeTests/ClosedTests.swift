import Catalog
import Fetch
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// What signed URLs must not reach. `TargetTests`, `AddressPolicyTests` and `FetcherRedirectTests` have
/// every spelling and range; here each kind of refusal reaches the client. Only loopback is allowed.
@Suite(.timeLimit(.minutes(1))) struct ClosedTests {
    private static let signature = URLSignature(keys: "one-key,another-key")

    private func harness(
        _ adjust: (inout FetchConfiguration) -> Void = { _ in }
    ) async throws -> Harness {
        try await Harness(adjust, configure: { $0.urlSignature = Self.signature })
    }

    private func ask(
        _ harness: Harness, _ url: String, signedAs level: String = "s", path: String = "s",
        by signature: URLSignature = signature, expires: Date? = nil
    ) async throws -> (status: Int, detail: String) {
        let encoded = Base64URL.encode(Array(url.utf8))
        let code = try signature.sign(level: level, encodedURL: encoded, expires: expires)
        let end = expires.map { "?expires=\(Int($0.timeIntervalSince1970))" } ?? ""
        let answer = await ServeTests.ask(
            harness, "/t/\(path)/url/\(code)/\(encoded)\(end)", [.accept: "application/json"])
        return (answer.status.code, try #require(try json(answer)["detail"] as? String))
    }

    @Test(arguments: [
        "http://10.0.0.1/", "http://[::ffff:a00:1]/", "file:///etc/passwd",
        "static.tvmaze.com/a.jpg",
        "https://static.tvmaze.com:22/a.jpg", "https://user:secret@static.tvmaze.com/a.jpg",
        "https://static.tvmaze.com\r\nHost: b/a",
    ])
    func `a signed URL to a private address, or other than http on a standard port, is refused`(
        url: String
    ) async throws {
        try await withHarness(harness()) { harness in
            let (status, detail) = try await ask(harness, url)
            #expect(status == 403 || status == 400, "\(status) \(detail)")
            #expect(detail.hasSuffix("."), "\(detail)")
            #expect(!detail.contains("secret") && !detail.contains("\n"), "\(detail)")
            #expect(harness.origin.log.requests.isEmpty)
        }
    }

    @Test func `line ends of a signed URL never reach the origin`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await ask(harness, "https://static.tvmaze.com/a\r\nHost: b")
            let requests = harness.origin.log.requests
            #expect(requests.map(\.path) == ["/aHost:%20b"])
            #expect(requests.first?.host == "static.tvmaze.com")
        }
    }

    @Test func `a redirect to a private address is refused`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/a.jpg", .redirect(to: "http://10.0.0.1/"))
            let (status, _) = try await ask(harness, "https://static.tvmaze.com/a.jpg")
            #expect(status == 403)
            #expect(harness.origin.log.requests.count == 1)
        }
    }

    /// `localhost` goes through the system's resolver; for the other the network is told what to answer.
    @Test(arguments: [("localhost", nil), ("pictures.example", "10.0.0.1")])
    func `a name that resolves to a private address is refused`(
        name: String, address: String?
    ) async throws {
        try await withHarness(
            harness {
                $0.allowedNetworks = []
                $0.retry.attempts = 1
                if let address { $0.connectTo.append("\(name):80:\(address):80") }
            }
        ) { harness in
            for host in [name, name.uppercased()] {
                let (status, detail) = try await ask(harness, "http://\(host)/a.jpg")
                #expect(status == 403, "\(host): \(status) \(detail)")
            }
            #expect(harness.origin.log.requests.isEmpty)
        }
    }

    @Test func `a redirect to a name with a private address is refused`() async throws {
        try await withHarness(harness { $0.connectTo.append("inner.example:80:10.0.0.1:80") }) {
            harness in
            harness.origin.on("/a.jpg", .redirect(to: "http://inner.example/b.jpg"))
            let (status, detail) = try await ask(harness, "https://static.tvmaze.com/a.jpg")
            #expect(status == 403 && detail.contains("inner.example"), "\(status) \(detail)")
        }
    }

    @Test func `a signed text that is not a URL is rejected`() async throws {
        try await withHarness(harness()) { harness in
            let texts = ["ftp://a/", "http://a b/", "é"].map { Base64URL.encode(Array($0.utf8)) }
            for encoded in ["a", "aHR0cA==", "aHR0cHM6Ly9h%2Bb", "-"] + texts {
                let code = try Self.signature.sign(level: "s", encodedURL: encoded, expires: nil)
                for path in ["\(code)/\(encoded)", "\(code)/\(encoded).webp", "none/\(encoded)"] {
                    let answer = await ServeTests.ask(harness, "/t/s/url/\(path)")
                    #expect(answer.status == .badRequest, "\(path)")
                    #expect(answer.fields[.contentType] == "application/problem+json")
                    let text = String(decoding: answer.body, as: UTF8.self)
                    let reasons = ["base64url", "http or https URL", "blank in its host name"]
                    #expect(reasons.contains(where: text.contains), "\(text)")
                }
            }
        }
    }

    @Test func `an invalid signature is rejected`() async throws {
        try await withHarness(harness()) { harness async throws in
            let encoded = Base64URL.encode(Array("https://static.tvmaze.com/a.jpg".utf8))
            for signature in ["", "-", "%3D", String(repeating: "A", count: 43), "../s", "a.b"] {
                let answer = await ServeTests.ask(harness, "/t/s/url/\(signature)/\(encoded)")
                #expect([400, 403, 404].contains(answer.status.code), "\(signature)")
                #expect(answer.fields[.contentType] == "application/problem+json")
            }
            #expect(harness.origin.log.requests.isEmpty)
        }
    }

    @Test func `a signature is valid only for its level, URL, expiry and keys`() async throws {
        try await withHarness(harness()) { harness in
            let picture = FixtureImages.jpeg(width: 60, height: 90)
            harness.origin.on("/a.jpg", .ok(picture, type: "image/jpeg"))
            let url = "https://static.tvmaze.com/a.jpg"
            #expect(try await ask(harness, url, signedAs: "m").status == 403)
            let stranger = URLSignature(keys: "no-key")
            #expect(try await ask(harness, url, by: stranger).status == 403)
            let past = harness.clock.now.addingTimeInterval(-1)
            let expired = try await ask(harness, url, expires: past)
            #expect(expired.status == 403 && expired.detail.contains("expired"))
            #expect(harness.origin.log.requests.isEmpty)
            let old = URLSignature(keys: "another-key")
            let encoded = Base64URL.encode(Array(url.utf8))
            let code = try old.sign(level: "s", encodedURL: encoded, expires: nil)
            for (ending, type) in [("", "image/webp"), (".jpg", "image/jpeg")] {
                let good = await ServeTests.ask(harness, "/t/s/url/\(code)/\(encoded)\(ending)")
                #expect(good.status == .ok && good.fields[.contentType] == type)
            }
            let unsigned = await ServeTests.ask(harness, "/t/s/url/image/\(encoded)")
            #expect(unsigned.status == .forbidden || unsigned.status == .badRequest)
        }
    }
}
