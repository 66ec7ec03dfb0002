import Foundation
import Imaging
import JSON
import PlayedAPIs
import Synchronization

/// Spotify: tokens for client credentials; for their holders the search for artists, artists, their
/// albums, and albums; and covers and portraits in the sizes that the API names.
final class PlayedSpotify: Sendable {
    private let catalog: MusicCatalog
    private let artist: Artist
    private let pictures: PictureHost
    private let credentials: DemoCredentials
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let issued = Mutex<[String: ContinuousClock.Instant]>([:])
    private let artists: [String: DemoArtist]
    private let albums: [String: DemoAlbum]
    /// Which image is at a path.
    private let images: [String: (subject: Subject, index: Int)]

    init(
        _ catalog: MusicCatalog, _ artist: Artist, _ pictures: PictureHost,
        _ credentials: DemoCredentials, tokenLifetime: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.catalog = catalog
        self.artist = artist
        self.pictures = pictures
        self.credentials = credentials
        lifetime = tokenLifetime
        self.now = now
        artists = Dictionary(uniqueKeysWithValues: catalog.artists.map { ($0.spotifyID, $0) })
        albums = Dictionary(uniqueKeysWithValues: catalog.albums.map { ($0.spotifyID, $0) })
        let subjects = catalog.artists.map(Subject.artist) + catalog.albums.map(Subject.album)
        images = subjects.reduce(into: [:]) { images, subject in
            for index in subject.sizes.indices { images[subject.path(index)] = (subject, index) }
        }
    }

    // MARK: Tokens

    func token(_ request: DemoRequest) -> DemoAnswer {
        guard request.isPost else { return .html("405 Method Not Allowed", status: 405) }
        func refused(_ name: String, _ text: String) -> DemoAnswer {
            .json(SpotifyDocument.refusal(name, text), status: 400, cache: "no-store")
        }
        let form = DemoRequest.fields(of: String(decoding: request.body, as: UTF8.self))
        let grant = form.first { $0.name == "grant_type" }?.value
        guard grant == "client_credentials" else {
            return refused(
                grant == nil ? "invalid_request" : "unsupported_grant_type",
                "grant_type must be client_credentials")
        }
        let pair = "\(credentials.spotifyClientID):\(credentials.spotifyClientSecret)"
        guard request.authorization == "Basic \(Data(pair.utf8).base64EncodedString())" else {
            return refused("invalid_client", "Invalid client")
        }
        var random = SystemRandomNumberGenerator()
        let text = "BQ" + (0..<8).map { _ in String(random.next(), radix: 36) }.joined()
        issued.withLock { issued in
            // Expired ones go, so that no number of requests piles them up.
            issued = issued.filter { $0.value > now() }
            issued[text] = now() + lifetime
        }
        let seconds = Int(lifetime.components.seconds)
        return .json(
            SpotifyDocument.token(text, seconds: .integer(seconds)),
            cache: "no-cache, no-store, must-revalidate")
    }

    /// The document for those with a token only.
    func held(_ document: @escaping @Sendable (DemoRequest) -> DemoAnswer) -> Document {
        { [self] request in
            guard let text = request.authorization, text.hasPrefix("Bearer ") else {
                return problem(401, "No token provided")
            }
            let end = issued.withLock { $0[String(text.dropFirst(7))] }
            guard let end, end > now() else { return problem(401, "The access token expired") }
            return document(request)
        }
    }

    // MARK: The API

    /// Artists whose names hold words that begin like all of the term's.
    static func artists(for term: String, in catalog: MusicCatalog) -> [DemoArtist] {
        let words = SearchWords(term)
        return catalog.artists.filter { words.begin($0.name) }
    }

    func search(_ request: DemoRequest) -> DemoAnswer {
        guard let term = request.query["q"], !term.isEmpty else {
            return problem(400, "No search query")
        }
        guard let type = request.query["type"] else {
            return problem(400, "Missing parameter type")
        }
        guard type == "artist" else { return problem(400, "Bad search type field \(type)") }
        let found = Self.artists(for: term, in: catalog)
        // The real one spells its own parameters differently from what it takes.
        let address =
            "https://\(SpotifyDocument.host)/v1/search?query=\(DemoRequest.encoded(term))&type=artist"
        return part(request, maxOffset: 1_000, of: found, address + "&", "") { page, found in
            ["artists": page.json(found.map { document($0) })]
        }
    }

    func artist(_ request: DemoRequest) -> DemoAnswer {
        guard let artist = artists[request.names[0]] else { return unknown(request.names[0]) }
        return kept(document(artist))
    }

    func album(_ request: DemoRequest) -> DemoAnswer {
        guard let album = albums[request.names[0]] else { return unknown(request.names[0]) }
        return kept(document(album))
    }

    /// Albums of the groups asked for, newest first.
    func albums(_ request: DemoRequest) -> DemoAnswer {
        guard let artist = artists[request.names[0]] else { return unknown(request.names[0]) }
        let groups = request.query["include_groups"]
        let wanted = groups.map { Set($0.split(separator: ",").map(String.init)) }
        let found = artist.albums.map { catalog.albums[$0] }
            .filter { wanted?.contains($0.kind.rawValue) != false }
        let all = groups ?? "single,album,compilation,appears_on"
        return part(
            request, maxOffset: .max, of: found,
            "https://\(SpotifyDocument.host)/v1/artists/\(artist.spotifyID)/albums?",
            "&include_groups=\(all)"
        ) { page, found in
            page.json(found.map { document($0) })
        }
    }

    func service(_ request: DemoRequest) -> DemoAnswer { problem(404, "Service not found") }

    /// The part of a list that `limit` and `offset` name; ten at a time are the most.
    private func part<Element>(
        _ request: DemoRequest, maxOffset: Int, of all: [Element], _ address: String,
        _ rest: String, _ body: (SpotifyPage, ArraySlice<Element>) -> JSON
    ) -> DemoAnswer {
        guard let limit = Int(request.query["limit"] ?? "5"), 1...10 ~= limit else {
            return problem(400, "Invalid limit")
        }
        guard let offset = Int(request.query["offset"] ?? "0"), offset >= 0,
            offset <= maxOffset - limit
        else { return problem(400, "Invalid offset") }
        let page = SpotifyPage(limit: limit, offset: offset, total: all.count) {
            "\(address)offset=\($0)&limit=\(limit)\(rest)"
        }
        return kept(body(page, all.dropFirst(offset).prefix(limit)))
    }

    private func document(_ artist: DemoArtist) -> JSON {
        SpotifyDocument.artist(
            id: artist.spotifyID, name: artist.name, images: Subject.artist(artist).listed,
            genres: artist.number % 4 == 1 ? [] : artist.genre.tags, followers: artist.followers)
    }

    private func document(_ album: DemoAlbum) -> JSON {
        let artist = catalog.artists[album.artistNumber]
        return SpotifyDocument.album(
            id: album.spotifyID, name: album.title, kind: album.kind.rawValue, tracks: album.tracks,
            // Of some albums only the year is known.
            date: album.number % 9 == 1 ? String(album.year) : album.date,
            images: Subject.album(album).listed,
            artists: [SpotifyDocument.reference("artist", artist.spotifyID, artist.name)])
    }

    /// An id of the right form that nothing has is not found. Any other text is not an id.
    private func unknown(_ id: String) -> DemoAnswer {
        let isID = id.count == 22 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isID ? problem(404, "Resource not found") : problem(400, "Invalid base62 id")
    }

    private func problem(_ status: Int, _ message: String) -> DemoAnswer {
        .json(SpotifyDocument.problem(status, message), status: status)
    }

    private func kept(_ json: JSON) -> DemoAnswer { .json(json, cache: "public, max-age=7200") }

    // MARK: Images

    /// What has images.
    private enum Subject: Sendable {
        case artist(DemoArtist)
        case album(DemoAlbum)

        private var quirk: Quirk? {
            switch self {
            case .artist(let artist): artist.quirk
            case .album(let album): album.spotifyQuirk
            }
        }

        /// Widths and heights of its images, the widest first.
        var sizes: [(width: Int, height: Int)] {
            switch (self, quirk) {
            case (_, .noPicture): []
            case (.artist, .uneven): [(1_000, 1_333), (640, 853), (200, 267), (64, 85)]
            case (.artist(let artist), _) where artist.number % 3 > 0:
                [(640, 640), (320, 320), (160, 160)]
            case (.album, .uneven): [(640, 580), (300, 272), (64, 58)]
            default: [(640, 640), (300, 300), (64, 64)]
            }
        }

        /// `/image/` and 40 digits; the first 16 tell kind and size.
        func path(_ index: Int) -> String {
            switch self {
            case .artist(let artist):
                "/image/\(["ab6761610000e5eb", "ab67616100005174", "ab6761610000f178", "0000000000000064"][index])"
                    + SeededRandom.name(32, artist.number, length: 24, radix: 16)
            case .album(let album):
                "/image/\(["ab67616d0000b273", "ab67616d00001e02", "ab67616d00004851"][index])"
                    + SeededRandom.name(31, album.number, length: 24, radix: 16)
            }
        }

        /// As the API tells them.
        var listed: [SpotifyDocument.Image] {
            sizes.enumerated().map { index, size in
                let isTold = quirk != .sizesNull
                return (
                    "https://\(SpotifyDocument.imageHost)\(path(index))", isTold ? size.width : nil,
                    isTold ? size.height : nil
                )
            }
        }

        func lacks(_ index: Int) -> Bool { index == 0 && quirk == .largestGone }

        func drawing(by artist: Artist) -> Picture {
            switch self {
            case .artist(let musician): artist.portrait(musician, shape: sizes[0])
            case .album(let album): artist.cover(of: album, shape: sizes[0])
            }
        }
    }

    func image(_ request: DemoRequest) async -> DemoAnswer {
        guard let (subject, index) = images[request.path], !subject.lacks(index) else {
            return .notFound
        }
        let file = PictureHost.File(
            drawing: "i.scdn.co\(subject.path(0))", index: index, modified: 1_600_000_000)
        return await pictures.answer(request, file) { [artist] in
            let sizes = subject.sizes
            let canvas = try subject.drawing(by: artist)
                .draw(width: sizes[0].width, height: sizes[0].height)
            return try sizes.map { size in
                let small = try Canvas(width: size.width, height: size.height)
                small.draw(
                    canvas, x: 0, y: 0, width: Double(size.width), height: Double(size.height))
                return try small.encodeJPEG(quality: Artist.quality)
            }
        }
    }
}
