import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Responses that contain the host of their request, and what caches may do with them.
@Suite(.timeLimit(.minutes(1))) struct RequestedHostTests {
    private static let documents = [
        "/iiif/3/tvmaze%2Fshow%2F1/info.json", "/iiif/2/tvmaze%2Fshow%2F1/info.json",
        "/iiif/presentation/3/tvmaze/shows?page=0",
        "/iiif/presentation/3/tvmaze%2Fshow%2F1/manifest",
    ]

    private func harness(
        _ configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) async throws -> Harness {
        let harness = try await Harness(configure: configure)
        harness.servePicture(width: 680, height: 1000, maxAge: 100)
        harness.origin.on(
            "/shows", host: Harness.apiHost,
            .json("[\(Harness.show(1, medium: nil)),\(Harness.show(2, medium: nil))]"))
        return harness
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var host: String?
        var publicURL: String?
        var hosts: [String] = []
        /// What the URLs of a document begin with.
        var start: String
        var isKept: Bool

        var testDescription: String { "\(host ?? "no host") \(publicURL ?? "") \(hosts)" }
    }

    static let cases = [
        Case(host: "evil.example", start: "http://evil.example", isKept: false),
        Case(host: "localhost", start: "http://localhost", isKept: false),
        Case(host: "127.0.0.1:8080", start: "http://127.0.0.1:8080", isKept: false),
        Case(host: nil, start: "http://localhost", isKept: false),
        Case(
            host: "evil.example", publicURL: "https://pictures.example",
            start: "https://pictures.example", isKept: true),
        Case(
            host: nil, publicURL: "https://pictures.example/", start: "https://pictures.example",
            isKept: true),
        Case(
            host: "pictures.example", hosts: ["pictures.example"], start: "http://pictures.example",
            isKept: true),
        Case(
            host: "Pictures.Example.:80", hosts: ["pictures.example"],
            start: "http://pictures.example", isKept: true),
        // Caches that don't know ports would answer others with this one.
        Case(
            host: "pictures.example:81", hosts: ["pictures.example"],
            start: "http://pictures.example:81", isKept: false),
        Case(
            host: "pictures.example.evil.example", hosts: ["pictures.example"],
            start: "http://pictures.example.evil.example", isKept: false),
        Case(
            host: "evil.example", hosts: ["pictures.example"], start: "http://evil.example",
            isKept: false),
    ]

    @Test(arguments: cases)
    func `caches keep a document with a host only if the settings know that host`(
        one: Case
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.publicURL = one.publicURL
        configuration.hosts = one.hosts
        let harness = try await harness {
            $0.tagFields = [.surrogateKey]
            $0.freshness.clientLimit = 30
        }
        try await withHarness(harness) { [configuration] harness async throws in
            for target in Self.documents {
                let answer = await ask(
                    harness, target, authority: one.host, configuration: configuration)
                #expect(answer.status == .ok, "\(target)")
                let document = try json(answer)
                let id = try #require(document["id"] as? String ?? document["@id"] as? String)
                #expect(id.hasPrefix("\(one.start)/iiif/"), "\(target)")
                let control = answer.fields[.cacheControl]
                if one.isKept {
                    #expect(control?.hasPrefix("public, max-age=") == true, "\(target)")
                } else {
                    #expect(control == "private, no-store", "\(target)")
                    #expect(answer.fields[.cdnCacheControl] == nil, "\(target)")
                }
                #expect(answer.fields[.constant("Surrogate-Key")]?.contains("tvmaze/") == true)
            }
        }
    }

    @Test func `no response that caches keep contains a host that the settings don't know`()
        async throws
    {
        let targets =
            Self.documents + [
                "/", "/openapi.json", "/t/m/tvmaze/show/1", "/t/m/tvmaze/show/9",
                "/o/tvmaze/show/1",
                "/v1/tvmaze/shows?page=0", "/v1/tvmaze/show/1", "/sheet/s/tvmaze/shows.json?page=0",
                "/sheet/s/tvmaze/shows.webp?page=0", "/iiif/3/tvmaze%2Fshow%2F1",
                "/iiif/3/tvmaze%2Fshow%2F1/full/100,/0/default.jpg",
                "/iiif/2/tvmaze%2Fshow%2F1/full/max/0/default.png",
                "/iiif/3/tvmaze%2Fshow%2F1/full/max/33/default.jpg", "/v1/status", "/healthz",
                "/nothing", "/v1/nothing/x", "/metrics",
            ]
        let evil = "evil-host.example"
        var fields: HTTPFields = [
            .origin: "http://\(evil)", .referer: "http://\(evil)/", .userAgent: evil,
            .cookie: "a=\(evil)",
        ]
        for name in [
            "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Server", "X-Forwarded-Prefix",
            "X-Original-URL", "X-Rewrite-URL", "X-Host", "X-Original-Host",
        ] { fields[.constant(name)] = evil }
        fields[.constant("Forwarded")] = "host=\(evil);proto=\(evil)"
        try await withHarness(harness()) { [fields] harness async throws in
            for target in targets {
                var answer = await ask(harness, target, fields, authority: evil)
                answer.body = try await answer.collected()
                let isKept = answer.fields[.cacheControl]?.contains("no-store") != true
                #expect(
                    !isKept || !String(decoding: answer.body, as: UTF8.self).contains(evil),
                    "\(target)")
                for field in answer.fields { #expect(!field.value.contains(evil), "\(target)") }
            }
        }
    }

    /// nginx before 1.23 takes the last of several lines for all.
    @Test(arguments: [
        ("/v1/tvmaze/shows?page=0", "Origin, Sec-Fetch-Site, Accept-Language, Accept-Encoding"),
        ("/v1/tvmaze/show/1", "Origin, Sec-Fetch-Site, Accept-Language, Accept-Encoding"),
        ("/", "Accept-Encoding"), ("/openapi.json", "Accept-Encoding"),
        ("/iiif/presentation/3/tvmaze%2Fshow%2F1/manifest", "Accept, Accept-Language"),
        ("/iiif/presentation/3/tvmaze/shows?page=0", "Accept, Accept-Language"),
        ("/v1/favorites", "Accept-Language, Origin, Sec-Fetch-Site"),
        ("/sheet/s/tvmaze/shows?page=0&title=o", "Accept, Accept-Language"),
        ("/t/m/tvmaze/show/1", "Accept"),
    ])
    func `what a response depends on is in one line of Vary`(target: String, vary: String)
        async throws
    {
        try await withHarness(harness()) { harness async throws in
            let answer = await ask(harness, target, authority: "127.0.0.1:8080")
            #expect(answer.status == .ok)
            #expect(answer.fields[values: .vary] == [vary])
        }
    }
}
