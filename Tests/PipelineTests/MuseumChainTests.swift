import Catalog
import Fetch
import FoundationEssentials
import Imaging
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Store
import TestSupport
import Testing

private func harness() async throws -> Harness {
    let harness = try await Harness()
    harness.serveMuseum()
    return harness
}

/// The museum's whole chain, object → VisualItem → DigitalObject → size → picture. `MuseumWalkTests`
/// has what each hop may answer.
@Suite(.timeLimit(.minutes(1))) struct MuseumChainTests {
    private func picture(_ harness: Harness) async throws -> Picture {
        try await harness.pipeline.pictures.picture(
            of: harness.museumObject(), level: try harness.pipeline.level("m"),
            format: .jpeg
        ).picture
    }

    /// What was told and done on the last walk, one line a step.
    private func story(_ harness: Harness) async throws -> [String] {
        let trace = try await harness.pipeline.pictures.explain(
            harness.museumObject(), resolving: false
        ).trace
        return try #require(trace).steps.map { "\($0.label): \($0.outcome): \($0.note)" }
    }

    @Test func `the picture is asked for in the size wanted, after five calls`() async throws {
        try await withHarness(harness()) { harness in
            let picture = try await picture(harness)
            #expect((picture.facts.width, picture.facts.height) == (320, 240))
            #expect(harness.origin.log.requests.map(\.path) == Harness.museumHops())
            #expect(
                harness.origin.log.requests.prefix(3)
                    .allSatisfy { $0.header("accept") == "application/ld+json" })
            #expect(
                try await story(harness) == [
                    "catalog rijksmuseum/object/1: followed: asked", "IIIF 320×240: chosen: 200",
                ])
            let details = try await harness.pipeline.catalog.details(of: harness.museumObject())
                .details
            #expect(details.entry.rights == "https://creativecommons.org/publicdomain/mark/1.0/")
        }
    }

    @Test func `the absence of a picture is remembered for a day`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on(
                "/21", .json(#"{"id":"https://id.rijksmuseum.nl/21","type":"VisualItem"}"#))
            let failure = try #require(try await picture(harness).failure)
            #expect(failure.kind == .absent)
            #expect(failure.reason == "Rijksmuseum has no picture of object 1.")
            #expect(failure.until.timeIntervalSince(harness.clock.now) == 86_400)
            // A day later there may be one.
            harness.serveMuseum()
            harness.clock.advance(by: 86_401)
            #expect(try await picture(harness).facts.width == 320)
        }
    }

    @Test func `the id host may answer with one redirect to the data host`() async throws {
        try await withHarness(harness()) { harness async throws in
            for number in [1, 21, 31] {
                harness.origin.on(
                    "/\(number)", host: "id.rijksmuseum.nl",
                    .redirect(to: "https://data.rijksmuseum.nl/\(number)", status: 303))
            }
            harness.origin.on("/1", host: "data.rijksmuseum.nl", .json(Harness.museumRecord(1)))
            harness.origin.on(
                "/21", host: "data.rijksmuseum.nl",
                .json(#"{"id":"x","digitally_shown_by":"https://id.rijksmuseum.nl/31"}"#))
            harness.origin.on(
                "/31", host: "data.rijksmuseum.nl", .json(Harness.digitalObject(1).text))
            #expect(try await picture(harness).facts.width == 320)
        }
    }

    @Test func `an outage passes, and hops that answered are not asked again`() async throws {
        try await withHarness(harness()) { harness async throws in
            harness.origin.on("/31", .status(503))
            #expect(try await picture(harness).failure?.kind == .unavailable)
            harness.clock.advance(by: 31)
            harness.serveMuseum()
            #expect(try await picture(harness).facts.width == 320)
            #expect(harness.origin.log.count("/1") == 1)
            #expect(harness.origin.log.count("/21") == 1)
            #expect(harness.origin.log.count("/31") == 5)
        }
    }
}

/// How long the museum's answers are used, and its pages in parts.
@Suite(.timeLimit(.minutes(1))) struct MuseumPageTests {
    private func details(_ harness: Harness) async throws -> DetailsAnswer {
        try await harness.pipeline.catalog.details(of: harness.museumObject())
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
}
