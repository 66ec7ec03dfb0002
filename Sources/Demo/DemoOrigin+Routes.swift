import PlayedAPIs

extension DemoOrigin {
    /// Every path that it answers: the APIs and image hosts of five catalogs, and on request the files
    /// of a directory.
    func routes() throws(DemoOriginError) -> [Routes.Row] {
        let seed = configuration.seed
        let credentials = configuration.credentials
        let artist = Artist(seed: seed)
        let pictures = PictureHost(
            seed: seed, maxBytes: configuration.pictureBytes, logger: logger)
        let tvmaze = PlayedTVMaze(catalog: shows, artist: artist, pictures: pictures)
        let itunes = PlayedITunes(music, artist, pictures)
        let spotify = PlayedSpotify(
            music, artist, pictures, credentials, tokenLifetime: configuration.tokenLifetime)
        let tmdb = PlayedTMDB(films, artist, pictures, token: credentials.tmdbToken)
        let museum = PlayedMuseum(objects, artist, pictures)
        var rows: [Routes.Row] = [
            ("api.tvmaze.com/shows", tvmaze.index),
            ("api.tvmaze.com/shows/*", tvmaze.show),
            ("api.tvmaze.com/shows/*/images", tvmaze.images),
            ("api.tvmaze.com/search/shows", tvmaze.search),
            ("api.tvmaze.com/**", tvmaze.unknown),
            ("static.tvmaze.com/uploads/images/*/*/*", tvmaze.picture),

            ("itunes.apple.com/search", itunes.search),
            ("itunes.apple.com/lookup", itunes.lookUp),
        ]
        for host in PlayedITunes.imageHosts { rows.append(("\(host)/image/**", itunes.cover)) }
        rows += [
            ("accounts.spotify.com/api/token", spotify.token),
            ("api.spotify.com/v1/search", spotify.held(spotify.search)),
            ("api.spotify.com/v1/artists/*", spotify.held(spotify.artist)),
            ("api.spotify.com/v1/artists/*/albums", spotify.held(spotify.albums)),
            ("api.spotify.com/v1/albums/*", spotify.held(spotify.album)),
            ("api.spotify.com/**", spotify.held(spotify.service)),
            ("i.scdn.co/image/*", spotify.image),

            ("api.themoviedb.org/3/configuration", tmdb.held(tmdb.configuration)),
            ("api.themoviedb.org/3/genre/movie/list", tmdb.held(tmdb.genres)),
            ("api.themoviedb.org/3/movie/popular", tmdb.held(tmdb.popular)),
            ("api.themoviedb.org/3/movie/top_rated", tmdb.held(tmdb.topRated)),
            ("api.themoviedb.org/3/search/movie", tmdb.held(tmdb.search)),
            ("api.themoviedb.org/3/movie/*", tmdb.held(tmdb.film)),
            ("api.themoviedb.org/3/movie/*/images", tmdb.held(tmdb.images)),
            ("api.themoviedb.org/**", tmdb.held(tmdb.unknown)),
            ("image.tmdb.org/t/p/*/*", tmdb.picture),

            ("data.rijksmuseum.nl/search/collection", museum.search),
            ("data.rijksmuseum.nl/*", museum.record),
            ("id.rijksmuseum.nl/*", museum.link),
            ("iiif.micr.io/*", museum.service),
            ("iiif.micr.io/*/info.json", museum.info),
            ("iiif.micr.io/*/*/*/*/*", museum.picture),
        ]
        if let directory = configuration.pictures {
            rows.append(("pictures.example/*/*", try FolderPictures(directory).file))
        }
        return rows
    }
}
