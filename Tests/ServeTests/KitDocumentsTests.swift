import Foundation
import Imaging
import PipelineSupport
import Testing
import VitrineKit

@testable import Serve

/// VitrineKit reads what `/openapi.json` describes.
@Suite(.timeLimit(.minutes(1))) struct KitDocumentsTests {
    /// Makes values of a schema of the description.
    private struct Samples {
        let schemas: [String: Any]
        /// Whether members that may be missing are, and those that may be null are.
        let isSparse: Bool

        func value(of name: String) -> Any { value(schemas[name] as? [String: Any] ?? [:]) }

        private func value(_ schema: [String: Any]) -> Any {
            if let name = schema["$ref"] as? String {
                return value(of: String(name.split(separator: "/").last ?? ""))
            }
            if let choices = schema["anyOf"] as? [[String: Any]] {
                return isSparse ? NSNull() : value(choices[0])
            }
            if let types = schema["type"] as? [String] {
                if isSparse, types.contains("null") { return NSNull() }
                return value(schema.merging(["type": types[0]]) { _, new in new })
            }
            switch schema["type"] as? String {
            case "object": return object(schema)
            case "array": return [value(schema["items"] as? [String: Any] ?? [:])]
            case "integer": return 7
            case "number": return 1.5
            case "boolean": return true
            default:
                if let first = (schema["enum"] as? [String])?.first { return first }
                return schema["format"] == nil ? "text" : "2026-01-02T03:04:05Z"
            }
        }

        private func object(_ schema: [String: Any]) -> [String: Any] {
            if let member = schema["additionalProperties"] as? [String: Any] {
                return ["some": value(member)]
            }
            guard let properties = schema["properties"] as? [String: [String: Any]] else {
                // A track, whose members the description leaves open.
                return ["title": "text", "disc": 1, "number": 2, "milliseconds": 3]
            }
            let required = schema["required"] as? [String] ?? []
            return properties.filter { !isSparse || required.contains($0.key) }
                .mapValues { value($0) }
        }
    }

    private func samples(isSparse: Bool) async throws -> Samples {
        try await withHarness { harness in
            let document = try json(await ask(harness, "/openapi.json"))
            let components = try #require(document["components"] as? [String: Any])
            return Samples(
                schemas: try #require(components["schemas"] as? [String: Any]), isSparse: isSparse)
        }
    }

    /// Returns a sample, and the same after the kit has read and written it.
    private func bothWays<Document: Codable>(
        _ sample: Any, _ type: Document.Type
    ) throws -> (given: NSDictionary, written: NSDictionary) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let document = try decoder.decode(
            type, from: JSONSerialization.data(withJSONObject: sample))
        let written = try JSONSerialization.jsonObject(with: encoder.encode(document))
        return (try #require(sample as? NSDictionary), try #require(written as? NSDictionary))
    }

    @Test func `VitrineKit keeps every member that the OpenAPI document describes`() async throws {
        let samples = try await samples(isSparse: false)
        let documents = [
            try bothWays(samples.value(of: "Item"), VitrineKit.Item.self),
            try bothWays(samples.value(of: "Page"), VitrineKit.Page.self),
            try bothWays(samples.value(of: "Problem"), VitrineKit.Problem.self),
            try bothWays(samples.value(of: "Service"), VitrineKit.ServiceDescription.self),
        ]
        for document in documents { #expect(document.given == document.written) }
    }

    @Test func `VitrineKit reads documents without their optional members`() async throws {
        let samples = try await samples(isSparse: true)
        _ = try bothWays(samples.value(of: "Item"), VitrineKit.Item.self)
        _ = try bothWays(samples.value(of: "Page"), VitrineKit.Page.self)
        _ = try bothWays(samples.value(of: "Problem"), VitrineKit.Problem.self)
        _ = try bothWays(samples.value(of: "Service"), VitrineKit.ServiceDescription.self)
    }

    @Test func `the levels that VitrineKit expects are those of a service without settings`() {
        let standard = VitrineKit.Level.standard.map { "\($0.name) \($0.width) \($0.height)" }
        let defaults = Imaging.Level.defaults.map { "\($0.name) \($0.width) \($0.height)" }
        #expect(standard == defaults)
    }

    @Test func `VitrineKit reads what a service answers`() async throws {
        try await withHarness { harness in
            harness.serveShow(1, medium: nil)
            let decoder = JSONDecoder()
            let item = try decoder.decode(
                VitrineKit.Item.self,
                from: Data(await ask(harness, "/v1/tvmaze/show/1").body))
            #expect(item.id == "tvmaze/show/1" && item.shortID == "1")
            #expect(item.detail?.item == "tvmaze/poster/1")
            #expect(item.thumbnails["m"]?.isBox == true)
            let service = try decoder.decode(
                VitrineKit.ServiceDescription.self, from: Data(await ask(harness, "/v1").body))
            #expect(service.levels == VitrineKit.Level.standard)
            let refused = try decoder.decode(
                VitrineKit.Problem.self, from: Data(await ask(harness, "/v1/nothing/a/1").body))
            #expect((refused.name, refused.status) == ("unknown-source", 404))
        }
    }
}
