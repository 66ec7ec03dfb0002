import Catalog
import FoundationEssentials
import Imaging
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Store
import TestSupport
import Testing

/// What is left of a movie's chain, and for how long it is believed; made up.
@Suite(.timeLimit(.minutes(1))) struct TMDBLeftoversTests {
    private static let movie = Item(source: "tmdb", kind: "movie", id: "7")

    private func picture(_ harness: Harness) async throws -> Picture {
        try await harness.pipeline.pictures.picture(
            of: Self.movie, level: try harness.pipeline.level("m"), format: .jpeg
        ).picture
    }

    private func story(_ harness: Harness) async throws -> [String] {
        let trace = try await harness.pipeline.pictures.explain(Self.movie, resolving: false).trace
        return try #require(trace).steps.map { "\($0.label): \($0.note)" }
    }

    @Test(arguments: [
        (
            OriginReply.status(503),
            "TMDB's movie 7 can't be read: api.themoviedb.org answered 503.", 30.0
        ),
        (.status(404), "TMDB has no movie 7.", 86_400),
    ])
    func `a movie that can't be read shows the backdrop that a list named`(
        reply: OriginReply, reason: String, remembered: Double
    ) async throws {
        try await withHarness { harness in
            harness.serveMovie()
            harness.origin.on("/3/movie/7", reply)
            let movie = TMDBMovie(id: 7, backdrop: "/b.jpg").listed()
            harness.origin.on("/3/movie/popular", .json(TMDBDocument.page([movie]).text))
            _ = try await harness.pipeline.catalog.page(
                harness.pipeline.catalog.query(
                    source: "tmdb", list: "movies/popular", parameters: [:]))
            let picture = try await picture(harness)
            #expect(picture.failure == nil)
            #expect(picture.freshUntil.timeIntervalSince(harness.clock.now) == remembered)
            #expect(
                try await story(harness) == [
                    "catalog tmdb/movie/7: \(reason)", "backdrop w780: 200",
                ])
            let explained = try await harness.pipeline.pictures.explain(
                Self.movie, resolving: false)
            #expect(explained.candidates.map(\.label) == ["backdrop w780"])
        }
    }

    @Test func `a poster that could not be looked for is looked for soon`() async throws {
        try await withHarness { harness in
            harness.serveMovie(namesPoster: false)
            harness.origin.on("/3/movie/7/images", .status(503))
            let backdrop = try await picture(harness)
            #expect(backdrop.freshUntil.timeIntervalSince(harness.clock.now) == 30)
            harness.serveMovie(namesPoster: false)
            harness.clock.advance(by: 901)
            _ = try await harness.pipeline.pictures.ensure(Self.movie, harness.levels)
            #expect(try await story(harness).last == "poster original: 200")
        }
    }

    @Test(arguments: [OriginReply.json("{}"), .status(404)])
    func `an unreadable configuration is asked for again`(reply: OriginReply) async throws {
        try await withHarness { harness in
            harness.serveMovie()
            harness.origin.on("/3/configuration", reply)
            #expect(try await picture(harness).failure?.kind == .unavailable)
            harness.serveConfiguration()
            harness.clock.advance(by: 31)
            #expect(try await picture(harness).failure == nil)
            // And a good one is not, for days, while other calls are.
            harness.clock.advance(by: 2 * 86_400)
            _ = try await harness.pipeline.catalog.details(of: Self.movie)
            #expect(harness.origin.log.count("/3/configuration") == 2)
            #expect(harness.origin.log.count("/3/movie/7") == 3)
        }
    }
}
