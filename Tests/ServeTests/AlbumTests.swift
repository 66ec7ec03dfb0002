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
    private static func track(_ kind: String, _ disc: Int, _ number: Int) -> JSON {
        Harness.album.track(
            number, "\(disc).\(number)", disc: disc, kind: kind, milliseconds: number * 1_000)
    }

    private func json(_ harness: Harness, _ target: String) async throws -> [String: Any] {
        let answer = await ask(harness, target)
        #expect(answer.status == .ok)
        return try ServeTests.json(answer)
    }

    @Test func `an album lists its songs by disc and number, without videos`() async throws {
        try await withHarness { harness in
            harness.serveAlbum(
                songs: [("music-video", 1, 15), ("song", 2, 1), ("song", 1, 10), ("song", 1, 2)]
                    .map(Self.track))
            let album = try await json(harness, "/v1/itunes/album/1")
            let tracks = try #require(album["tracks"] as? [[String: Any]])
            #expect(tracks.map { $0["title"] as? String } == ["1.2", "1.10", "2.1"])
            #expect(tracks.map { $0["disc"] as? Int } == [1, 1, 2])
            #expect(tracks.map { $0["number"] as? Int } == [2, 10, 1])
            #expect(tracks.first?["milliseconds"] as? Int == 2_000)
        }
    }

    @Test func `a list has no songs, and an item fetches them on request`() async throws {
        try await withHarness { harness in
            harness.serveAlbum(songs: [Self.track("song", 1, 1)])
            harness.origin.on(
                "/search", host: "itunes.apple.com",
                .json(ITunesAlbum.results([Harness.album.json]).text))
            let page = try await json(harness, "/v1/itunes/albums?term=album")
            let items = try #require(page["items"] as? [[String: Any]])
            #expect(items.map { $0["item"] as? String } == ["itunes/album/1"])
            #expect(items.first?["tracks"] == nil)
            let album = try await json(harness, "/v1/itunes/album/1")
            #expect((album["tracks"] as? [[String: Any]])?.count == 1)
        }
    }
}
