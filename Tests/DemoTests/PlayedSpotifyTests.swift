import Catalog
import Foundation
import JSON
import Logging
import PlayedAPIs
import Synchronization
import Testing

@testable import Demo

/// Spotify is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct PlayedSpotifyTests {
    private let demo: PlayedDemo
    private var music: MusicCatalog { PlayedDemo.origin.music }

    init() throws { demo = try PlayedDemo() }

    private func source(_ secret: String = "demo-secret") -> Spotify {
        Spotify(credentials: SpotifyCredentials(clientID: "demo-client", clientSecret: secret))
    }

    /// A call with a good token.
    private func get(_ path: String) async throws -> DemoAnswer {
        let token = try await demo.spotifyToken()
        return await demo.answer("https://api.spotify.com/v1\(path)") {
            $0.authorization = "Bearer \(token)"
        }
    }

    @Test func `a token is given for the right credentials, and not to be kept`() async {
        let url = "https://accounts.spotify.com/api/token"
        let answer = await demo.answer(url) { PlayedDemo.askForToken(&$0) }
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""token_type":"Bearer","expires_in":3600}"#))
        #expect(answer.fields["Cache-Control"] == "no-cache, no-store, must-revalidate")
        #expect(await demo.answer(url).status == 405)
    }

    @Test(arguments: [
        ("demo-client:wrong", "grant_type=client_credentials", "invalid_client"),
        (":", "grant_type=client_credentials", "invalid_client"),
        ("demo-client:demo-secret", "grant_type=password", "unsupported_grant_type"),
        ("demo-client:demo-secret", "", "invalid_request"),
    ])
    func `other credentials and grants are a bad request`(
        pair: String, form: String, error: String
    ) async {
        let answer = await demo.answer("https://accounts.spotify.com/api/token") {
            PlayedDemo.askForToken(&$0, pair, form)
        }
        #expect(answer.status == 400)
        #expect(answer.text.hasPrefix(#"{"error":"\#(error)","#))
    }

    @Test func `a token is good for its lifetime, and calls without one are refused`() async throws
    {
        let start = ContinuousClock.now
        let clock = Passed()
        let pictures = PictureHost(seed: 1, maxBytes: 1, logger: Logger(label: "test"))
        let spotify = PlayedSpotify(
            music, Artist(seed: 1), pictures, DemoCredentials(), tokenLifetime: .seconds(60)
        ) { start + .seconds(clock.seconds.load(ordering: .relaxed)) }
        var request = DemoRequest(path: "/api/token")
        PlayedDemo.askForToken(&request)
        let token = try PlayedDemo.token(in: spotify.token(request))
        func call(_ authorization: String?) async -> String {
            var request = DemoRequest(path: "/v1/artists/x", names: [music.artists[0].spotifyID])
            request.authorization = authorization
            return await spotify.held(spotify.artist)(request).text
        }
        clock.seconds.store(59, ordering: .relaxed)
        #expect(await call("Bearer \(token)").contains(music.artists[0].name))
        clock.seconds.store(60, ordering: .relaxed)
        let expired = #"{"error":{"status":401,"message":"The access token expired"}}"#
        #expect(await call("Bearer \(token)") == expired)
        #expect(await call("Bearer BQold") == expired)
        #expect(await call(nil) == #"{"error":{"status":401,"message":"No token provided"}}"#)
    }

    private final class Passed: Sendable {
        let seconds = Atomic(0)
    }

    @Test func `the reader tells wrong credentials`() async throws {
        await #expect {
            try await demo.details(source("wrong"), "artist", music.artists[0].spotifyID)
        } throws: { error in
            (error as? Failure)?.kind == .unconfigured
        }
    }

    @Test func `a search is read to its end, ten at a time`() async throws {
        let found = try await demo.all(source(), "artists", ["q": "the"])
        #expect(
            found.map(\.entry.title) == PlayedSpotify.artists(for: "the", in: music).map(\.name))
        #expect(found.count > 20)
        #expect(try await demo.all(source(), "artists", ["q": "zzzz"]).isEmpty)
    }

    @Test func `an artist's albums are read to their end, newest first`() async throws {
        let artist = try #require(music.artists.max { $0.albums.count < $1.albums.count })
        let found = try await demo.all(source(), "artists/\(artist.spotifyID)/albums")
        let expected = artist.albums.map { music.albums[$0] }.filter { $0.kind != .compilation }
        #expect(expected.count > 20)
        #expect(found.map(\.entry.item.id) == expected.map(\.spotifyID))
        let dates = expected.map(\.date)
        #expect(dates == dates.sorted(by: >))
    }

    @Test(arguments: [
        ("limit=11", 400, "Invalid limit"), ("limit=0", 400, "Invalid limit"),
        ("limit=x", 400, "Invalid limit"), ("limit=10", 200, ""), ("", 200, ""),
        ("limit=10&offset=-1", 400, "Invalid offset"),
    ])
    func `more than ten at a time are refused`(
        query: String, status: Int, message: String
    ) async throws {
        let answer = try await get("/artists/\(music.artists[3].spotifyID)/albums?\(query)")
        #expect(answer.status == status)
        if status != 200 {
            #expect(answer.text == #"{"error":{"status":400,"message":"\#(message)"}}"#)
        }
    }

    @Test(arguments: [
        ("q=the&type=artist&limit=10&offset=990", 200), ("type=artist", 400), ("q=the", 400),
        ("q=the&type=artist&limit=10&offset=991", 400), ("q=the&type=show", 400),
    ])
    func `a search ends after its first thousand, and wants a term and a type`(
        query: String, status: Int
    ) async throws {
        #expect(try await get("/search?\(query)").status == status)
    }

    @Test func `links to other parts spell parameters in their own way, and may overlap`()
        async throws
    {
        let text = try await get("/search?q=the%20b&type=artist&limit=10").text
        #expect(text.contains("search?query=the%20b&type=artist&offset=0&limit=10"))
        let path = "/artists/\(music.artists[3].spotifyID)/albums?offset=5&limit=10"
        let part = try await get(path).text
        #expect(part.contains("offset=0&limit=10&include_groups=single,album,compilation,"))
        let whole = SpotifyPage(limit: 10, offset: 20, total: 30) { "\($0)" }
        #expect(whole.next == nil && whole.previous == "10")
        #expect(SpotifyPage(limit: 10, offset: 19, total: 30) { "\($0)" }.next == "29")
    }

    @Test(arguments: [
        ("/artists/0000000000000000000000", 404), ("/artists/nobody", 400),
        ("/albums/0000000000000000000000", 404), ("/other", 404),
    ])
    func `an unknown path is answered as Spotify answers it`(path: String, status: Int) async throws
    {
        let answer = try await get(path)
        #expect(answer.status == status)
        #expect(answer.text.hasPrefix(#"{"error":{"status":\#(status),"message":"#))
    }

    private func images(_ kind: String, _ id: String) async throws -> [Candidate] {
        try await demo.details(source(), kind, id).chain.compactMap { step in
            if case .candidate(let candidate) = step { candidate } else { nil }
        }
    }

    @Test(arguments: [Quirk.noPicture, .sizesNull, .uneven, .largestGone])
    func `the reader sees the quirks of artists and albums`(quirk: Quirk) async throws {
        let artist = try #require(music.artists.first { $0.quirk == quirk })
        let album = try #require(music.albums.first { $0.spotifyQuirk == quirk })
        for (kind, id) in [("artist", artist.spotifyID), ("album", album.spotifyID)] {
            let images = try await images(kind, id)
            switch quirk {
            case .noPicture: #expect(images.isEmpty)
            case .sizesNull: #expect(images.map(\.width) == [nil, nil, nil])
            case .uneven: #expect(images.count == (kind == "artist" ? 4 : 3))
            default:
                #expect(images.count == 3)
                let widest = images.max { $0.width ?? 0 < $1.width ?? 0 }
                for image in images {
                    let status = await demo.answer(image.url).status
                    #expect(status == (image.url == widest?.url ? 404 : 200))
                }
            }
        }
    }

    @Test func `images have the sizes that the API names`() async throws {
        for (kind, id) in [
            ("album", music.albums[0].spotifyID), ("album", music.albums[7].spotifyID),
            ("artist", music.artists[0].spotifyID), ("artist", music.artists[2].spotifyID),
        ] {
            for image in try await images(kind, id) {
                let answer = await demo.answer(image.url)
                #expect(answer.size == JPEGSize(image.width ?? 0, image.height ?? 0))
            }
        }
        for path in ["/image/ab67616d0000b273", "/", "/image/\(String(repeating: "0", count: 40))"]
        {
            #expect(await demo.answer("https://i.scdn.co\(path)").status == 404)
        }
    }
}
