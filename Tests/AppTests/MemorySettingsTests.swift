import Imaging
import Memory
import Pipeline
import Serve
import Store
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct MemorySettingsTests {
    private func load(_ environment: [String: String]) throws(ConfigurationError) -> LoadedSettings
    {
        try SettingsLayers(environment: environment, budget: 1 << 30).load()
    }

    @Test func `memory settings that are not set are shares of the budget`() throws {
        let settings = try load([:]).settings
        let shares = try MemoryShares(budget: 1 << 30)
        #expect(settings.imaging.memory == shares.imaging)
        #expect(settings.imaging.isolation.memory == shares.imaging)
        #expect(settings.imaging.queueMemory == shares.originals)
        #expect(settings.pipeline.originalBytes == shares.originals)
        #expect(settings.pipeline.hitBytes == shares.cache)
        #expect(settings.store.unsavedBytes == shares.unsaved)
        #expect(settings.imaging.isolation.idle == shares.idleChildren)
        #expect(settings.server.responseBytes == shares.responses)
        #expect(settings.imaging.maxBytes == 256 << 20)
        // Less memory takes smaller originals.
        let small = try load(["VITRINE_MEMORY_BUDGET": "512MiB"]).settings
        #expect(small.imaging.maxBytes == ByteBudget.largest(of: small.pipeline.originalBytes))
    }

    @Test(
        arguments: [
            (
                ["VITRINE_CACHE_MEMORY": "1GiB"],
                "imaging.memory, cache.memory and the rest of the program need 1233MiB together, which "
                    + "is more than memory.budget (1GiB); lower one of them or raise memory.budget."
            ),
            (
                ["VITRINE_IMAGING_MAX_BYTES": "300MiB"],
                "imaging.maxBytes is 300MiB, which is more than four fifths of the memory for "
                    + "originals (256MiB); lower it or raise memory.budget."
            ),
        ])
    func `sizes that don't fit are a configuration error`(
        environment: [String: String], complaint: String
    ) {
        #expect(throws: ConfigurationError(complaint)) { try load(environment) }
    }

    @Test func `the listing shows the sizes in force`() throws {
        let rows = ConfigurationListing(try load(["VITRINE_CACHE_MEMORY": "200MiB"])).rows
        #expect(rows.contains(["memory.budget", "1GiB", "default (auto)"]))
        #expect(rows.contains(["cache.memory", "200MiB", "environment VITRINE_CACHE_MEMORY"]))
        #expect(rows.contains { $0.first == "imaging.memory" && $0.last == "default (auto)" })
    }
}
