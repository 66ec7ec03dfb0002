import Catalog
import FoundationEssentials
import Pipeline
import PipelineSupport
import TestSupport
import Testing

/// Clients of a source that is too slow, while old answers are stored.
@Suite(.timeLimit(.minutes(1))) struct PatienceTests {
    @Test func `an old page is served, and the new one as soon as it is there`() async throws {
        try await withHarness(Harness(patience: 0.01)) { harness in
            let gate = Gate()
            harness.origin.on(
                "/shows", .json("[\(Harness.show(1))]"),
                .json("[\(Harness.show(2))]").delayed(until: gate))
            let query = try harness.pipeline.catalog.query(
                source: "tvmaze", list: "shows", parameters: ["page": "0"])
            // Where none is stored, patience has no limit.
            #expect(try await !harness.pipeline.catalog.page(query, forClient: true).isStale)
            harness.clock.advance(by: 901)
            for _ in 0..<3 {
                let old = try await harness.pipeline.catalog.page(query, forClient: true)
                #expect(old.isStale)
                #expect(old.items.map(\.entry.title) == ["Show 1"])
            }
            gate.open()
            try await eventually {
                try await !harness.pipeline.catalog.page(query, forClient: true).isStale
            }
            let new = try await harness.pipeline.catalog.page(query, forClient: true)
            #expect(new.items.map(\.entry.title) == ["Show 2"])
            #expect(harness.origin.log.requests.filter { $0.query == "page=0" }.count == 2)
        }
    }

    @Test func `an item's old details are served, and the new ones as soon as they are there`()
        async throws
    {
        try await withHarness(Harness(patience: 0.01)) { harness in
            let gate = Gate()
            harness.origin.on(
                "/shows/1", .json(Harness.show(1)), .json(Harness.show(1)).delayed(until: gate))
            let first = try await harness.pipeline.catalog.details(of: harness.item(1))
            #expect(!first.isStale)
            harness.clock.advance(by: 901)
            let old = try await harness.pipeline.catalog.details(of: harness.item(1))
            #expect(old.isStale)
            #expect(old.details == first.details)
            gate.open()
            try await eventually {
                try await !harness.pipeline.catalog.details(of: harness.item(1)).isStale
            }
            #expect(harness.origin.log.count("/shows/1") == 2)
        }
    }

    @Test func `a warm run waits for the new page`() async throws {
        try await withHarness(Harness(patience: 0)) { harness in
            harness.origin.on(
                "/shows", .json("[\(Harness.show(1))]"),
                .json("[\(Harness.show(2))]").dripping(40, every: .milliseconds(1)))
            let query = try harness.pipeline.catalog.query(
                source: "tvmaze", list: "shows", parameters: ["page": "0"])
            _ = try await harness.pipeline.catalog.page(query)
            harness.clock.advance(by: 901)
            let new = try await harness.pipeline.catalog.page(query)
            #expect(new.items.map(\.entry.title) == ["Show 2"])
        }
    }
}
