import Imaging
import JSON
import PlayedAPIs

/// iTunes: the search for albums, look-ups; and covers in any size up to their own.
struct PlayedITunes: Sendable {
    private let catalog: MusicCatalog
    private let artist: Artist
    private let pictures: PictureHost
    private let byID: [Int: DemoAlbum]
    /// Albums by the name of their artwork's folder.
    private let byArtwork: [String: DemoAlbum]

    static let imageHosts = (1...5).map { "is\($0)-ssl.mzstatic.com" }
    /// Pixels a side that hosts still give which refuse more.
    private static let largest = 600

    init(_ catalog: MusicCatalog, _ artist: Artist, _ pictures: PictureHost) {
        self.catalog = catalog
        self.artist = artist
        self.pictures = pictures
        byID = Dictionary(uniqueKeysWithValues: catalog.albums.map { ($0.iTunesID, $0) })
        byArtwork = Dictionary(
            uniqueKeysWithValues: catalog.albums.map { (Self.folder(of: $0).last ?? "", $0) })
    }

    // MARK: The API

    /// Albums that the store finds for a term, the limit left aside.
    static func albums(for term: String, in catalog: MusicCatalog) -> [DemoAlbum] {
        let words = SearchWords(term)
        return catalog.albums.filter { words.begin("\($0.artist) \($0.title)") }
    }

    func search(_ request: DemoRequest) -> DemoAnswer {
        let query = request.query
        guard query["entity"] ?? "album" == "album", query["media"] ?? "music" == "music" else {
            return script([])
        }
        let limit = min(max(query["limit"].flatMap { Int($0) } ?? 50, 1), 200)
        let found = Self.albums(for: query["term"] ?? "", in: catalog)
        return script(found.prefix(limit).map { document($0).json })
    }

    /// Albums by their ids, on request with their songs; what is unknown is left out.
    func lookUp(_ request: DemoRequest) -> DemoAnswer {
        let ids = (request.query["id"] ?? "").split(separator: ",").compactMap { Int($0) }
        let wantsSongs = request.query["entity"] == "song"
        return script(
            ids.compactMap { byID[$0] }.flatMap { album in
                [document(album).json] + (wantsSongs ? tracks(of: album) : [])
            })
    }

    /// The real one says it sends a script, and begins with blank lines.
    private func script(_ results: [JSON]) -> DemoAnswer {
        DemoAnswer(
            status: 200, contentType: "text/javascript; charset=utf-8",
            fields: ["Cache-Control": "max-age=0, no-cache", "x-apple-max-age": "3600"],
            body: Array("\n\n\n".utf8) + ITunesAlbum.results(results).bytes)
    }

    private func document(_ album: DemoAlbum) -> ITunesAlbum {
        // The store says what isn't a whole album.
        var document = ITunesAlbum(
            id: album.iTunesID,
            title: album.kind == .single ? "\(album.title) - Single" : album.title)
        document.artist = album.artist
        document.isCompilation = album.kind == .compilation
        document.tracks = album.tracks + (Self.hasVideo(album) ? 1 : 0)
        document.date = album.date
        document.genre = album.genre.name
        document.rights = "℗ \(album.year) \(album.label)"
        document.url = "https://music.apple.com/us/album/\(album.title.slug)/\(album.iTunesID)?uo=4"
        if album.iTunesQuirk != .noPicture {
            document.artwork = { Self.artwork(of: album, $0) }
        }
        return document
    }

    /// Every third whole album comes with a music video.
    private static func hasVideo(_ album: DemoAlbum) -> Bool {
        album.kind == .album && album.number.isMultiple(of: 3)
    }

    /// A music video first, if there is one. Then the songs.
    private func tracks(of album: DemoAlbum) -> [JSON] {
        let document = document(album)
        let songs = album.songs(seed: catalog.seed)
        let videos = songs.prefix(Self.hasVideo(album) ? 1 : 0).map { song in
            document.track(
                album.tracks + 1, song.title, kind: "music-video", milliseconds: song.milliseconds)
        }
        return videos
            + songs.map { document.track($0.number, $0.title, milliseconds: $0.milliseconds) }
    }

    // MARK: Artwork

    /// Three folders of two digits, and one with a name of its own.
    private static func folder(of album: DemoAlbum) -> [String] {
        let name = SeededRandom.name(21, album.number, length: 32, radix: 16)
        func part(_ from: Int, _ count: Int) -> String {
            String(name.dropFirst(from).prefix(count))
        }
        let parts = [part(0, 8), part(8, 4), part(12, 4), part(16, 4), part(20, 12)]
        return [part(0, 2), part(2, 2), part(4, 2), parts.joined(separator: "-")]
    }

    /// `pixels` is 30, 60 or 100 in what the API says.
    private static func artwork(of album: DemoAlbum, _ pixels: Int) -> String {
        let folder = "v4/" + folder(of: album).joined(separator: "/")
        let path =
            if album.iTunesQuirk == .fixedArtwork {
                "pf/us/r30/Music4/\(folder)/mzi.cover.\(pixels)x\(pixels)-\(pixels == 100 ? 75 : 50).jpg"
            } else if album.number % 5 == 2 {
                // What was handed in between 2021 and 2022 has no name of its own.
                "thumb/Music124/\(folder)/source/\(pixels)x\(pixels)bb.jpg"
            } else {
                "thumb/Music115/\(folder)/\(880_000_000_000 + album.number * 104_729).jpg/"
                    + "\(pixels)x\(pixels)bb.jpg"
            }
        return "https://\(imageHosts[album.number % 5])/image/\(path)"
    }

    func cover(_ request: DemoRequest) async -> DemoAnswer {
        guard
            let album = request.path.split(separator: "/").lazy
                .compactMap({ byArtwork[String($0)] }).first,
            let pixels = size(of: album, request.path)
        else { return .notFound }
        switch album.iTunesQuirk {
        case .noPicture: return .notFound
        case .largeRefused where pixels > Self.largest: return .html("403 Forbidden", status: 403)
        case .largeGone where pixels > Self.largest: return .notFound
        default: break
        }
        let file = PictureHost.File(
            drawing: "mzstatic.com/\(album.number)/\(pixels)",
            modified: 1_560_000_000 + album.number * 86_400)
        return await pictures.answer(request, file) { [artist] in
            let canvas = try artist.cover(of: album).draw(width: pixels, height: pixels)
            return [try canvas.encodeJPEG(quality: Artist.quality)]
        }
    }

    /// Returns the pixels a side that a path asks for, at most those that the label handed in. Old addresses exist
    /// in three sizes.
    private func size(of album: DemoAlbum, _ path: String) -> Int? {
        if album.iTunesQuirk == .fixedArtwork {
            return [30, 60, 100].first { Self.artwork(of: album, $0).hasSuffix(path) }
        }
        guard let match = path.firstMatch(of: /\/(\d{1,6})x(\d{1,6})bb\.jpg$/),
            let width = Int(match.1), let height = Int(match.2), min(width, height) > 0,
            Self.artwork(of: album, 100).hasSuffix(
                "\(path[..<match.range.lowerBound])/100x100bb.jpg")
        else { return nil }
        return min(width, height, album.number % 3 == 0 ? 3_000 : 1_500)
    }
}
