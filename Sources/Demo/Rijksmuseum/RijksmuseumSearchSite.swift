import FoundationEssentials
import PlayedAPIs

/// data.rijksmuseum.nl: the search, a hundred objects a page; and the records that id.rijksmuseum.nl
/// leads to.
struct RijksmuseumSearchSite: DemoSite {
    let catalog: ObjectCatalog
    let records: RijksmuseumRecords

    static let pageSize = 100

    var hosts: [String] { [MuseumDocument.searchHost] }

    func answer(_ request: DemoRequest) -> DemoAnswer {
        guard request.path == "/search/collection" else { return records.answer(request.path) }
        let fields = QueryText.fields(request.queryText)
        if let unknown = fields.first(where: { !Self.parameters.contains($0.name) }) {
            return problem("Unsupported query parameter: \(unknown.name)")
        }
        let query = request.query
        guard let first = query["pageToken"].map(Self.offset) ?? 0 else {
            return problem("Invalid page token")
        }
        let available = query["imageAvailable"]
        guard available == nil || available == "true" || available == "false" else {
            return problem("Invalid value for imageAvailable")
        }
        let found = objects(query, hasImage: available.map { $0 == "true" })
        return .json(page(found, from: first, queryText: request.queryText))
    }

    private static let parameters: Set<String> = [
        "title", "creator", "objectNumber", "creationDate", "type", "technique", "material",
        "imageAvailable", "pageToken",
    ]

    /// Whole words of titles and makers in both languages; all conditions at once.
    func objects(_ query: [String: String], hasImage: Bool?) -> [DemoObject] {
        func holds(
            _ name: String, _ text: @escaping (DemoObject) -> String
        ) -> (DemoObject) -> Bool {
            guard let value = query[name] else { return { _ in true } }
            let words = SearchWords(value)
            return { words.areIn(text($0)) }
        }
        let conditions: [(DemoObject) -> Bool] = [
            holds("title") { "\($0.record.title) \($0.record.englishTitle ?? "")" },
            holds("creator") { $0.record.maker?.name ?? "" },
            holds("type") { Self.words([$0.record.type]) },
            holds("technique") { Self.words([$0.record.technique]) },
            holds("material") { Self.words($0.record.materials) },
            { object in
                query["objectNumber"].map { Self.matches(object.record.objectNumber[...], $0[...]) }
                    ?? true
            },
            { object in
                query["creationDate"].map { pattern in
                    object.record.years?.contains {
                        Self.matches(String($0)[...], pattern[...])
                    } == true
                } ?? true
            },
            { object in
                hasImage.map { $0 == (object.quirk != .noDigitalObject) } ?? true
            },
        ]
        return catalog.objects.filter { object in conditions.allSatisfy { $0(object) } }
    }

    private static func words(_ texts: [Bilingual]) -> String {
        texts.map { "\($0.dutch) \($0.english)" }.joined(separator: " ")
    }

    /// `*` stands for any letters, `?` for one.
    private static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return matches(text, pattern.dropFirst())
                || !text.isEmpty && matches(text.dropFirst(), pattern)
        }
        guard let letter = text.first, first == "?" || first == letter else { return false }
        return matches(text.dropFirst(), pattern.dropFirst())
    }

    private func page(_ found: [DemoObject], from first: Int, queryText: String) -> JSON {
        let rest = queryText.split(separator: "&").filter { !$0.hasPrefix("pageToken=") }
        func part(_ offset: Int) -> String {
            let token = offset > 0 ? ["pageToken=\(Self.token(offset))"] : []
            let query = (rest.map(String.init) + token).joined(separator: "&")
            let mark = query.isEmpty ? "" : "?"
            return "https://\(MuseumDocument.searchHost)/search/collection\(mark)\(query)"
        }
        let last = max(0, (found.count - 1) / Self.pageSize * Self.pageSize)
        let next = first + Self.pageSize
        return MuseumDocument.page(
            found.dropFirst(first).prefix(Self.pageSize).map(\.number), total: found.count,
            address: part(first), first: part(0), last: part(last),
            next: next < found.count ? part(next) : nil,
            previous: first > 0 ? part(max(0, first - Self.pageSize)) : nil)
    }

    /// Base64 of `{"token": 104}` without padding.
    private static func token(_ offset: Int) -> String {
        let text = Data("{\"token\": \(offset)}".utf8).base64EncodedString()
        return String(text.prefix { $0 != "=" })
    }

    private static func offset(_ token: String) -> Int? {
        let padding = String(repeating: "=", count: (4 - token.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: token + padding) else { return nil }
        let match = String(decoding: data, as: UTF8.self).wholeMatch(of: /\{"token": (\d{1,9})\}/)
        return match.flatMap { Int($0.1) }
    }

    private func problem(_ detail: String) -> DemoAnswer {
        .json(MuseumDocument.problem(detail), status: 400)
    }
}
