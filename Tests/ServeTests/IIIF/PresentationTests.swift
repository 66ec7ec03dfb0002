import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// The IIIF Presentation API over a whole pipeline, without sockets.
@Suite(.timeLimit(.minutes(1))) struct PresentationTests {
    private static let base = "http://pictures.example"
    private static let root = "\(base)/iiif/presentation/3"

    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.servePicture(width: 680, height: 1000, maxAge: 100)
        harness.origin.on(
            "/shows", host: Harness.apiHost,
            .json("[\(Harness.show(1, medium: nil)),\(Harness.show(2, medium: nil))]"))
        return harness
    }

    private func document(
        _ harness: Harness, _ path: String, _ fields: HTTPFields = [:]
    ) async throws -> (response: Response, json: [String: Any]) {
        let response = await ask(
            harness, "/iiif/presentation/3/\(path)", fields, authority: "pictures.example")
        return (response, try ServeTests.json(response))
    }

    private func first(_ value: Any?) throws -> [String: Any] {
        try #require((value as? [[String: Any]])?.first)
    }

    @Test func `a list is a collection of manifests, with the next page at its end`() async throws {
        try await withHarness(harness()) { harness async throws in
            let (response, json) = try await document(harness, "tvmaze/shows?page=0")
            #expect(response.status == .ok)
            #expect(response.fields[.accessControlAllowOrigin] == "*")
            #expect(json["type"] as? String == "Collection")
            #expect(json["id"] as? String == "\(Self.root)/tvmaze/shows?page=0")
            let items = try #require(json["items"] as? [[String: Any]])
            #expect(items.map { $0["type"] as? String } == ["Manifest", "Manifest", "Collection"])
            #expect(items[0]["id"] as? String == "\(Self.root)/tvmaze%2Fshow%2F1/manifest")
            #expect(items[2]["id"] as? String == "\(Self.root)/tvmaze/shows?page=1")
            let thumbnail = try first(items[0]["thumbnail"])
            #expect(thumbnail["id"] as? String == "\(Self.base)/t/m/tvmaze/show/1.jpg")
            // Nothing is fetched for a list but the list.
            #expect(harness.origin.log.count("/original/1.jpg") == 0)
        }
    }

    @Test func `a manifest has a canvas with the picture's size and service`() async throws {
        try await withHarness(harness()) { harness async throws in
            let (response, json) = try await document(
                harness, "tvmaze%2Fshow%2F1/manifest", [.accept: "application/ld+json"])
            #expect(
                response.fields[.contentType]?.hasPrefix("application/ld+json;profile=") == true)
            let id = "\(Self.root)/tvmaze%2Fshow%2F1/manifest"
            #expect(json["type"] as? String == "Manifest" && json["id"] as? String == id)
            #expect((json["label"] as? [String: [String]])?.values.first?.isEmpty == false)
            let canvas = try first(json["items"])
            #expect([canvas["width"] as? Int, canvas["height"] as? Int] == [680, 1000])
            let annotation = try first(try first(canvas["items"])["items"])
            #expect(annotation["target"] as? String == canvas["id"] as? String)
            let body = try #require(annotation["body"] as? [String: Any])
            let service = "\(Self.base)/iiif/3/tvmaze%2Fshow%2F1"
            #expect(body["id"] as? String == "\(service)/full/max/0/default.jpg")
            #expect(try first(body["service"])["id"] as? String == service)
        }
    }

    @Test func `what is not there has the status of its problem`() async throws {
        try await withHarness(harness()) { harness async throws in
            for (path, status) in [
                ("tvmaze%2Fshow%2Fx/manifest", 404), ("tvmaze/nolist", 404),
                ("nosource/shows", 404),
                ("tvmaze%2Fshow%2F1/canvas", 404), ("tvmaze/shows?from=x", 400),
            ] {
                #expect(try await document(harness, path).response.status.code == status, "\(path)")
            }
        }
    }
}
