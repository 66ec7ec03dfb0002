package import Fetch
import FoundationEssentials

/// The Movie Database: movies and their posters.
///
/// Source: <https://developer.themoviedb.org/docs>. TMDB requires attribution, and cached data must
/// not be older than half a year.
package struct TMDB: Source {
    private let credentials: TMDBCredentials?
    private let language: String

    /// Without `credentials` every call throws ``Failure/unconfigured(reason:)``.
    ///
    /// - Parameter language: Language tag such as `en-US` for titles and summaries, and for posters
    ///   if there is a choice.
    package init(credentials: TMDBCredentials?, language: String = "en-US") {
        self.credentials = credentials
        self.language = language
    }

    package var name: String { "tmdb" }
    package var title: String { "TMDB" }
    package var kinds: [String] { ["movie"] }
    package var lists: [String] {
        ["movies/popular?page=", "movies/top-rated?page=", "search?q=&page="]
    }
    package var shortLists: [String] { ["popular", "top-rated"] }
    package var termParameter: String { "q" }
    package func title(of list: String) -> String {
        switch list {
        case "movies/popular": "Popular films"
        case "movies/top-rated": "Top rated films"
        default: "Films"
        }
    }
    package var imageHosts: [HostPattern] { [TMDBHosts.images] }

    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { TMDBHosts.policies }

    /// The API rejects later pages, even if its total is larger.
    static let pages = 1...500
    static let moviesPerPage = 20
    /// Seconds for which configuration and genres are cached. TMDB recommends "every few days".
    static let configurationLifetime = 3 * 86_400.0

    package func item(kind: String, id: String) throws(Failure) -> Item {
        guard kinds.contains(kind) else {
            throw .notFound("TMDB has no kind", kind, among: kinds)
        }
        guard let number = id.itemNumber(atMostDigits: 10) else {
            throw .invalid(
                reason: """
                    A TMDB id is a positive number of at most 10 digits, not “\(id.shortened)”.
                    """)
        }
        return Item(source: name, kind: kind, id: number)
    }

    package func query(
        list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        let owner = "TMDB's list “\(list.shortened)”"
        switch list {
        case "movies/popular", "movies/top-rated":
            let given = try Parameters(parameters, known: ["page"], owner: owner)
            return try self.list(list, [:], given)
        case "search":
            let given = try Parameters(parameters, known: ["q", "page"], owner: owner)
            return try self.list(list, ["q": try given.term("q")], given)
        default:
            throw .notFound(
                "TMDB has no list", list,
                among: ["movies/popular", "movies/top-rated", "search"])
        }
    }

    /// `popular` and `top-rated` stand for `movies/popular` and `movies/top-rated`.
    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        (
            shortLists.contains(name) ? "movies/\(name)" : name,
            words.isEmpty ? [:] : [termParameter: words.joined(separator: " ")]
        )
    }

    /// Makes one call, and a second one if the first names no poster, because the movie may have
    /// some all the same.
    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        let known = try await movie(item, api)
        // A movie that TMDB doesn't describe may still have pictures.
        var movie = known ?? TMDBMovie(id: Int(item.id) ?? 0)
        var unread: String?
        if movie.posterPath == nil {
            do throws(Failure) {
                let images = try await images(of: item, api)
                movie.posterPath = TMDBImage.choice(of: images.posters, language: language)
                movie.backdropPath =
                    movie.backdropPath ?? TMDBImage.choice(of: images.backdrops, language: language)
            } catch {
                guard error.isTransient, movie.backdropPath != nil || known == nil
                else { throw error }
                unread = "\(error)"
            }
        }
        guard known != nil || movie.posterPath != nil || movie.backdropPath != nil else {
            throw .notFound(reason: "TMDB has no movie \(item.id).")
        }
        var details = movie.details(sizes: try await sizes(api), genres: [:])
        details.entry.item = item
        details.isResolved = true
        details.unread = unread
        return details
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let query = try self.query(list: query.list, parameters: query.parameters)
        let number = query.parameters["page"].flatMap { Int($0) } ?? Self.pages.lowerBound
        let options = "language=\(language.percentEncoded)&page=\(number)"
        let path =
            switch query.list {
            case "movies/popular": "/movie/popular?\(options)"
            case "movies/top-rated": "/movie/top_rated?\(options)"
            default:
                "/search/movie?query=\((query.parameters["q"] ?? "").percentEncoded)&\(options)"
            }
        let answer = try await read(path, api)
        if answer.status == 400, TMDBStatus.of(answer) == .invalidPage { return nil }
        guard answer.isSuccess else { throw answer.refusal(by: TMDBHosts.api) }
        let page = try answer.decoded(TMDBPage.self, from: title)
        let last = min(page.totalPages ?? number, Self.pages.upperBound)
        if number > max(last, 1) { return nil }
        let sizes = try await sizes(api)
        let genres = try await genres(api)
        return CatalogPage(
            items: page.results.compactMap(\.value).filter(\.isMovie)
                .map { $0.details(sizes: sizes, genres: genres) }.withoutRepeats,
            next: number < last ? with(page: number + 1, query) : nil, total: page.totalResults,
            firstIndex: (number - 1) * Self.moviesPerPage)
    }

    private func list(
        _ list: String, _ own: [String: String], _ given: Parameters
    ) throws(Failure) -> ListQuery {
        let number = try given.integer("page", in: Self.pages, default: Self.pages.lowerBound)
        return with(page: number, ListQuery(source: name, list: list, parameters: own))
    }

    private func with(page: Int, _ query: ListQuery) -> ListQuery {
        var query = query
        query.parameters["page"] = "\(page)"
        return query
    }

    /// Returns `nil` if TMDB has no such movie.
    private func movie(
        _ item: Item, _ api: any APIReading
    ) async throws(Failure) -> TMDBMovie? {
        do throws(Failure) {
            let answer = try await read(
                "/movie/\(item.id)?language=\(language.percentEncoded)", api)
            if TMDBStatus.isAbsent(answer) { return nil }
            guard answer.isSuccess else { throw answer.refusal(by: TMDBHosts.api) }
            return try answer.decoded(TMDBMovie.self, from: title)
        } catch {
            throw error.naming("TMDB's movie \(item.id)")
        }
    }

    /// Returns the images in all languages. If asked for one language, the API omits all others.
    private func images(
        of item: Item, _ api: any APIReading
    ) async throws(Failure) -> TMDBImages {
        do throws(Failure) {
            let answer = try await read("/movie/\(item.id)/images", api)
            if TMDBStatus.isAbsent(answer) { return TMDBImages() }
            guard answer.isSuccess else { throw answer.refusal(by: TMDBHosts.api) }
            return try answer.decoded(TMDBImages.self, from: title)
        } catch {
            throw error.naming("TMDB's list of pictures of movie \(item.id)")
        }
    }

    private func sizes(_ api: any APIReading) async throws(Failure) -> TMDBSizes {
        do throws(Failure) {
            let answer = try await read("/configuration", keeping: TMDBConfiguration.self, api)
            guard answer.isSuccess else { throw answer.refusal(by: TMDBHosts.api) }
            return try answer.decoded(TMDBConfiguration.self, from: title).sizes
        } catch {
            throw error.naming("TMDB's configuration")
        }
    }

    /// Returns the genres' names by id, or none if they are unavailable. A list without genres
    /// still has its pictures.
    private func genres(_ api: any APIReading) async throws(Failure) -> [Int: String] {
        do throws(Failure) {
            let path = "/genre/movie/list?language=\(language.percentEncoded)"
            let answer = try await read(path, keeping: TMDBGenres.self, api)
            guard answer.isSuccess else { return [:] }
            return try answer.decoded(TMDBGenres.self, from: title).names
        } catch {
            guard error.isTransient else { throw error }
            return [:]
        }
    }

    private static let needs = "TMDB needs an API read access token; set VITRINE_TMDB_TOKEN."

    package var missing: String? { credentials == nil ? Self.needs : nil }

    /// - Parameter document: the type of the response if it should be cached.
    private func read(
        _ path: String, keeping document: (any (Decodable & SendableMetatype).Type)? = nil,
        _ api: any APIReading
    ) async throws(Failure) -> APIAnswer {
        guard let credentials else {
            throw .unconfigured(reason: Self.needs)
        }
        var call = APICall(url: "https://\(TMDBHosts.api)/3\(path)", allowedHosts: [TMDBHosts.api])
        if let document {
            // Only a valid document is cached, because an error page may have a good status.
            call.keeping = .init(key: call.url, timeToLive: Self.configurationLifetime) { body in
                // The reader of the response reports the error.
                (try? JSONDecoder().decode(document, from: Data(body))).map { _ in body }
            }
        }
        credentials.authorize(&call)
        let answer = try await api.read(call)
        guard answer.status != 401 else {
            throw .unconfigured(reason: "TMDB rejected the credentials. Check VITRINE_TMDB_TOKEN.")
        }
        return answer
    }
}
