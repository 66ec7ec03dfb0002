import Catalog
import PipelineSupport
import TestSupport

@testable import Pipeline

/// Nodes with one shared store and one origin.
struct SharedNodes {
    static let picture = FixtureImages.jpeg(width: 400, height: 600, seed: 1)

    var objects = FaultyObjects()

    func node(
        patience: Duration = .seconds(600), purgePatience: Duration = .seconds(600),
        maxWaiting: Int = 100_000, sources: [any Source] = []
    ) async throws -> Harness {
        let harness = try await Harness(
            objects: objects, sources: sources,
            configure: { configuration in
                configuration.shared.patience = patience
                configuration.shared.purgePatience = purgePatience
                configuration.shared.maxWaiting = maxWaiting
            })
        for id in 1...3 {
            harness.serveShow(id)
            harness.origin.on("/medium/\(id).jpg", .jpeg(Self.picture, maxAge: 3_600))
            harness.origin.on("/original/\(id).jpg", .jpeg(Self.picture, maxAge: 3_600))
        }
        return harness
    }

    /// Every request to the origin fails from now on.
    func breakOrigin(_ harness: Harness) {
        harness.origin.on("/*", .status(503))
    }

    func upload(_ harness: Harness) async -> Int {
        await harness.pipeline.uploads?.finish() ?? -1
    }

    /// The items without a reference in the shared store.
    func unlisted(_ items: [Item]) -> [Item] {
        let keys = objects.objects
        return items.filter { keys[SharedKeys.reference($0)] == nil }
    }
}
