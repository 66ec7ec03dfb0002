import Catalog
import Fetch
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Addresses that signed URLs must not reach under any name. Only loopback is allowed here.
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
        let answer = await Responder(harness.pipeline, ServerConfiguration()).answer(
            Request(
                method: .get, target: "/t/\(path)/url/\(code)/\(encoded)\(end)",
                fields: [.accept: "application/json"]))
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return (answer.status.code, try #require(object?["detail"] as? String))
    }

    @Test(arguments: [
        // 10.0.0.1 in every base and length.
        "http://10.0.0.1/", "http://167772161/", "http://0xa000001/", "http://0xA.0.0.0x1/",
        "http://012.0.0.01/", "http://10.1/", "http://10.0.1/", "http://10.0.0.1./",
        // Other networks that are not public.
        "http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://192.168.1.1/",
        "http://172.16.0.1/", "http://100.64.0.1/", "http://0.0.0.0/", "http://224.0.0.1/",
        "http://255.255.255.255/", "http://198.18.0.1/",
        // IPv6, and IPv4 within it.
        "http://[::]/", "http://[::1]/", "http://[fe80::1]/", "http://[fc00::1]/",
        "http://[ff02::1]/", "http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]/",
        "http://[::10.0.0.1]/", "http://[64:ff9b::a00:1]/", "http://[2002:a00:1::]/",
        "http://[2001:0:0:0:0:0:f5ff:fffe]/", "http://[fe80::5efe:10.0.0.1]/",
        "http://[fe80::1%25eth0]/",
        // Dots of other scripts.
        "http://10。0。0。1/", "http://１０.0.0.1/",
    ])
    func `a signed URL to a private address is refused in any spelling`(url: String) async throws {
        try await withHarness(harness()) { harness in
            let (status, detail) = try await ask(harness, url)
            #expect(status == 403 || status == 400, "\(status) \(detail)")
            #expect(detail.hasSuffix(".") && !detail.contains("\n"), "\(detail)")
            #expect(harness.origin.log.requests.isEmpty)
        }
    }

    @Test(arguments: [
        "ftp://static.tvmaze.com/a.jpg", "file:///etc/passwd", "gopher://static.tvmaze.com/",
        "data:image/png;base64,AAAA", "//static.tvmaze.com/a.jpg", "static.tvmaze.com/a.jpg", "",
        "http://", "http:///a.jpg", "https://static.tvmaze.com:22/a.jpg",
        "http://static.tvmaze.com:8080/a.jpg", "http://static.tvmaze.com:99999/a.jpg",
        "https://user:secret@static.tvmaze.com/a.jpg", "https://static.tvmaze.com@10.0.0.1/a.jpg",
        "https://static.tvmaze.com\\@10.0.0.1/a.jpg", "https://static.tvmaze.com/a\r\nHost: b",
        "https://static.tvmaze.com/\u{0}",
    ])
    func `a signed URL that is not http or https on a standard port is refused`(url: String)
        async throws
    {
        try await withHarness(harness()) { harness in
            let (status, detail) = try await ask(harness, url)
            #expect(status == 403 || status == 400, "\(status) \(detail)")
            #expect(!detail.contains("secret") && !detail.contains("\n"), "\(detail)")
            #expect(harness.origin.log.requests.isEmpty)
        }
    }

    @Test(arguments: [
        "http://10.0.0.1/", "https://[::ffff:192.168.0.1]/", "http://2852039166/",
        "ftp://static.tvmaze.com/a.jpg", "https://static.tvmaze.com:22/",
    ])
    func `a redirect to a private address is refused`(location: String) async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/a.jpg", .redirect(to: location))
            let (status, _) = try await ask(harness, "https://static.tvmaze.com/a.jpg")
            #expect(status == 403)
            #expect(harness.origin.log.requests.count == 1)
        }
    }

    /// `localhost` goes through the system's resolver; of the others the network is told what to
    /// answer.
    @Test(arguments: [
        nil, "127.0.0.1", "10.0.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "0.0.0.0", "[::1]", "[fd00::1]", "[fe80::1]", "[::ffff:10.0.0.1]",
        "[64:ff9b::a00:1]",
    ])
    func `a name that resolves to a private address is refused`(address: String?) async throws {
        let name = address == nil ? "localhost" : "pictures.example"
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

    @Test(arguments: [
        "a", "aHR0cA==", "aHR0cHM6Ly9h%2Bb", "aHR0c!", "aHR0cHM6Ly9zdGF0aWMudHZtYXplLmNvbS9", "_w",
        "aHR0cDovL2EvIA", "w6k", "aHR0cHM6Ly9leGFtcGxlLm9yZ_", "-",
        String(repeating: "A", count: 9),
    ])
    func `a signed text that is not a URL is rejected`(encoded: String) async throws {
        try await withHarness(harness()) { harness in
            let code = try Self.signature.sign(level: "s", encodedURL: encoded, expires: nil)
            for path in ["\(code)/\(encoded)", "\(code)/\(encoded).webp", "none/\(encoded)"] {
                let answer = await Responder(harness.pipeline, ServerConfiguration()).answer(
                    Request(method: .get, target: "/t/s/url/\(path)", fields: [:]))
                #expect(answer.status == .badRequest, "\(path)")
                #expect(answer.fields[.contentType] == "application/problem+json")
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(text.contains("base64url") || text.contains("URL"), "\(text)")
            }
        }
    }

    @Test(arguments: ["", "-", "=", "A", "%3D", String(repeating: "A", count: 43), "../s", "a.b"])
    func `an invalid signature is rejected`(signature: String) async throws {
        try await withHarness(harness()) { harness async throws in
            let encoded = Base64URL.encode(Array("https://static.tvmaze.com/a.jpg".utf8))
            let answer = await Responder(harness.pipeline, ServerConfiguration()).answer(
                Request(method: .get, target: "/t/s/url/\(signature)/\(encoded)", fields: [:]))
            #expect([400, 403, 404].contains(answer.status.code), "\(answer.status)")
            #expect(answer.fields[.contentType] == "application/problem+json")
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
            let good = await Responder(harness.pipeline, ServerConfiguration()).answer(
                Request(method: .get, target: "/t/s/url/\(code)/\(encoded)", fields: [:]))
            #expect(good.status == .ok)
        }
    }
}
