import Foundation
import HTTPTypes
import JSON
import Pipeline
import PipelineSupport
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct OpenAPITests {
    /// A path as clients send it for a template of the document.
    private static func example(_ template: String) -> String {
        template.replacing("{digest}", with: "sha256-" + String(repeating: "0", count: 64))
            .replacing("{level}", with: "m").replacing("{id}", with: "1")
            .replacing("{target}", with: "tvmaze/show/1")
            .replacing("{identifier}", with: "tvmaze%2Fshow%2F1").replacing(
                "{region}", with: "full"
            )
            .replacing("{size}", with: "max").replacing("{rotation}", with: "0")
            .replacing("{quality}", with: "default").replacing("{format}", with: "jpg")
            .replacing("{signature}", with: "c2ln").replacing("{url}", with: "aHR0cA")
    }

    /// Exhaustive on purpose: a new route is missed here, then in the document.
    private static func name(_ route: Route) -> String {
        switch route {
        case .thumbnail(_, let source, _, _, _): source == "url" ? "signed" : "thumbnail"
        case .original: "original"
        case .blob: "blob"
        case .catalog: "catalog"
        case .sheet(_, _, _, .picture): "sheet"
        case .sheet(_, _, _, .rectangles): "rectangles"
        case .iiif(let route): route.part == .information ? "information" : "image"
        case .collection: "collection"
        case .manifest: "manifest"
        case .favorites: "favorites"
        case .favorite: "favorite"
        case .history: "history"
        case .recent: "recent"
        case .explanation: "explanation"
        case .status: "status"
        case .health: "health"
        case .readiness: "readiness"
        case .metrics: "metrics"
        case .warm: "warm"
        case .warmRun: "warmRun"
        case .purge: "purge"
        case .service: "service"
        case .blocks: "blocks"
        case .block: "block"
        case .robots: "robots"
        case .description: "description"
        case .gallery: "gallery"
        }
    }

    private static let names: Set = [
        "signed", "thumbnail", "original", "blob", "catalog", "sheet", "rectangles", "favorites",
        "favorite", "history", "health", "readiness", "metrics", "warm", "warmRun", "purge",
        "description", "gallery", "recent", "explanation", "status", "information", "image",
        "collection", "manifest", "blocks", "block", "robots", "service",
    ]

    @Test func `the OpenAPI document matches the routes`() async throws {
        try await withHarness { harness in
            let pipeline = harness.pipeline
            let document = OpenAPIDocument(pipeline.sources.all, pipeline.configuration.levels)
            var found: Set<String> = []
            for operation in document.operations {
                let route = try Route(path: Self.example(operation.path)[...])
                #expect(Set(route.methods) == Set(operation.methods), "\(operation.path)")
                #expect(Set(route.methods).isSubset(of: Methods.possible), "\(operation.path)")
                found.insert(Self.name(route))
                let declared = Set(operation.path.matches(of: /{([a-z]+)}/).map { String($0.1) })
                let given = operation.parameters.compactMap { parameter -> String? in
                    guard parameter["in"] == "path", case .text(let name) = parameter["name"]
                    else {
                        return nil
                    }
                    return name
                }
                #expect(declared == Set(given), "\(operation.path)")
            }
            #expect(found == Self.names)
            #expect(Set(document.operations.map(\.path)).count == document.operations.count)
        }
    }

    @Test func `the OpenAPI document of warming has exactly its problems`() async throws {
        let harness = try await Harness()
        let document = OpenAPIDocument(
            harness.pipeline.sources.all, harness.pipeline.configuration.levels)
        let warm = try #require(document.operations.first { $0.path == "/admin/warm" })
        #expect(Set(warm.problems) == [400, 401, 403, 404, 413, 415, 500, 503])
        try await harness.close()
    }

    @Test func `the OpenAPI document is served as JSON with an entity tag`() async throws {
        try await withHarness { harness in
            let answer = await ask(harness, "/openapi.json")
            #expect(answer.status == .ok)
            #expect(try json(answer)["openapi"] as? String == "3.1.0")
            let tag = try #require(answer.fields[.eTag])
            let again = await ask(harness, "/openapi.json", [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
        }
    }
}
