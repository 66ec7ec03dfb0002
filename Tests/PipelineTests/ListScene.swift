import Catalog
import Imaging
import PipelineSupport
import Store
import TestSupport

@testable import Pipeline

/// A list of three pictures in front of a pipeline, and their origin.
struct ListScene {
    let directory: TemporaryDirectory
    let harness: Harness

    init(_ rows: String) async throws {
        directory = try TemporaryDirectory()
        let list = ListDefinition(
            name: "posters", title: "Posters", place: directory.file("posters.csv"))
        harness = try await Harness(lists: [list])
        try write(rows)
    }

    func write(_ rows: String) throws {
        try directory.write(Array("sku,title,poster\n\(rows)".utf8), to: "posters.csv")
    }

    /// Has the origin send a picture of this size.
    func serve(_ path: String, width: Int) {
        harness.origin.on(
            path, .ok(FixtureImages.jpeg(width: width, height: 60, seed: 1), type: "image/jpeg")
        )
    }

    func row(_ id: String, _ path: String) -> String {
        "\(id),Title of \(id),https://\(Harness.imageHost)\(path)\n"
    }

    func item(_ id: String) throws -> Item {
        try harness.pipeline.item(source: "posters", kind: "picture", id: id)
    }

    /// Returns the width of a picture; nil for the placeholder.
    func width(_ id: String) async throws -> Int? {
        let pipeline = harness.pipeline
        let answer = try await pipeline.pictures.picture(
            of: item(id), level: try pipeline.level("xs"), format: .jpeg)
        return answer.picture.isPlaceholder ? nil : answer.picture.facts.width
    }

    func asked(_ path: String) -> Int { harness.origin.log.count(path) }

    /// A run over all rows.
    func run(levels: [String] = ["xs"]) throws -> WarmRequest {
        let levels = try levels.map { try harness.pipeline.level($0) }
        return try WarmPlan(
            source: "posters", list: "pictures", words: [], of: harness.pipeline
        ).request(
            renditions: Set(levels.map { Rendition(level: $0, format: .jpeg) }),
            concurrency: 2)
    }

    /// Runs `body` with two rows, of the first two pictures.
    static func with(_ body: (Self) async throws -> Void) async throws {
        let scene = try await Self("")
        try await withHarness(scene.harness) { _ async throws in
            for (path, width) in [("/1.jpg", 10), ("/2.jpg", 20), ("/3.jpg", 30)] {
                scene.serve(path, width: width)
            }
            try scene.write(scene.row("S1", "/1.jpg") + scene.row("S2", "/2.jpg"))
            try await body(scene)
        }
    }
}
