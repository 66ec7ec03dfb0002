import Foundation
import HTTPTypes
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Serve
import TestSupport
import Testing

/// An album's songs in `/v1`. All of it is made up.
@Suite(.timeLimit(.minutes(1))) struct AlbumTests {
    private func json(_ harness: Harness, _ target: String) async throws -> [String: Any] {
        let answer = await ask(harness, target)
        #expect(answer.status == .ok)
        return try ServeTests.json(answer)
    }

    @Test func `a list has no songs, and an item fetches them on request`() async throws {
        try await withHarness { harness in
            harness.serveAlbum(songs: [
                Harness.album.track(3, "A song", disc: 2, kind: "song", milliseconds: 2_000)
            ])
            harness.origin.on(
                "/search", host: "itunes.apple.com",
                .json(ITunesAlbum.results([Harness.album.json]).text))
            let page = try await json(harness, "/v1/itunes/albums?term=album")
            let items = try #require(page["items"] as? [[String: Any]])
            #expect(items.map { $0["item"] as? String } == ["itunes/album/1"])
            #expect(items.first?["tracks"] == nil)
            let album = try await json(harness, "/v1/itunes/album/1")
            let tracks = try #require(album["tracks"] as? [[String: Any]])
            #expect(tracks.map { $0["title"] as? String } == ["A song"])
            #expect(tracks.map { $0["disc"] as? Int } == [2])
            #expect(tracks.map { $0["number"] as? Int } == [3])
            #expect(tracks.map { $0["milliseconds"] as? Int } == [2_000])
        }
    }
}
