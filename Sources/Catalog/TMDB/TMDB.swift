package import Fetch
import JSON

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
    package func title(ofKind kind: String) -> String { "Films" }
    package var lists: [ListDescription] { Self.lists }
    private static let lists = [
        ListDescription(
            "movies/popular", title: "Popular films", [page], shortName: "popular",
            tabTitle: "popular"),
        ListDescription(
            "movies/top-rated", title: "Top rated films", [page], shortName: "top-rated",
            tabTitle: "topRated"),
        ListDescription("search", title: "Films", [ListParameter("q", .term), page]),
    ]
    private static let page = ListParameter("page", .page(pages))

    package var tab: SourceTab? {
        SourceTab(
            subject: .films, shape: SourceTab.posters,
            credit: [
                .text("This product uses the "), .link(title, to: "https://www.themoviedb.org"),
                .text(" API but is not endorsed or certified by TMDB."),
            ])
    }
    package var imageHosts: [HostPattern] { [TMDBSizes.pictureHost] }

    /// The API rejects later pages, even if its total is larger.
    private static let pages = 1...500
    private static let moviesPerPage = 20
    /// Seconds for which configuration and genres are cached. TMDB recommends "every few days".
    private static let configurationLifetime = 3 * 86_400.0

    package func item(kind: String, id: String) throws(Failure) -> Item {
        try numbered(kind: kind, id: id, atMostDigits: 10)
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
        if movie.poster == nil {
            do throws(Failure) {
                let images = try await images(of: item, api)
                movie.poster = choice(of: images["posters"])
                movie.backdrop = movie.backdrop ?? choice(of: images["backdrops"])
            } catch {
                guard error.isTransient, movie.backdrop != nil || known == nil
                else { throw error }
                unread = "\(error)"
            }
        }
        guard known != nil || movie.poster != nil || movie.backdrop != nil else {
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
        let number = query.number("page") ?? Self.pages.lowerBound
        let options = "language=\(language.percentEncoded)&page=\(number)"
        let path =
            switch query.list {
            case "movies/popular": "/movie/popular?\(options)"
            case "movies/top-rated": "/movie/top_rated?\(options)"
            default:
                "/search/movie?query=\((query.parameters["q"] ?? "").percentEncoded)&\(options)"
            }
        let answer = try await read(path, api)
        if answer.status == 400, answer.code == APIAnswer.invalidPage { return nil }
        let (results, pages, total) = try await answer.decoded(title, by: Self.apiHost) { json in
            json["results"].elements.map {
                ($0, json["total_pages"].count, json["total_results"].count)
            }
        }
        let last = min(pages ?? number, Self.pages.upperBound)
        if number > max(last, 1) { return nil }
        let sizes = try await sizes(api)
        let genres = try await genres(api)
        return CatalogPage(
            items: results.compactMap(TMDBMovie.init).filter(\.isMovie)
                .map { $0.details(sizes: sizes, genres: genres) }.withoutRepeats,
            next: number < last ? query.with("page", number + 1) : nil, total: total,
            firstIndex: (number - 1) * Self.moviesPerPage)
    }

    /// Returns `nil` if TMDB has no such movie.
    private func movie(
        _ item: Item, _ api: any APIReading
    ) async throws(Failure) -> TMDBMovie? {
        do throws(Failure) {
            let answer = try await read(
                "/movie/\(item.id)?language=\(language.percentEncoded)", api)
            if answer.isAbsent { return nil }
            return try await answer.decoded(title, by: Self.apiHost, TMDBMovie.init)
        } catch {
            throw error.naming("TMDB's movie \(item.id)")
        }
    }

    /// Returns the images in all languages. If asked for one language, the API omits all others.
    private func images(
        of item: Item, _ api: any APIReading
    ) async throws(Failure) -> JSON {
        do throws(Failure) {
            let answer = try await read("/movie/\(item.id)/images", api)
            if answer.isAbsent { return .null }
            return try await answer.decoded(title, by: Self.apiHost, \.object)
        } catch {
            throw error.naming("TMDB's list of pictures of movie \(item.id)")
        }
    }

    /// Returns the path of the first image in the wanted language, else of one without text, in English,
    /// or in any language. The best rated come first.
    private func choice(of images: JSON) -> String? {
        let images = (images.elements ?? []).compactMap { image in
            image["file_path"].string.map {
                (path: $0, language: image["iso_639_1"].string?.nonEmpty)
            }
        }
        let wanted = language.split(separator: "-").first.map(String.init)
        for language in [wanted, nil, "en"] {
            if let image = images.first(where: { $0.language == language }) { return image.path }
        }
        return images.first?.path
    }

    private func sizes(_ api: any APIReading) async throws(Failure) -> TMDBSizes {
        do throws(Failure) {
            return try await kept("/configuration", TMDBSizes.init, api)
        } catch {
            throw error.naming("TMDB's configuration")
        }
    }

    /// Returns the genres' names by id, or none if they are unavailable. A list without genres
    /// still has its pictures.
    private func genres(_ api: any APIReading) async throws(Failure) -> [Int: String] {
        do throws(Failure) {
            let path = "/genre/movie/list?language=\(language.percentEncoded)"
            let genres = try await kept(path, { $0["genres"].elements }, api)
            return Dictionary(TMDBMovie.genres(genres).map { ($0.id, $0.name) }) { first, _ in first
            }
        } catch {
            guard error.isTransient else { throw error }
            return [:]
        }
    }

    private static let needs = "TMDB needs an API read access token; set VITRINE_TMDB_TOKEN."

    package var missing: String? { credentials == nil ? Self.needs : nil }

    /// Reads a document that is cached, if it is one: an error page may have a good status.
    private func kept<Value: Sendable>(
        _ path: String, _ read: @escaping @Sendable (JSON) -> Value?, _ api: any APIReading
    ) async throws(Failure) -> Value {
        let answer = try await self.read(path, api) { body in
            // The reader of the response reports the error.
            (try? JSON(parsing: body)).flatMap(read).map { _ in body }
        }
        return try await answer.decoded(title, by: Self.apiHost, read)
    }

    /// - Parameter kept: returns what is cached of a response; nil if none is.
    private func read(
        _ path: String, _ api: any APIReading,
        kept: (@Sendable ([UInt8]) -> [UInt8]?)? = nil
    ) async throws(Failure) -> APIAnswer {
        guard let credentials else {
            throw .unconfigured(reason: Self.needs)
        }
        var call = APICall(url: "https://\(Self.apiHost)/3\(path)", allowedHosts: [Self.apiHost])
        call.keeping = kept.map {
            APICall.Keeping(key: call.url, timeToLive: Self.configurationLifetime, part: $0)
        }
        credentials.authorize(&call)
        let answer = try await api.read(call)
        guard answer.status != 401 else {
            throw .unconfigured(reason: "TMDB rejected the credentials. Check VITRINE_TMDB_TOKEN.")
        }
        return answer
    }
}

/// A TMDB API read access token, or an API key. Text made of this value never shows it.
package struct TMDBCredentials: Sendable {
    private let secret: Secret

    /// Returns `nil` if it is missing or can't be a credential.
    package init?(_ text: String?) {
        guard let secret = Secret(credential: text) else { return nil }
        self.secret = secret
    }

    /// Whether the secret is a key: keys are 32 hexadecimal digits, tokens are far longer.
    private var isKey: Bool {
        let text = secret.reveal()
        return text.utf8.count == 32 && text.allSatisfy(\.isHexDigit)
    }

    func authorize(_ call: inout APICall) {
        if isKey {
            call.secretQuery = "api_key=\(secret.reveal())"
        } else {
            call.headers.append((name: "Authorization", value: "Bearer \(secret.reveal())"))
        }
    }
}

// MARK: - Errors

extension APIAnswer {
    /// TMDB's code for a page that a list doesn't have.
    fileprivate static let invalidPage = 22
    /// Codes for an item that TMDB doesn't have: "Invalid id" and "could not be found".
    private static let absence = [6, 34]

    /// Whether TMDB says that the item doesn't exist. A 404 may also be about the service.
    fileprivate var isAbsent: Bool {
        status == 410 || status == 404 && code.map(Self.absence.contains) ?? true
    }

    /// The code in the body of an error; nil if the body is something else. The HTTP status decides then.
    fileprivate var code: Int? { shortDocument["status_code"].integer() }
}

// MARK: - Hosts

extension TMDB {
    static let apiHost = HostPattern("api.themoviedb.org")

    /// The API tolerates about 40 calls per second. Half of that is enough.
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (Self.apiHost, HostPolicy(maxConcurrent: 8, rate: .init(count: 20, per: .seconds(1)))),
            (TMDBSizes.pictureHost, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
