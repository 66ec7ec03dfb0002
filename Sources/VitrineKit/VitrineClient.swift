public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Asks a service.
///
/// Failed requests are repeated by the ``RetryRule``; what stays wrong is thrown as a ``Problem``, or as the
/// `URLError` of the connection.
public struct VitrineClient: Sendable {
    /// Where the service is, such as `https://pictures.example.org`.
    public let address: URL
    public var retries = RetryRule()
    /// For services whose favorites need the admin token.
    public var token: String?
    /// Languages of titles, as in `Accept-Language`; nil for those of the session.
    public var languages: String?
    private let session: URLSession

    public init(_ address: URL, session: URLSession = .shared) {
        self.address = address
        self.session = session
    }

    // MARK: - Documents

    /// Returns what the service offers.
    public func service() async throws -> ServiceDescription {
        try await document("/v1")
    }

    /// Returns an item.
    ///
    /// - Parameter id: `source/kind/id`.
    public func item(_ id: String) async throws -> Item {
        try await document("/v1/\(Self.encoded(id))")
    }

    /// Returns a page.
    ///
    /// - Parameter path: of the page, such as ``Page/next``.
    public func page(_ path: String) async throws -> Page { try await document(path) }

    /// Returns all items of a list, page by page.
    ///
    /// - Parameters:
    ///   - list: its path below the source, such as `shows` or `artists/6olE6TJLqED3rqDCT0FyPh/albums`.
    ///   - parameters: such as `page`, `title` and `genre`; ``ServiceDescription`` has their names.
    public func items(
        of source: String, _ list: String, _ parameters: [String: String] = [:]
    ) -> ItemSequence {
        ItemSequence(client: self, path: path(source, list, parameters))
    }

    /// Returns the pages of a list.
    public func pages(
        of source: String, _ list: String, _ parameters: [String: String] = [:]
    ) -> PageSequence {
        PageSequence(client: self, path: path(source, list, parameters))
    }

    /// Returns what a search finds, page by page.
    ///
    /// - Parameter list: with a ``ServiceDescription/List/search`` parameter.
    public func search(
        _ words: String, in list: ServiceDescription.List, of source: String
    ) -> ItemSequence {
        items(of: source, list.name, [list.search ?? "title": words])
    }

    private func path(_ source: String, _ list: String, _ parameters: [String: String]) -> String {
        let query = parameters.sorted { $0.key < $1.key }.map { name, value in
            "\(Self.encoded(name, ""))=\(Self.encoded(value, ""))"
        }.joined(separator: "&")
        return "/v1/\(Self.encoded("\(source)/\(list)"))\(query.isEmpty ? "" : "?\(query)")"
    }

    // MARK: - Favorites

    /// Returns the favorites in their order.
    public func favorites() async throws -> [Item] {
        let page: Page = try await document("/v1/favorites")
        return page.items
    }

    /// Makes an item a favorite, or no longer.
    ///
    /// - Parameter id: `source/kind/id`.
    public func setFavorite(_ id: String, _ isFavorite: Bool) async throws {
        do {
            try await send(isFavorite ? "PUT" : "DELETE", "/v1/favorites/\(Self.encoded(id))")
        } catch let problem as Problem where !isFavorite && problem.status == 404 {
            // It was no favorite.
        }
    }

    /// Puts the favorites in this order. Those that it doesn't name come after.
    public func orderFavorites(_ ids: [String]) async throws {
        try await send("PUT", "/v1/favorites", JSONEncoder().encode(["items": ids]))
    }

    // MARK: - Pictures

    /// Returns the URL of a path of the service, which may be a whole URL already.
    public func url(of path: String) -> URL? {
        path.hasPrefix("/") ? URL(string: base + path) : URL(string: path)
    }

    /// Returns the URL of an item's thumbnail.
    ///
    /// - Parameters:
    ///   - id: `source/kind/id`.
    ///   - format: an extension such as `jpg`; nil to let the client's `Accept` decide.
    public func thumbnail(_ id: String, _ level: Level, format: String? = nil) -> URL? {
        url(of: "/t/\(level.name)/\(Self.encoded(id))\(format.map { ".\($0)" } ?? "")")
    }

    /// Returns the bytes of a picture.
    ///
    /// - Throws: a ``Problem`` for a placeholder: its status is that of the missing picture.
    public func picture(_ url: URL) async throws -> Data {
        var request = URLRequest(url: url)
        request.setValue("image/*", forHTTPHeaderField: "Accept")
        return try await sent(request)
    }

    // MARK: - Requests

    private var base: String {
        let text = address.absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private func document<Value: Decodable & Sendable>(_ path: String) async throws -> Value {
        try JSONDecoder.vitrine.decode(
            Value.self, from: try await sent(try request("GET", path)))
    }

    private func send(_ method: String, _ path: String, _ body: Data? = nil) async throws {
        var request = try request(method, path)
        request.httpBody = body
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        _ = try await sent(request)
    }

    private func request(_ method: String, _ path: String) throws -> URLRequest {
        guard let url = url(of: path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let languages { request.setValue(languages, forHTTPHeaderField: "Accept-Language") }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }

    private func sent(_ request: URLRequest) async throws -> Data {
        try await retries.run { [session] in
            let (body, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else {
                throw URLError(.badServerResponse)
            }
            if let problem = Problem(response, body) { throw problem }
            return body
        }
    }

    /// Returns a text as part of a path or a query.
    private static func encoded(_ text: String, _ more: String = "/") -> String {
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
                + more)
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }
}
