import Catalog
import FoundationEssentials
import Imaging
import JSON
import PipelineSupport
import PlayedAPIs
import Store
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

/// Sources that want credentials, while they are missing or refused: what is stored is better than
/// nothing, and others go on.
@Suite(.timeLimit(.minutes(1))) struct CredentialTests {
    enum Loss: CaseIterable {
        case missing, refused
    }

    private static let cases = [
        (source: "spotify", list: "artists/abc/albums", kind: "artist", id: "abc"),
        (source: "tmdb", list: "movies/popular", kind: "movie", id: "7"),
    ]

    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveArtist()
        harness.serveMovie()
        harness.origin.on(
            "/v1/artists/abc/albums",
            .json(
                SpotifyPage(total: 1).json([SpotifyDocument.album(id: "one", name: "One")]).text))
        let movie = TMDBMovie(id: 7, title: "Movie", poster: "/p.jpg").listed()
        harness.origin.on("/3/movie/popular", .json(TMDBDocument.page([movie]).text))
        return harness
    }

    private func lose(_ loss: Loss, _ harness: Harness) async throws {
        harness.clock.advance(by: 4 * 86_400)
        harness.origin.on(
            "/api/token",
            .json(SpotifyDocument.refusal("invalid_client", "Invalid client").text, status: 400))
        harness.origin.on(
            "/3/*", .json(TMDBDocument.problem(7, "Invalid API key").text, status: 401))
        try await harness.restart(withCredentials: loss == .refused)
    }

    @Test(arguments: cases, Loss.allCases)
    func `stored pages, details and pictures are served, stale`(
        of known: (source: String, list: String, kind: String, id: String), while loss: Loss
    ) async throws {
        try await withHarness(harness()) { harness in
            let pipeline = { harness.pipeline }
            let query = try pipeline().catalog.query(
                source: known.source, list: known.list, parameters: [:])
            let item = Item(source: known.source, kind: known.kind, id: known.id)
            let page = try await pipeline().catalog.page(query)
            let details = try await pipeline().catalog.details(of: item)
            let level = try pipeline().level("m")
            let picture = try await pipeline().pictures.picture(
                of: item, level: level, format: .jpeg
            )
            .picture
            try await lose(loss, harness)
            for _ in 0..<2 {
                let stalePage = try await pipeline().catalog.page(query)
                #expect(stalePage.isStale)
                #expect(stalePage.items == page.items)
                let staleDetails = try await pipeline().catalog.details(of: item)
                #expect(staleDetails.isStale)
                #expect(staleDetails.details == details.details)
            }
            let stale = try await pipeline().pictures.picture(of: item, level: level, format: .jpeg)
                .picture
            #expect(stale.facts.digest == picture.facts.digest)
        }
    }

    @Test(arguments: cases, Loss.allCases)
    func `a thing that was never read is an error that says what to configure, not an absence`(
        of known: (source: String, list: String, kind: String, id: String), while loss: Loss
    ) async throws {
        try await withHarness(harness()) { harness in
            try await lose(loss, harness)
            let item = Item(source: known.source, kind: known.kind, id: known.id)
            let level = try harness.pipeline.level("m")
            await #expect {
                try await harness.pipeline.pictures.picture(of: item, level: level, format: .jpeg)
            } throws: { error in
                guard let failure = error as? Failure, failure.kind == .unconfigured else {
                    return false
                }
                let reason = failure.reason
                return reason.contains("VITRINE_\(known.source.uppercased())_")
                    && !Harness.secrets.contains { reason.contains($0) }
            }
            // Others go on.
            harness.servePoster()
            #expect(try await harness.picture(1).picture.failure == nil)
        }
    }

    @Test func `a warm run without credentials stops at once with that sentence`() async throws {
        try await withHarness(harness()) { harness in
            try await lose(.missing, harness)
            let items = (1...5).map { Item(source: "tmdb", kind: "movie", id: "\($0)") }
            let reported = Mutex(0)
            let run = WarmRequest(.items(items), renditions: harness.levels, concurrency: 2)
            await #expect(
                throws: Failure.unconfigured(
                    reason: "TMDB needs an API read access token; set VITRINE_TMDB_TOKEN.")
            ) {
                _ = try await harness.pipeline.warm.run(run) { _ in reported.withLock { $0 += 1 } }
            }
            #expect(reported.withLock { $0 } == 0)
        }
    }
}
