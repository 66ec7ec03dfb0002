import Catalog
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Where signed URLs must not lead, whatever the name it is given; loopback alone is open here.
@Suite struct ClosedTests {
    private static let signature = URLSignature(keys: "one-key,another-key")

    private func harness() async throws -> Harness {
        try await Harness(configure: { $0.urlSignature = Self.signature })
    }

    private func ask(
        _ harness: Harness, _ url: String, signedAs level: String = "s", path: String = "s",
        by signature: URLSignature = signature, expires: Date? = nil
    ) async throws -> (status: Int, detail: String) {
        let encoded = Base64URL.encode(Array(url.utf8))
        let code = try signature.sign(level: level, encodedURL: encoded, expires: expires)
        let end = expires.map { "?expires=\(Int($0.timeIntervalSince1970))" } ?? ""
        let answer = await Responder(harness.pipeline, ServerConfiguration()).answer(
            Question(
                method: .get, target: "/t/\(path)/url/\(code)/\(encoded)\(end)",
                fields: [.accept: "application/json"]))
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return (answer.status.code, try #require(object?["detail"] as? String))
    }

    @Test(arguments: [
        // 10.0.0.1 in every base and length.
        "http://10.0.0.1/", "http://167772161/", "http://0xa000001/", "http://0xA.0.0.0x1/",
        "http://012.0.0.01/", "http://10.1/", "http://10.0.1/", "http://10.0.0.1./",
        // Other networks that nobody outside should see.
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
    func `a private address is refused by any name`(url: String) async throws {
        let harness = try await harness()
        let (status, detail) = try await ask(harness, url)
        #expect(status == 403 || status == 400, "\(status) \(detail)")
        #expect(detail.hasSuffix(".") && !detail.contains("\n"), "\(detail)")
        #expect(harness.origin.log.requests.isEmpty)
        try await harness.close()
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
    func `what is no plain address of the web is refused`(url: String) async throws {
        let harness = try await harness()
        let (status, detail) = try await ask(harness, url)
        #expect(status == 403 || status == 400, "\(status) \(detail)")
        #expect(!detail.contains("secret") && !detail.contains("\n"), "\(detail)")
        #expect(harness.origin.log.requests.isEmpty)
        try await harness.close()
    }

    @Test(arguments: [
        "http://10.0.0.1/", "https://[::ffff:192.168.0.1]/", "http://2852039166/",
        "ftp://static.tvmaze.com/a.jpg", "https://static.tvmaze.com:22/",
    ])
    func `nor does a redirect lead there`(location: String) async throws {
        let harness = try await harness()
        harness.origin.on("/a.jpg", .redirect(to: location))
        let (status, _) = try await ask(harness, "https://static.tvmaze.com/a.jpg")
        #expect(status == 403)
        #expect(harness.origin.log.requests.count == 1)
        try await harness.close()
    }

    @Test func `a signature is for its level, its URL, its time and its keys`() async throws {
        let harness = try await harness()
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
            Question(method: .get, target: "/t/s/url/\(code)/\(encoded)", fields: [:]))
        #expect(good.status == .ok)
        try await harness.close()
    }
}
