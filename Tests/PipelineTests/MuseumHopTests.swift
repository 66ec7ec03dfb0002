import Catalog
import Fetch
import FoundationEssentials
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import TestSupport
import Testing

/// How long each hop of the museum's chain is kept, and its pages.
@Suite(.timeLimit(.minutes(1))) struct MuseumHopTests {
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveMuseum()
        return harness
    }

    private func details(_ harness: Harness) async throws -> DetailsAnswer {
        try await harness.pipeline.catalog.details(of: harness.museumObject())
    }

    private func asked(_ harness: Harness) -> [Int] {
        Harness.museumHops().prefix(4).map { harness.origin.log.count($0) }
    }

    @Test func `each hop is kept for its own time, also after a restart`() async throws {
        try await withHarness(harness()) { harness in
            let first = try await details(harness).details
            // The details themselves are fetched again after a quarter of an hour.
            for (days, expected) in [
                (0.5, [1, 1, 1, 1]), (0.6, [2, 1, 1, 1]), (6, [3, 2, 2, 1]), (24, [4, 3, 3, 2]),
            ] {
                harness.clock.advance(by: days * 86_400)
                try await harness.restart()
                #expect(try await details(harness).details == first)
                #expect(asked(harness) == expected)
            }
        }
    }

    @Test(arguments: Harness.museumHops().prefix(4))
    func `while a hop can't be asked, what it said last is used`(path: String) async throws {
        try await withHarness(harness()) { harness in
            let first = try await details(harness).details
            harness.clock.advance(by: 40 * 86_400)
            harness.origin.on(path, .status(503))
            #expect(try await details(harness).details == first)
        }
    }

    @Test func `a malformed answer is not kept, and an answer that is gone is not served`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let first = try await details(harness).details
            harness.clock.advance(by: 2 * 86_400)
            harness.origin.on("/1", .json(MuseumDocument.problem("try later").text))
            let stale = try await details(harness)
            #expect(stale.isStale)
            #expect(stale.details == first)
            harness.clock.advance(by: 31)
            harness.serveMuseum()
            #expect(try await !details(harness).isStale)
            #expect(harness.origin.log.count("/1") == 3)
            harness.clock.advance(by: 2 * 86_400)
            harness.origin.on("/1", .status(404))
            await #expect(throws: Failure.self) { try await details(harness) }
        }
    }

    private func page(
        _ harness: Harness, _ parameters: [String: String] = ["title": "wacht"]
    ) async throws -> PageAnswer {
        try await harness.pipeline.catalog.page(
            harness.pipeline.catalog.query(
                source: "rijksmuseum", list: "objects", parameters: parameters))
    }

    /// The last is spelled in another way than a page's own parameters would be.
    @Test(arguments: [
        "title=wacht&imageAvailable=true&pageToken=eyJ0%3D%3D", "pageToken=eyJ0%3D%3D",
        "pageToken=eyJ0%3D%3D&new=1&title=W%61cht+x",
    ])
    func `the next page is asked for as the museum named it`(query: String) async throws {
        try await withHarness(harness()) { harness in
            harness.serveMuseumPages([
                "": ([10, 11], "https://data.rijksmuseum.nl/search/collection?\(query)"),
                "eyJ0%3D%3D": ([12], nil),
            ])
            let first = try await page(harness)
            #expect(first.items.map(\.entry.title) == ["Watch 10", "Watch 11"])
            #expect(first.total == 7)
            let second = try await harness.pipeline.catalog.page(try #require(first.next))
            #expect(second.items.map(\.entry.title) == ["Watch 12"])
            #expect(second.next == nil)
            #expect(
                harness.origin.log.requests.filter { $0.path == "/search/collection" }.map(\.query)
                    == ["title=wacht&imageAvailable=true", query])
        }
    }

    @Test func `after a restart the next page is asked for by what it is`() async throws {
        try await withHarness(harness()) { harness in
            harness.serveMuseumPages([
                "": ([10], "https://data.rijksmuseum.nl/search/collection?pageToken=a%2Bb"),
                "a%2Bb": ([12], nil),
            ])
            let next = try #require(try await page(harness).next)
            try await harness.restart()
            #expect(try await harness.pipeline.catalog.page(next).items.count == 1)
            #expect(
                harness.origin.log.requests.last { $0.path == "/search/collection" }?.query
                    == "imageAvailable=true&pageToken=a%2Bb")
        }
    }

    private func searches(_ harness: Harness) -> Int {
        harness.origin.log.count("/search/collection")
    }

    @Test func `parts of a page are of one answer, for a quarter of an hour and after a restart`()
        async throws
    {
        try await withHarness(harness()) { harness in
            harness.serveMuseumPages(["": (Array(100..<165), nil)])
            for (part, title) in [(nil, 100), ("1", 120), ("2", 140)] {
                let parameters = part.map { ["part": $0] } ?? [:]
                #expect(
                    try await page(harness, parameters).items.first?.entry.title == "Watch \(title)"
                )
            }
            #expect(searches(harness) == 1)
            try await harness.restart()
            #expect(try await page(harness, ["part": "3"]).items.count == 5)
            #expect(searches(harness) == 1)
            harness.clock.advance(by: 901)
            #expect(try await page(harness, ["part": "1"]).items.count == 20)
            #expect(searches(harness) == 2)
            #expect(try await page(harness, ["part": "2"]).items.count == 20)
            #expect(searches(harness) == 2)
            // A client that starts again gets what the museum has now, and so do the parts after it.
            harness.serveMuseumPages(["": (Array(200..<265), nil)])
            #expect(try await page(harness, [:]).items.first?.entry.title == "Watch 200")
            #expect(searches(harness) == 3)
            #expect(try await page(harness, ["part": "3"]).items.first?.entry.title == "Watch 260")
            #expect(searches(harness) == 3)
        }
    }

    @Test func `after a purge the first part and a later one are asked for again`() async throws {
        try await withHarness(harness()) { harness in
            harness.serveMuseumPages(["": (Array(100..<165), nil)])
            _ = try await page(harness, [:])
            for (count, part) in [(2, "1"), (3, "2")] {
                _ = try await harness.pipeline.purge.run(.source("rijksmuseum"))
                _ = try await page(harness, ["part": part])
                #expect(searches(harness) == count)
            }
        }
    }

    @Test func `an answer of long ago makes no new part while the museum is closed`() async throws {
        try await withHarness(harness()) { harness in
            harness.serveMuseumPages(["": (Array(100..<165), nil)])
            _ = try await page(harness, [:])
            let second = try await page(harness, ["part": "1"])
            await harness.origin.stop()
            harness.clock.advance(by: 901)
            let stale = try await page(harness, ["part": "1"])
            #expect(stale.isStale && stale.items == second.items)
            await #expect(throws: Failure.self) { try await page(harness, ["part": "2"]) }
        }
    }

    @Test func `a page's objects need no second call for their titles`() async throws {
        try await withHarness(harness()) { harness in
            harness.serveMuseumPages(["": ([1], nil)])
            _ = try await page(harness)
            let details = try await details(harness).details
            #expect(!details.chain.isEmpty)
            #expect(harness.origin.log.count("/1") == 1)
        }
    }

    @Test
    func `a page is read at most four objects at once, and served while the museum is closed`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let numbers = Array(100..<120)
            harness.serveMuseumPages(["": (numbers, nil)])
            let first = try await page(harness)
            #expect(first.items.map(\.entry.title) == numbers.map { "Watch \($0)" })
            #expect(harness.origin.log.peaks["id.rijksmuseum.nl", default: 0] <= 4)
            await harness.origin.stop()
            harness.clock.advance(by: 901)
            let stale = try await page(harness)
            #expect(stale.isStale)
            #expect(stale.items == first.items)
        }
    }

    @Test func `one object that can't be read costs its title, a closed museum the page`()
        async throws
    {
        try await withHarness(harness()) { harness async throws in
            harness.serveMuseumPages(["": ([10, 11], nil)])
            harness.origin.on("/10", .status(503))
            #expect(try await page(harness).items.map(\.entry.title) == ["Object 10", "Watch 11"])
            harness.serveMuseumPages(["": ([12, 13], nil)])
            for path in ["/12", "/13"] { harness.origin.on(path, .status(503)) }
            await #expect {
                try await page(harness, ["title": "other"])
            } throws: { error in
                (error as? Failure)?.kind == .sourceUnavailable
            }
        }
    }
}
