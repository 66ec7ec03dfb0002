package import Logging
import PlayedAPIs
import Synchronization

/// An origin on a loopback port that answers like all five catalogs and their image hosts over TLS,
/// HTTP/2 and HTTP/1.1, with invented contents and drawn pictures.
package final class DemoOrigin: Sendable {
    /// What it shows; known before it starts.
    package let shows: ShowCatalog
    package let music: MusicCatalog
    package let films: FilmCatalog
    package let objects: ObjectCatalog

    let configuration: DemoOriginConfiguration
    let logger: Logger
    private let state = Mutex(State.idle)

    private enum State {
        case idle, starting
        case running(DemoServer)
        case stopped
    }

    package init(
        _ configuration: DemoOriginConfiguration = .init(),
        logger: Logger = Logger(label: "vitrine.demo-origin")
    ) {
        self.configuration = configuration
        self.logger = logger
        shows = ShowCatalog(seed: configuration.seed, count: configuration.shows)
        music = MusicCatalog(seed: configuration.seed, artists: configuration.artists)
        films = FilmCatalog(seed: configuration.seed)
        objects = ObjectCatalog(seed: configuration.seed, count: configuration.objects)
    }

    /// Returns once it listens; it then runs until ``stop()``.
    package func start() async throws(DemoOriginError) -> RunningDemo {
        try claim()
        let routes = Routes(try routes())
        let hosts = routes.hosts
        let certificate = try DemoIdentity(hosts: hosts)
        let isPlain = configuration.transport == .plain
        let log = try configuration.log.map { path throws(DemoOriginError) in try RequestLog(path) }
        let responder = DemoResponder(
            routes: routes, faults: FaultInjector(configuration), log: log)
        let server: DemoServer
        do {
            server = try DemoServer(
                port: configuration.port,
                isPlain ? nil : certificate.tls(offersHTTP2: configuration.transport == .http2),
                responder)
        } catch {
            throw .listening(port: configuration.port, reason: "\(error)")
        }
        let port = server.port
        await adopt(server)
        return RunningDemo(
            port: port, hosts: hosts, certificateAuthorityPEM: certificate.authority,
            connectTo: hosts.map {
                "\($0):\(isPlain ? 80 : 443):127.0.0.1:\(port)"
            },
            allowNetwork: "127.0.0.0/8", credentials: configuration.credentials,
            sources: sources)
    }

    /// Finishes what it is answering, for at most two seconds. Idempotent.
    package func stop() async {
        let running = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        if case .running(let server) = running { await server.stop() }
    }

    /// Keeps what runs, unless it was stopped in the meantime.
    private func adopt(_ server: DemoServer) async {
        let wasStopped = state.withLock { state in
            if case .stopped = state { return true }
            state = .running(server)
            return false
        }
        if wasStopped { await server.stop() }
    }

    private func claim() throws(DemoOriginError) {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .starting
            return true
        }
        if !isFirst { throw .startedBefore }
    }
}

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

extension DemoOrigin {
    /// The lists that a demo warms, in this order.
    package var sources: [DemoSource] {
        // The artist with most albums.
        let artist = music.artists.max { $0.albums.count < $1.albums.count }
        let albums = (artist?.albums ?? []).map { music.albums[$0] }
        // The films of two pages, which have one film in common.
        var seen: Set<Int> = []
        let popular = (1...2).flatMap { films.popular(page: $0) }
            .filter { seen.insert($0.id).inserted }
        return [
            DemoSource(
                "tvmaze", "shows", pages: "0-\(max(shows.pages - 1, 0))",
                contents: "invented shows", of: shows.shows, id: { "show/\($0.id)" },
                quirk: \.quirk),
            DemoSource(
                "itunes", "albums", words: ["night"], limit: 48,
                contents: "albums found by “night”",
                of: PlayedITunes.albums(for: "night", in: music).prefix(48),
                id: { "album/\($0.iTunesID)" }, quirk: \.iTunesQuirk),
            DemoSource(
                "spotify", "artists", words: ["the"], contents: "artists found by “the”",
                of: PlayedSpotify.artists(for: "the", in: music).prefix(100),
                id: { "artist/\($0.spotifyID)" }, quirk: \.quirk),
            DemoSource(
                "spotify", "artist-albums", words: [artist?.spotifyID ?? ""],
                contents: "albums of \(artist?.name ?? "")",
                of: albums.filter { $0.kind != .compilation }.prefix(100),
                id: { "album/\($0.spotifyID)" }, quirk: \.spotifyQuirk),
            DemoSource(
                "tmdb", "popular", pages: "1-2", contents: "popular films", of: popular,
                id: { "movie/\($0.id)" }, quirk: \.quirk),
            // The index knows which objects have no image, but not of all of them.
            DemoSource(
                "rijksmuseum", "objects", limit: 40, contents: "museum objects",
                of: objects.objects.filter { $0.quirk != .noPicture }.prefix(40),
                id: { "object/\($0.number)" }, quirk: \.quirk),
        ].compactMap(\.self)
    }
}
