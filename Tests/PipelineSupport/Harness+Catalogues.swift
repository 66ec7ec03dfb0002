import TestSupport

/// What the harness plays of iTunes, Spotify and TMDB; all of it made up, in the forms of real
/// answers.
extension Harness {
    package static let iTunesHosts = ["itunes.apple.com", "is1-ssl.mzstatic.com"]
    package static let spotifyHosts = ["accounts.spotify.com", "api.spotify.com", "i.scdn.co"]
    package static let tmdbHosts = ["api.themoviedb.org", "image.tmdb.org"]

    /// Album 1 with its artwork in the sizes wanted at level m and given.
    package func serveAlbum(songs: String = "") {
        let base = "https://\(Self.iTunesHosts[1])/image/thumb/A/v4/a.jpg"
        origin.on(
            "/lookup", host: Self.iTunesHosts[0],
            .json(
                """
                {"resultCount":1,"results":[{"wrapperType":"collection","collectionId":1,
                "collectionName":"Album","artworkUrl60":"\(base)/60x60bb.jpg",
                "artworkUrl100":"\(base)/100x100bb.jpg"}\(songs)]}
                """))
        for side in [320, 100, 60] {
            serve(Self.iTunesHosts[1], "/image/thumb/A/v4/a.jpg/\(side)x\(side)bb.jpg", side)
        }
    }

    /// Artist `abc` with pictures of 640, 300 and 64 pixels, for those with a token.
    package func serveArtist() {
        serveToken()
        let images = [640, 300, 64].map {
            #"{"url":"https://\#(Self.spotifyHosts[2])/image/\#($0)","width":\#($0),"height":\#($0)}"#
        }
        origin.on(
            "/v1/artists/abc", host: Self.spotifyHosts[1],
            .json(
                #"{"id":"abc","name":"Artist","images":[\#(images.joined(separator: ","))]}"#))
        for side in [640, 300, 64] { serve(Self.spotifyHosts[2], "/image/\(side)", side) }
    }

    package func serveToken() {
        origin.on(
            "/api/token", host: Self.spotifyHosts[0],
            .json(
                #"{"access_token":"\#(Self.secrets[3])","token_type":"Bearer","expires_in":3600}"#))
    }

    /// Movie 7 with a poster and a backdrop in every size; its poster is named by the movie, or only
    /// by the list of its pictures.
    package func serveMovie(namesPoster: Bool = true) {
        serveConfiguration()
        let poster = namesPoster ? #""/p.jpg""# : "null"
        origin.on(
            "/3/movie/7", host: Self.tmdbHosts[0],
            .json(
                """
                {"id":7,"title":"Movie","poster_path":\(poster),"backdrop_path":"/b.jpg"}
                """))
        guard !namesPoster else { return }
        origin.on(
            "/3/movie/7/images", host: Self.tmdbHosts[0],
            .json(#"{"id":7,"posters":[{"file_path":"/p.jpg","iso_639_1":"en"}]}"#))
    }

    package func serveConfiguration() {
        origin.on(
            "/3/configuration", host: Self.tmdbHosts[0],
            .json(
                """
                {"images":{"secure_base_url":"https://\(Self.tmdbHosts[1])/t/p/",
                "poster_sizes":["w92","w342","original"],"backdrop_sizes":["w780"]}}
                """))
        origin.on("/3/genre/movie/list", .json(#"{"genres":[{"id":18,"name":"Drama"}]}"#))
        for (size, width) in [("w92", 92), ("w342", 342), ("original", 500)] {
            serve(Self.tmdbHosts[1], "/t/p/\(size)/p.jpg", width)
        }
        serve(Self.tmdbHosts[1], "/t/p/w780/b.jpg", 780)
    }

    /// Show 1 with both its pictures, and its main poster in both sizes.
    package func servePoster() {
        serveShow(1)
        func url(_ name: String) -> String { "https://\(Self.imageHost)/\(name).jpg" }
        origin.on(
            "/shows/1/images", host: Self.apiHost,
            .json(
                """
                [{"type":"poster","main":true,"resolutions":{
                "original":{"url":"\(url("poster"))","width":680,"height":1000},
                "medium":{"url":"\(url("small"))","width":210,"height":295}}}]
                """))
        for (name, width) in [
            ("poster", 680), ("small", 210), ("original/1", 500), ("medium/1", 209),
        ] {
            serve(Self.imageHost, "/\(name).jpg", width)
        }
    }

    private func serve(_ host: String, _ path: String, _ width: Int) {
        let picture = FixtureImages.jpeg(width: width, height: width, seed: UInt64(width))
        origin.on(path, host: host, .jpeg(picture))
    }
}
