import Catalog
import Foundation
import PlayedAPIs
import Synchronization
import Testing

@testable import Demo

/// Spotify is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct SpotifySiteTests {
    static let music = ITunesSiteTests.music
    let accounts: SpotifyAccountsSite
    let site: SpotifyAPISite
    let images = SpotifyImageSite(
        catalog: music, artist: Artist(seed: 2_013),
        pictures: .forTests())
    /// Seconds that have passed.
    private let passed = Clock()

    final class Clock: Sendable {
        private let start = ContinuousClock.now
        private let seconds = Atomic(0)
        var now: ContinuousClock.Instant { start + .seconds(seconds.load(ordering: .relaxed)) }
        func pass(_ count: Int) { seconds.add(count, ordering: .relaxed) }
    }

    init() {
        let clock = passed
        let tokens = SpotifyTokens(.init(), lifetime: .seconds(60)) { clock.now }
        accounts = SpotifyAccountsSite(tokens: tokens)
        site = SpotifyAPISite(catalog: Self.music, tokens: tokens)
    }

    private var music: MusicCatalog { Self.music }

    private func source(_ secret: String = "demo-secret") -> Spotify {
        Spotify(credentials: SpotifyCredentials(clientID: "demo-client", clientSecret: secret))
    }

    private var api: PlayedAPI { PlayedAPI(sites: [accounts, site]) }

    private func tokenRequest(_ pair: String, _ form: String) -> DemoRequest {
        var request = DemoRequest(url: "https://accounts.spotify.com/api/token")
        request.isPost = true
        request.authorization = "Basic \(Data(pair.utf8).base64EncodedString())"
        request.body = Array(form.utf8)
        return request
    }

    /// A call with a good token.
    private func get(_ path: String) throws -> DemoAnswer {
        let answer = accounts.answer(
            tokenRequest("demo-client:demo-secret", "grant_type=client_credentials"))
        struct Grant: Decodable { var access_token: String }
        let grant = try JSONDecoder().decode(Grant.self, from: Data(answer.body))
        var request = DemoRequest(url: "https://api.spotify.com/v1\(path)")
        request.authorization = "Bearer \(grant.access_token)"
        return site.answer(request)
    }

    @Test func `a token is given for the right credentials, and not to be kept`() throws {
        let answer = accounts.answer(
            tokenRequest("demo-client:demo-secret", "grant_type=client_credentials"))
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""token_type":"Bearer","expires_in":60}"#))
        #expect(answer.fields["Cache-Control"] == "no-cache, no-store, must-revalidate")
        #expect(try get("/artists/\(music.artists[0].spotifyID)").status == 200)
    }

    @Test(arguments: [
        ("demo-client:wrong", "grant_type=client_credentials", "invalid_client"),
        (":", "grant_type=client_credentials", "invalid_client"),
        ("demo-client:demo-secret", "grant_type=password", "unsupported_grant_type"),
        ("demo-client:demo-secret", "", "invalid_request"),
    ])
    func `other credentials and grants are a bad request`(
        pair: String, form: String, error: String
    ) {
        let answer = accounts.answer(tokenRequest(pair, form))
        #expect(answer.status == 400)
        #expect(answer.text.hasPrefix(#"{"error":"\#(error)","#))
    }

    @Test func `a token is good for its lifetime and no longer`() throws {
        let token = try #require(
            site.tokens.token(authorization: "Basic ZGVtby1jbGllbnQ6ZGVtby1zZWNyZXQ="))
        passed.pass(59)
        #expect(site.tokens.verdict(authorization: "Bearer \(token.text)") == .good)
        passed.pass(1)
        #expect(site.tokens.verdict(authorization: "Bearer \(token.text)") == .expired)
    }

    @Test func `a token expires, and calls without one are refused`() async throws {
        let source = source()
        let item = try source.item(kind: "artist", id: music.artists[0].spotifyID)
        #expect(try await source.details(of: item, api: api).entry.title == music.artists[0].name)
        passed.pass(61)
        var request = DemoRequest(url: "https://api.spotify.com/v1/artists/\(item.id)")
        #expect(
            site.answer(request).text.contains(#"{"status":401,"message":"No token provided"}"#))
        request.authorization = "Bearer BQold"
        #expect(
            site.answer(request).text
                == #"{"error":{"status":401,"message":"The access token expired"}}"#)
        // The reader's token has ended unknown to it; it asks for another once.
        #expect(try await source.details(of: item, api: api).entry.title == music.artists[0].name)
    }

    @Test func `the reader tells wrong credentials`() async throws {
        let source = source("wrong")
        let item = try source.item(kind: "artist", id: music.artists[0].spotifyID)
        await #expect {
            try await source.details(of: item, api: api)
        } throws: { error in
            (error as? Failure)?.kind == .unconfigured
        }
    }

    /// All items of a list, page by page.
    private func all(_ list: String, _ parameters: [String: String]) async throws -> [ItemDetails] {
        let source = source()
        var next: ListQuery? = try source.query(list: list, parameters: parameters)
        var items: [ItemDetails] = []
        while let query = next, let page = try await source.page(query, api: api) {
            items += page.items
            next = page.next
        }
        return items
    }

    @Test func `a search is read to its end, ten at a time`() async throws {
        let found = try await all("artists", ["q": "the"])
        #expect(found.map(\.entry.title) == site.artists(for: "the").map(\.name))
        #expect(found.count > 20)
        #expect(try await all("artists", ["q": "zzzz"]).isEmpty)
    }

    @Test func `an artist's albums are read to their end, newest first`() async throws {
        let artist = try #require(music.artists.max { $0.albums.count < $1.albums.count })
        let found = try await all("artists/\(artist.spotifyID)/albums", [:])
        let expected = site.albums(of: artist, groups: "album,single")
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
    func `more than ten at a time are refused`(query: String, status: Int, message: String) throws {
        let answer = try get("/artists/\(music.artists[3].spotifyID)/albums?\(query)")
        #expect(answer.status == status)
        if status != 200 {
            #expect(
                answer.text == #"{"error":{"status":400,"message":"\#(message)"}}"#)
        }
    }

    @Test func `a search ends after its first thousand, and wants a term and a type`() throws {
        #expect(try get("/search?q=the&type=artist&limit=10&offset=990").status == 200)
        #expect(try get("/search?q=the&type=artist&limit=10&offset=991").status == 400)
        #expect(try get("/search?type=artist").status == 400)
        #expect(try get("/search?q=the").status == 400)
        #expect(try get("/search?q=the&type=show").status == 400)
    }

    @Test func `links to other parts spell parameters in their own way, and may overlap`() throws {
        let text = try get("/search?q=the%20b&type=artist&limit=10").text
        #expect(text.contains("search?query=the%20b&type=artist&offset=0&limit=10"))
        let part = try get("/artists/\(music.artists[3].spotifyID)/albums?offset=5&limit=10").text
        #expect(part.contains("offset=0&limit=10&include_groups=single,album,compilation,"))
        let whole = SpotifyPage(limit: 10, offset: 20, total: 30) { "\($0)" }
        #expect(whole.next == nil && whole.previous == "10")
        #expect(SpotifyPage(limit: 10, offset: 19, total: 30) { "\($0)" }.next == "29")
    }

    @Test(arguments: [
        ("/artists/0000000000000000000000", 404), ("/artists/nobody", 400),
        ("/albums/0000000000000000000000", 404), ("/other", 404),
    ])
    func `an unknown path is answered as Spotify answers it`(path: String, status: Int) throws {
        let answer = try get(path)
        #expect(answer.status == status)
        #expect(answer.text.hasPrefix(#"{"error":{"status":\#(status),"message":"#))
    }

    @Test func `the reader sees the quirks of artists and albums`() async throws {
        let source = source()
        for quirk in SpotifyQuirk.allCases {
            let artist = try #require(
                music.artists.first { SpotifyQuirk(artist: $0.number) == quirk })
            let album = try #require(
                music.albums.first { SpotifyQuirk(album: $0.number) == quirk })
            for (kind, id) in [("artist", artist.spotifyID), ("album", album.spotifyID)] {
                let chain = try await source.details(
                    of: source.item(kind: kind, id: id), api: api
                ).chain
                let widths = chain.map { step -> Int? in
                    if case .candidate(let candidate) = step { candidate.width } else { nil }
                }
                switch quirk {
                case .noImages: #expect(chain.isEmpty)
                case .sizesNull: #expect(widths == [nil, nil, nil])
                case .uneven: #expect(chain.count == (kind == "artist" ? 4 : 3))
                case .largestGone: #expect(chain.count == 3)
                }
            }
        }
    }

    @Test func `images have the sizes that the API names`() async throws {
        let subjects: [SpotifyImage.Subject] = [
            .album(0), .album(7), .artist(0), .artist(1), .artist(2),
        ]
        for subject in subjects {
            for image in SpotifyImage.all(of: subject) {
                let answer = await images.answer(DemoRequest(url: image.url))
                #expect(answer.status == 200)
                #expect(
                    JPEGSize(answer.body) == JPEGSize(width: image.width, height: image.height))
                #expect(SpotifyImage(path: image.path) == image)
            }
        }
        #expect(await images.pictures.store.drawings == subjects.count)
    }

    @Test func `an image that was announced can be gone, and others never were`() async throws {
        let album = try #require(
            music.albums.first { SpotifyQuirk(album: $0.number) == .largestGone })
        let all = SpotifyImage.all(of: .album(album.number))
        #expect(await images.answer(DemoRequest(url: all[0].url)).status == 404)
        #expect(await images.answer(DemoRequest(url: all[1].url)).status == 200)
        let unknown = SpotifyImage.all(of: .album(100_000))[0]
        for path in [
            unknown.path, "/image/ab67616d0000b273", "/image/\(all[0].path.dropFirst(9))0", "/",
        ] {
            #expect(await images.answer(DemoRequest(path: path)).status == 404)
        }
    }

    @Test func `answers have the fields that were recorded`() throws {
        let artist = music.artists[3]
        for (path, name) in [
            ("/artists/\(artist.spotifyID)", "artist-7Ln80lUS6He07XvHI8qqHH"),
            (
                "/artists/\(artist.spotifyID)/albums",
                "artist-albums-7Ln80lUS6He07XvHI8qqHH-offset-0"
            ),
            ("/search?q=the&type=artist&limit=10", "search-artist-arctic-offset-10-limit-10"),
        ] {
            guard let recorded = try RecordedShape(recording: "spotify/\(name).json") else {
                return
            }
            let played = try RecordedShape(get(path).body)
            #expect(recorded.paths.subtracting(played.paths) == [], "\(name)")
        }
    }
}
