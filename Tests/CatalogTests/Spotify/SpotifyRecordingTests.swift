import Catalog
import TestSupport
import Testing

/// Recorded answers of the real API, trimmed to a few entries of each list.
@Suite(.timeLimit(.minutes(1))) struct SpotifyRecordingTests {
    let artist = "7Ln80lUS6He07XvHI8qqHH"

    private func recording(_ name: String) throws -> String {
        try Recordings.text("spotify/\(name)")
    }

    private func page(
        _ list: String, _ parameters: [String: String], _ path: String, _ name: String
    ) async throws -> CatalogPage {
        let source = Spotify.scripted()
        return try #require(
            try await source.page(
                source.query(list: list, parameters: parameters),
                api: SpotifyScript(json: [path: try recording(name)])))
    }

    @Test func `every artist of a search is read`() async throws {
        let page = try await page(
            "artists", ["q": "Arctic"], "/search?q=Arctic&type=artist&limit=10&offset=0",
            "search-artist-arctic-offset-0")
        #expect(page.items.count == 20)
        #expect(page.items.filter(\.chain.isEmpty).count == 7)
        #expect(page.items.allSatisfy { $0.entry.link != nil })
        // The API has 127, but the list ends at its cap.
        #expect(page.total == 100)
        #expect(page.next?.parameters == ["q": "Arctic", "offset": "20"])
        #expect(page.items.contains { ($0.entry.followers ?? 0) > 1_000 })
        let first = try #require(page.items.first)
        #expect(first.entry.title == "Arctic Monkeys")
        #expect(first.entry.genres.count == 5)
        #expect(
            first.labels(for: LevelBoxes.all[2])
                == "image 640×853 → image 1000×1333 → image 200×267 → image 64×85")
    }

    @Test func `a part in the middle of a search is read`() async throws {
        let page = try await page(
            "artists", ["q": "Arctic", "offset": "10"],
            "/search?q=Arctic&type=artist&limit=10&offset=10",
            "search-artist-arctic-offset-10-limit-10")
        #expect(page.items.count == 10)
        #expect(page.items.filter(\.chain.isEmpty).count == 5)
        #expect(page.next?.parameters["offset"] == "20")
        #expect(page.firstIndex == 10)
    }

    @Test func `every album of an artist is read`() async throws {
        let page = try await page(
            "artists/\(artist)/albums", [:],
            "/artists/\(artist)/albums?include_groups=album,single&limit=10&offset=0",
            "artist-albums-\(artist)-offset-0")
        #expect(page.items.count == 20)
        #expect(page.items.allSatisfy { $0.chain.count == 3 && $0.entry.link != nil })
        #expect(page.total == 100)
        #expect(page.next?.parameters == ["offset": "20"])
        #expect(
            page.items.last?.labels(for: LevelBoxes.all[1])
                == "image 300×273 → image 640×582 → image 64×58")
    }

    @Test func `an artist is read`() async throws {
        let source = Spotify.scripted()
        let details = try await source.details(
            of: source.item(kind: "artist", id: artist),
            api: SpotifyScript(json: [
                "/artists/\(artist)": try recording("artist-\(artist)")
            ]))
        #expect(details.entry.title == "Arctic Monkeys")
        #expect(details.chain.count == 4)
        #expect(details.entry.link == "https://open.spotify.com/artist/\(artist)")
    }

    @Test func `the token and its refusal are understood`() async throws {
        let source = Spotify.scripted()
        let item = try source.item(kind: "artist", id: artist)
        let script = SpotifyScript()
        script.answerTokenCalls(
            .success(APIAnswer(status: 200, body: Array(try recording("token").utf8))))
        // Its token is blanked, so the script refuses it as the API would.
        await #expect(
            throws: Failure.unavailable(
                reason: "api.spotify.com answered 401.", timedOut: false, retryAfter: nil)
        ) {
            try await source.details(of: item, api: script)
        }
        #expect(script.calls.first?.headers.first?.value == "Bearer BLANKED")
        #expect(script.tokenCalls.count == 2)
        script.answerTokenCalls(
            .success(
                APIAnswer(
                    status: 400, body: Array(try recording("error-400-invalid-client").utf8))))
        await #expect {
            try await source.details(of: item, api: script)
        } throws: { error in
            (error as? Failure)?.kind == .unconfigured
        }
    }
}
