import Catalog
import FoundationEssentials
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import TestSupport
import Testing

/// Spotify's lists, followed from part to part as a warm run and clients do; made up.
@Suite(.timeLimit(.minutes(1))) struct SpotifyPagesTests {
    /// An artist with so many albums; the API spells the way on in its own words.
    private func harness(albums: Int) async throws -> Harness {
        let harness = try await Harness()
        harness.serveToken()
        harness.origin.on("/v1/artists/abc/albums") { request in
            let offset = request.field("offset").flatMap { Int($0) } ?? 0
            guard request.field("limit") == "10" else {
                return .json(SpotifyDocument.problem(400, "Invalid limit").text, status: 400)
            }
            let page = SpotifyPage(limit: 10, offset: offset, total: albums) {
                "https://\(SpotifyDocument.host)/v1/artists/abc/albums?offset=\($0)&limit=10"
                    + "&album_type=album,single"
            }
            let ids = offset..<min(offset + 10, albums)
            let items = ids.map { SpotifyDocument.album(id: "a\($0)", name: "Album \($0)") }
            return .json(page.json(items).text)
        }
        return harness
    }

    @Test(arguments: [(0, 0, 1), (10, 10, 1), (25, 25, 3), (100, 100, 10), (148, 100, 10)])
    func `an artist's albums are followed by tens to their end, or to the first hundred`(
        albums: Int, expected: Int, calls: Int
    ) async throws {
        try await withHarness(harness(albums: albums)) { harness in
            var query: ListQuery? = try harness.pipeline.catalog.query(
                source: "spotify", list: "artists/abc/albums", parameters: [:])
            var ids: [String] = []
            while let wanted = query, ids.count <= expected {
                let page = try await harness.pipeline.catalog.page(wanted)
                // Not more than the list can show.
                #expect(page.total == expected)
                ids += page.items.map(\.entry.item.id)
                query = page.next
            }
            #expect(ids == (0..<expected).map { "a\($0)" })
            #expect(harness.origin.log.count("/v1/artists/abc/albums") == calls)
            #expect(harness.origin.log.count("/api/token") == 1)
        }
    }
}
