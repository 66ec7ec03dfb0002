package import JSON
package import PlayedAPIs
import TestSupport

/// iTunes, Spotify and TMDB as the harness plays them, with invented contents.
extension Harness {
    package static let iTunesHosts = [ITunesAlbum.host, "is1-ssl.mzstatic.com"]
    package static let spotifyHosts = [
        SpotifyDocument.accountsHost, SpotifyDocument.host, SpotifyDocument.imageHost,
    ]
    package static let tmdbHosts = [TMDBDocument.host, TMDBDocument.imageHost]

    /// Album 1, with artwork in all sizes.
    package static var album: ITunesAlbum {
        var album = ITunesAlbum(id: 1, title: "Album")
        album.artwork = { "https://\(iTunesHosts[1])/image/thumb/A/v4/a.jpg/\($0)x\($0)bb.jpg" }
        return album
    }

    /// Album 1 with its artwork in the sizes wanted at level m and given.
    package func serveAlbum(songs: [JSON] = []) {
        origin.on(
            "/lookup", host: Self.iTunesHosts[0],
            .json(ITunesAlbum.results([Self.album.json] + songs).text))
        for side in [320, 100, 60] {
            serve(Self.iTunesHosts[1], "/image/thumb/A/v4/a.jpg/\(side)x\(side)bb.jpg", side)
        }
    }

    /// Artist `abc` with pictures of 640, 300 and 64 pixels, for callers with a token.
    package func serveArtist() {
        serveToken()
        let images = [640, 300, 64].map { (side: Int) -> SpotifyDocument.Image in
            ("https://\(Self.spotifyHosts[2])/image/\(side)", side, side)
        }
        origin.on(
            "/v1/artists/abc", host: Self.spotifyHosts[1],
            .json(SpotifyDocument.artist(id: "abc", name: "Artist", images: images).text))
        for side in [640, 300, 64] { serve(Self.spotifyHosts[2], "/image/\(side)", side) }
    }

    package func serveToken() {
        origin.on(
            "/api/token", host: Self.spotifyHosts[0],
            .json(SpotifyDocument.token(Self.secrets[3]).text))
    }

    /// Movie 7 with a poster and a backdrop in every size. Its poster is named by the movie, or
    /// only by the list of its pictures.
    package func serveMovie(namesPoster: Bool = true) {
        serveConfiguration()
        let movie = TMDBMovie(
            id: 7, title: "Movie", poster: namesPoster ? "/p.jpg" : nil, backdrop: "/b.jpg")
        origin.on("/3/movie/7", host: Self.tmdbHosts[0], .json(movie.details().text))
        guard !namesPoster else { return }
        let images = TMDBDocument.images(
            of: 7, posters: [TMDBDocument.image("/p.jpg", language: "en")])
        origin.on("/3/movie/7/images", host: Self.tmdbHosts[0], .json(images.text))
    }

    package func serveConfiguration() {
        let configuration = TMDBDocument.configuration(
            posters: ["w92", "w342", "original"], backdrops: ["w780"])
        origin.on("/3/configuration", host: Self.tmdbHosts[0], .json(configuration.text))
        origin.on("/3/genre/movie/list", .json(TMDBDocument.genres([(18, "Drama")]).text))
        for (size, width) in [("w92", 92), ("w342", 342), ("original", 500)] {
            serve(Self.tmdbHosts[1], "/t/p/\(size)/p.jpg", width)
        }
        serve(Self.tmdbHosts[1], "/t/p/w780/b.jpg", 780)
    }

    func serve(_ host: String, _ path: String, _ width: Int) {
        let picture = FixtureImages.jpeg(width: width, height: width, seed: UInt64(width))
        origin.on(path, host: host, .jpeg(picture))
    }
}
