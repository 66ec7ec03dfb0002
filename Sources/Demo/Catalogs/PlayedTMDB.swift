import Imaging
import JSON
import PlayedAPIs

/// TMDB: for the holders of a key lists of films, the search, films and their pictures; and posters
/// and backdrops in the configured sizes.
struct PlayedTMDB: Sendable {
    private let catalog: FilmCatalog
    private let artist: Artist
    private let pictures: PictureHost
    private let token: String
    private let images: [String: DemoFilm.Image]

    /// What the real one said of its popular films; pages over 500 are refused all the same.
    private static let popularPages = 40_563
    private static let maxPage = 500

    init(_ catalog: FilmCatalog, _ artist: Artist, _ pictures: PictureHost, token: String) {
        self.catalog = catalog
        self.artist = artist
        self.pictures = pictures
        self.token = token
        let all = catalog.films.flatMap { $0.images(.poster) + $0.images(.backdrop) }
        images = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
    }

    /// The document for those with a key only.
    func held(_ document: @escaping @Sendable (DemoRequest) -> DemoAnswer) -> Document {
        { [self] request in
            request.authorization == "Bearer \(token)" || request.query["api_key"] == token
                ? document(request)
                : problem(401, 7, "Invalid API key: You must be granted a valid key.")
        }
    }

    // MARK: The API

    func configuration(_ request: DemoRequest) -> DemoAnswer {
        .json(TMDBDocument.configuration())
    }

    func genres(_ request: DemoRequest) -> DemoAnswer {
        .json(TMDBDocument.genres(FilmGenre.all.map { ($0.id, $0.name) }))
    }

    func popular(_ request: DemoRequest) -> DemoAnswer {
        page(request, total: Self.popularPages * FilmCatalog.pageSize - 15, catalog.popular)
    }

    func topRated(_ request: DemoRequest) -> DemoAnswer {
        page(request, total: catalog.films.count, catalog.topRated)
    }

    func search(_ request: DemoRequest) -> DemoAnswer {
        let found = catalog.films(for: request.query["query"] ?? "")
        let size = FilmCatalog.pageSize
        return page(request, total: found.count) {
            Array(found.dropFirst(($0 - 1) * size).prefix(size))
        }
    }

    private func page(
        _ request: DemoRequest, total: Int, _ films: (_ page: Int) -> [DemoFilm]
    ) -> DemoAnswer {
        guard let page = Int(request.query["page"] ?? "1"), 1...Self.maxPage ~= page else {
            return problem(
                400, 22,
                "Invalid page: Pages start at 1 and max at 500. They are expected to be an integer."
            )
        }
        // Some films still have a genre that the list of genres has no longer.
        let listed = films(page).map { film in
            movie(film).listed(
                genres: film.genres.map(\.id) + (film.number % 17 == 4 ? [10_769] : []))
        }
        let pages = (total + FilmCatalog.pageSize - 1) / FilmCatalog.pageSize
        return .json(TMDBDocument.page(listed, page: page, pages: pages, total: total))
    }

    func film(_ request: DemoRequest) -> DemoAnswer {
        named(request) { film in
            movie(film).details(genres: film.genres.map { ($0.id, $0.name) })
        }
    }

    func images(_ request: DemoRequest) -> DemoAnswer {
        named(request) { film in
            func list(_ kind: DemoFilm.Kind) -> [JSON] {
                film.images(kind).map {
                    TMDBDocument.image(
                        $0.path, language: $0.language, width: $0.pixels.width,
                        height: $0.pixels.height)
                }
            }
            return TMDBDocument.images(
                of: film.id, posters: list(.poster), backdrops: list(.backdrop))
        }
    }

    func unknown(_ request: DemoRequest) -> DemoAnswer {
        problem(404, 34, "The resource you requested could not be found.")
    }

    private func named(_ request: DemoRequest, _ body: (DemoFilm) -> JSON) -> DemoAnswer {
        guard let id = Int(request.names[0]) else {
            return problem(404, 6, "Invalid id: The pre-requisite id is invalid or not found.")
        }
        return catalog.film(id: id).map { .json(body($0)) } ?? unknown(request)
    }

    private func movie(_ film: DemoFilm) -> TMDBMovie {
        var movie = TMDBMovie(
            id: film.id, title: film.title, poster: film.images(.poster).first?.path,
            backdrop: film.images(.backdrop).first?.path)
        movie.overview = film.overview
        movie.date = film.date
        return movie
    }

    private func problem(_ status: Int, _ code: Int, _ message: String) -> DemoAnswer {
        .json(TMDBDocument.problem(code, message), status: status)
    }

    // MARK: Pictures

    /// `/t/p/{size}/{file}`.
    func picture(_ request: DemoRequest) async -> DemoAnswer {
        let size = request.names[0]
        guard let image = images["/\(request.names[1])"], let pixels = pixels(of: image, size),
            !(image.film.quirk == .originalGone && image.kind == .poster && size == "original")
        else { return .notFound }
        let file = PictureHost.File(
            drawing: "image.tmdb.org/\(size)\(image.path)", modified: 1_650_000_000)
        return await pictures.answer(request, file) { [artist] in
            let canvas = try artist.picture(of: image)
                .draw(width: pixels.width, height: pixels.height)
            return [try canvas.encodeJPEG(quality: Artist.quality)]
        }
    }

    /// Nil if this kind of picture doesn't have the size, such as `w342`.
    private func pixels(of image: DemoFilm.Image, _ size: String) -> (width: Int, height: Int)? {
        let sizes =
            image.kind == .poster ? TMDBDocument.posterSizes : TMDBDocument.backdropSizes
        guard sizes.contains(size) else { return nil }
        let (width, height) = image.pixels
        guard let wanted = Int(size.dropFirst()) else { return (width, height) }
        return (wanted, Int((Double(wanted * height) / Double(width)).rounded()))
    }
}
