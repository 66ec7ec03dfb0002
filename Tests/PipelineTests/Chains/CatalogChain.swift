import Catalog
import PipelineSupport
import Testing

/// An item of a catalog with all hops to its picture at level m.
struct CatalogChain: Sendable, CustomTestStringConvertible {
    var item: Item
    var hops: [Hop]
    var serve: @Sendable (Harness) -> Void

    var testDescription: String { "\(item)" }

    /// A chain with each of its hops.
    var cases: [HopCase] { hops.map { HopCase(chain: self, hop: $0) } }

    var pictureHosts: Set<String> { Set(hops.filter(\.isPicture).map(\.host)) }
}

struct HopCase: Sendable, CustomTestStringConvertible {
    var chain: CatalogChain
    var hop: Hop

    var testDescription: String { "\(chain.item), \(hop.name)" }
}

extension CatalogChain {
    static let all = [show, poster, album, artist, movie, movieWithoutPoster]

    static let show = CatalogChain(
        item: Item(source: "tvmaze", kind: "show", id: "1"),
        hops: [
            Hop(
                name: "show", host: Harness.apiHost, path: "/shows/1", speaker: "TVmaze",
                absence: "TVmaze has no show 1."),
            Hop(
                name: "original", host: Harness.imageHost, path: "/original/1.jpg", isPicture: true,
                rest: "medium"),
            Hop(
                name: "medium", host: Harness.imageHost, path: "/medium/1.jpg", isPicture: true,
                rest: "original"),
        ],
        serve: { $0.servePoster() })

    static let poster = CatalogChain(
        item: Item(source: "tvmaze", kind: "poster", id: "1"),
        hops: [
            Hop(
                name: "images", host: Harness.apiHost, path: "/shows/1/images", rest: "original",
                speaker: "TVmaze", absence: "TVmaze has no show 1."),
            Hop(
                name: "main poster (original)", host: Harness.imageHost, path: "/poster.jpg",
                isPicture: true, rest: "main poster (medium)"),
            Hop(
                name: "main poster (medium)", host: Harness.imageHost, path: "/small.jpg",
                isPicture: true, rest: "main poster (original)"),
            Hop(
                name: "show", host: Harness.apiHost, path: "/shows/1",
                rest: "main poster (original)"),
        ],
        serve: { $0.servePoster() })

    private static func artwork(_ side: Int, rest: String) -> Hop {
        Hop(
            name: side == 320 ? "artwork 320×320" : "artworkUrl\(side)",
            host: Harness.iTunesHosts[1],
            path: "/image/thumb/A/v4/a.jpg/\(side)x\(side)bb.jpg", isPicture: true, rest: rest)
    }

    static let album = CatalogChain(
        item: Item(source: "itunes", kind: "album", id: "1"),
        hops: [
            Hop(
                name: "lookup", host: Harness.iTunesHosts[0], path: "/lookup", speaker: "iTunes",
                absence: "itunes.apple.com answered 404.", endsWith404: false),
            artwork(320, rest: "artworkUrl100"), artwork(100, rest: "artwork 320×320"),
            artwork(60, rest: "artwork 320×320"),
        ],
        serve: { $0.serveAlbum() })

    private static func image(_ side: Int, rest: String) -> Hop {
        Hop(
            name: "image \(side)×\(side)", host: Harness.spotifyHosts[2], path: "/image/\(side)",
            isPicture: true, rest: rest)
    }

    static let artist = CatalogChain(
        item: Item(source: "spotify", kind: "artist", id: "abc"),
        hops: [
            Hop(
                name: "token", host: Harness.spotifyHosts[0], path: "/api/token",
                speaker: "Spotify's token service",
                absence: "accounts.spotify.com answered 404.", endsWith404: false),
            Hop(
                name: "artist", host: Harness.spotifyHosts[1], path: "/v1/artists/abc",
                speaker: "Spotify", absence: "Spotify has no artist abc."),
            image(640, rest: "image 300×300"), image(300, rest: "image 640×640"),
            image(64, rest: "image 640×640"),
        ],
        serve: { $0.serveArtist() })

    private static func api(
        _ path: String, _ part: String, absence: String?, endsWith404: Bool = true,
        rest: String? = nil
    ) -> Hop {
        Hop(
            name: path, host: Harness.tmdbHosts[0], path: "/3/\(path)", rest: rest,
            speaker: "TMDB", part: part, absence: absence, endsWith404: endsWith404)
    }

    private static func picture(_ label: String, _ path: String, rest: String) -> Hop {
        Hop(
            name: label, host: Harness.tmdbHosts[1], path: "/t/p/\(path)", isPicture: true,
            rest: rest)
    }

    static let movie = CatalogChain(
        item: Item(source: "tmdb", kind: "movie", id: "7"),
        hops: [
            api("movie/7", "TMDB's movie 7", absence: "TMDB has no movie 7."),
            api(
                "configuration", "TMDB's configuration",
                absence: "TMDB's configuration can't be read: api.themoviedb.org answered 404.",
                endsWith404: false),
            picture("poster w342", "w342/p.jpg", rest: "poster original"),
            picture("poster original", "original/p.jpg", rest: "poster w342"),
            picture("poster w92", "w92/p.jpg", rest: "poster w342"),
            picture("backdrop w780", "w780/b.jpg", rest: "poster w342"),
        ],
        serve: { $0.serveMovie() })

    static let movieWithoutPoster = CatalogChain(
        item: Item(source: "tmdb", kind: "movie", id: "7"),
        hops: [
            api(
                "movie/7/images", "TMDB's list of pictures of movie 7", absence: nil,
                rest: "backdrop w780"),
            picture("poster w342", "w342/p.jpg", rest: "poster original"),
        ],
        serve: { $0.serveMovie(namesPoster: false) })
}
