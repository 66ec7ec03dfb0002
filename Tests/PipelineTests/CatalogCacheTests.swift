import Catalog
import FoundationEssentials
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CatalogCacheTests {
    private func harness(pages: Int = 1, perPage: Int = 3) async throws -> Harness {
        let harness = try await Harness()
        harness.origin.on("/shows", host: Harness.apiHost) { request in
            let page = request.query.flatMap { Int($0.dropFirst("page=".count)) } ?? 0
            guard page < pages else {
                return .json(TVMazeProblem.notFound.json.text, status: 404)
            }
            let shows = (1...perPage).map { Harness.show(page * 250 + $0) }
            return .json("[\(shows.joined(separator: ","))]")
        }
        return harness
    }

    private func page(_ harness: Harness, _ number: Int = 0) async throws -> PageAnswer {
        try await harness.pipeline.catalog.page(
            harness.pipeline.catalog.query(
                source: "tvmaze", list: "shows", parameters: ["page": "\(number)"]))
    }

    @Test func `a page is asked for once while it is fresh, also after a restart`() async throws {
        try await withHarness(harness()) { harness in
            let first = try await page(harness)
            #expect(first.items.map(\.entry.title) == ["Show 1", "Show 2", "Show 3"])
            #expect(!first.isStale)
            #expect(first.expiresAt.timeIntervalSince(first.fetchedAt) == 900)
            _ = try await page(harness)
            try await harness.restart()
            #expect(try await page(harness).items == first.items)
            #expect(harness.origin.log.count("/shows") == 1)
        }
    }

    @Test func `reading a fresh page renews it, up to a day after it was fetched`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await page(harness)
            for _ in 0..<95 {
                harness.clock.advance(by: 890)
                _ = try await page(harness)
            }
            #expect(harness.origin.log.count("/shows") == 1)
            for _ in 0..<3 {
                harness.clock.advance(by: 890)
                _ = try await page(harness)
            }
            #expect(harness.origin.log.count("/shows") == 2)
        }
    }

    @Test(arguments: [
        ("itunes", "albums", "term"), ("tmdb", "search", "q"), ("rijksmuseum", "objects", "title"),
    ])
    func `q stands for search words, whatever a source calls them`(
        source: String, list: String, parameter: String
    ) async throws {
        try await withHarness(harness()) { harness in
            func query(_ name: String) throws -> ListQuery {
                try harness.pipeline.catalog.query(
                    source: source, list: list, parameters: [name: "night"])
            }
            let found = try query("q")
            #expect(found.parameters[parameter] == "night")
            let same = try query(parameter)
            #expect(found == same)
        }
    }

    @Test func `a failed call is remembered for 30 s, however often the page is read`() async throws
    {
        try await withHarness(harness()) { harness in
            _ = try await page(harness)
            harness.clock.advance(by: 901)
            harness.origin.on("/shows", host: Harness.apiHost, .status(500))
            #expect(try await page(harness).isStale)
            let asked = harness.origin.log.count("/shows")
            for _ in 0..<2 {
                harness.clock.advance(by: 14)
                #expect(try await page(harness).isStale)
            }
            #expect(harness.origin.log.count("/shows") == asked)
            harness.origin.on("/shows", host: Harness.apiHost, .json("[\(Harness.show(7))]"))
            harness.clock.advance(by: 3)
            #expect(try await page(harness).items.first?.entry.title == "Show 7")
        }
    }

    @Test func `404 is the end of the list, not an error`() async throws {
        try await withHarness(harness()) { harness in
            let end = try await page(harness, 1)
            #expect(end.isPastEnd)
            #expect(end.items.isEmpty)
            #expect(end.next == nil)
        }
    }

    @Test func `the first thousand items by index survive a restart, later ones do not`()
        async throws
    {
        try await withHarness(harness(pages: 5, perPage: 240)) { harness in
            for number in 0..<5 { _ = try await page(harness, number) }
            await harness.origin.stop()
            #expect(try await page(harness, 4).items.count == 240)
            try await harness.restart()
            #expect(try await page(harness, 3).items.count == 240)
            #expect(try await page(harness, 4).items.count == 40)
        }
    }

    @Test func `the next page is read ahead, and only that one`() async throws {
        try await withHarness(harness(pages: 5)) { harness in
            let query = try harness.pipeline.catalog.query(
                source: "tvmaze", list: "shows", parameters: ["page": "0"])
            _ = try await harness.pipeline.catalog.page(query, forClient: true)
            try await harness.origin.wait { $0.count("/shows") == 2 }
            #expect(harness.origin.log.requests.map(\.query) == ["page=0", "page=1"])
            #expect(try await page(harness, 1).items.first?.entry.title == "Show 251")
            #expect(harness.origin.log.count("/shows") == 2)
        }
    }
}

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
