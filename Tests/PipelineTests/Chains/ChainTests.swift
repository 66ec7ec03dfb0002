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

/// Where each catalog's chain ends, and what is told of it.
@Suite(.timeLimit(.minutes(1))) struct ChainTests {
    private func picture(_ harness: Harness, of item: Item) async throws -> Picture {
        try await harness.pipeline.pictures.picture(
            of: item, level: try harness.pipeline.level("m"), format: .jpeg
        ).picture
    }

    /// The steps to an item's picture. No text about them shows a secret.
    private func steps(_ harness: Harness, of item: Item) async throws -> [Trace.Step] {
        let explanation = try await harness.pipeline.pictures.explain(item, resolving: false)
        let trace = try #require(explanation.trace)
        let told =
            trace.steps.map { "\($0.label) \($0.note) \($0.url ?? "")" }
            + explanation.levels.compactMap(\.failure?.reason)
            + [explanation.catalogProblem ?? ""]
        for secret in Harness.secrets + ["Bearer", "Basic"] {
            #expect(!told.contains { $0.contains(secret) })
        }
        return trace.steps
    }

    private func failures(_ harness: Harness, of item: Item) async throws -> [String] {
        try await steps(harness, of: item).filter { $0.outcome == .failed }
            .map { "\($0.label): \($0.note)" }
    }

    struct Chain: CustomTestStringConvertible, Sendable {
        var item: String
        /// Where the first choice for level m is, its label, and that of the next one.
        var host: String
        var path: String
        var first: String
        var next: String
        var serve: @Sendable (Harness) -> Void
        var testDescription: String { item }
    }

    static let chains = [
        Chain(
            item: "tvmaze/show/1", host: Harness.imageHost, path: "/original/1.jpg",
            first: "original", next: "medium"
        ) { $0.servePoster() },
        Chain(
            item: "tvmaze/poster/1", host: Harness.imageHost, path: "/poster.jpg",
            first: "main poster (original)", next: "main poster (medium)"
        ) { $0.servePoster() },
        Chain(
            item: "itunes/album/1", host: Harness.iTunesHosts[1],
            path: "/image/thumb/A/v4/a.jpg/320x320bb.jpg", first: "artwork 320×320",
            next: "artworkUrl100"
        ) { $0.serveAlbum() },
        Chain(
            item: "spotify/artist/abc", host: Harness.spotifyHosts[2], path: "/image/640",
            first: "image 640×640", next: "image 300×300"
        ) { $0.serveArtist() },
        Chain(
            item: "tmdb/movie/7", host: Harness.tmdbHosts[1], path: "/t/p/w342/p.jpg",
            first: "poster w342", next: "poster original"
        ) { $0.serveMovie() },
        Chain(
            item: "tmdb/movie/7", host: Harness.tmdbHosts[1], path: "/t/p/w342/p.jpg",
            first: "poster w342", next: "poster original"
        ) { $0.serveMovie(namesPoster: false) },
    ]

    @Test(arguments: chains)
    func `each catalog's picture is the one that covers its level, or the next that is there`(
        chain: Chain
    ) async throws {
        try await withHarness { harness in
            chain.serve(harness)
            let item = try #require(Item(chain.item))
            for (label, failed) in [
                (chain.first, []), (chain.next, ["\(chain.first): The origin answered 404."]),
            ] {
                #expect(try await picture(harness, of: item).failure == nil)
                let last = try await steps(harness, of: item).last
                #expect(last?.outcome == .chosen && last?.label == label)
                #expect(try await failures(harness, of: item) == failed)
                _ = try await harness.pipeline.purge.run(.item(item))
                harness.origin.on(chain.path, host: chain.host, .status(404))
            }
        }
    }

    /// A way in which a call and a picture fail: what it means for each, and what is told.
    struct Fault: CustomTestStringConvertible, Sendable {
        var name: String
        var reply: OriginReply
        var call: (kind: Failure.Kind, reason: String)
        var picture: (kind: Failure.Kind, reason: String)
        var isSlow = false
        var testDescription: String { name }

        static func redirect(to host: String) -> Fault {
            let reason = "The host \(host) is not among those allowed for this request."
            return Fault(
                name: "a redirect to \(host)", reply: .redirect(to: "https://\(host)/x"),
                call: (.unavailable, reason), picture: (.refused, reason))
        }
    }

    static let faults = [
        Fault(
            name: "404", reply: .status(404), call: (.absent, "TVmaze has no show 1."),
            picture: (.absent, "The origin answered 404.")),
        Fault(
            name: "503", reply: .status(503),
            call: (.unavailable, "api.tvmaze.com answered 503."),
            picture: (.unavailable, "The origin answered 503 after 4 attempts.")),
        Fault(
            name: "too slow", reply: .silence,
            call: (.timedOut, "api.tvmaze.com did not respond in time."),
            picture: (.timedOut, "static.tvmaze.com did not respond in time."), isSlow: true),
        Fault(
            name: "cut short", reply: .json(#"{"id":7,"images":[]}"#).cut(after: 9),
            call: (.unavailable, "The response of api.tvmaze.com was cut off in 4 attempts."),
            picture: (
                .unavailable, "The response of static.tvmaze.com was cut off in 4 attempts."
            )),
        Fault(
            name: "a page for people", reply: .html("<html>sorry</html>"),
            call: (.unavailable, "TVmaze answered something that is not JSON."),
            picture: (.rejected, "This is not a picture but an HTML page.")),
        .redirect(to: "example.com"), .redirect(to: "10.0.0.1"),
    ]

    /// Show 1 has no details, show 2 one picture, show 3 none.
    @Test(arguments: faults)
    func `a request that fails ends in the picture left, or in the right class, and is explained`(
        fault: Fault
    ) async throws {
        try await withHarness(Harness(hasty: fault.isSlow)) { harness in
            for id in 2...3 { harness.serveShow(id) }
            harness.origin.on("/shows/1", host: Harness.apiHost, fault.reply)
            harness.origin.on(
                "/medium/2.jpg", .jpeg(FixtureImages.jpeg(width: 209, height: 209)))
            for path in ["/original/2.jpg", "/original/3.jpg", "/medium/3.jpg"] {
                harness.origin.on(path, host: Harness.imageHost, fault.reply)
            }
            let shows = (1...3).map { harness.item($0) }
            var kinds: [Failure.Kind?] = []
            for show in shows { kinds.append(try await picture(harness, of: show).failure?.kind) }
            #expect(kinds == [fault.call.kind, nil, fault.picture.kind])
            #expect(
                try await failures(harness, of: shows[0])
                    == ["catalog tvmaze/show/1: \(fault.call.reason)"])
            #expect(
                try await failures(harness, of: shows[1]) == ["original: \(fault.picture.reason)"])
            #expect(try await steps(harness, of: shows[1]).last?.label == "medium")
        }
    }

    @Test(arguments: [OriginReply.status(404), .status(503)])
    func `a poster whose list can't be read is its show's picture`(reply: OriginReply) async throws
    {
        try await withHarness { harness in
            harness.servePoster()
            harness.origin.on("/shows/1/images", host: Harness.apiHost, reply)
            let poster = harness.item(1, kind: "poster")
            let found = try await picture(harness, of: poster)
            #expect(found.failure == nil)
            #expect(try await steps(harness, of: poster).last?.label == "original")
        }
    }

    @Test func `explaining asks a catalog for no more than the picture did`() async throws {
        try await withHarness { harness in
            harness.serveAlbum()
            harness.origin.on(
                "/search", host: Harness.iTunesHosts[0],
                .json(ITunesAlbum.results([Harness.album.json]).text))
            _ = try await harness.pipeline.catalog.page(
                harness.pipeline.catalog.query(
                    source: "itunes", list: "albums", parameters: ["term": "abc"]))
            let album = Item(source: "itunes", kind: "album", id: "1")
            _ = try await picture(harness, of: album)
            let explained = try await harness.pipeline.pictures.explain(album, resolving: true)
            #expect(explained.title == "Album")
            #expect(
                explained.candidates.map(\.label) == [
                    "artwork 1200×1200", "artworkUrl100", "artworkUrl60",
                ])
            #expect(harness.origin.log.count("/lookup") == 0)
        }
    }
}
