import FoundationEssentials

/// data.rijksmuseum.nl: the search, a hundred objects a page; and the records that id.rijksmuseum.nl
/// leads to.
struct RijksmuseumSearchSite: DemoSite {
    let catalogue: ObjectCatalogue
    let records: RijksmuseumRecords

    static let pageSize = 100

    var hosts: [String] { ["data.rijksmuseum.nl"] }

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
            holds("title") { "\($0.titles.dutch) \($0.titles.english ?? "")" },
            holds("creator") { $0.maker.name },
            holds("type") { "\($0.subject.type.dutch) \($0.subject.type.english)" },
            holds("technique") { "\($0.subject.technique.dutch) \($0.subject.technique.english)" },
            holds("material") { object in
                object.subject.materials.map { "\($0.dutch) \($0.english)" }.joined(separator: " ")
            },
            { object in
                query["objectNumber"].map { Self.matches(object.objectNumber[...], $0[...]) }
                    ?? true
            },
            { object in
                query["creationDate"].map { pattern in
                    (object.year...object.lastYear).contains {
                        Self.matches(String($0)[...], pattern[...])
                    }
                } ?? true
            },
            { object in
                hasImage.map { $0 == (object.peculiarity != .noDigitalObject) } ?? true
            },
        ]
        return catalogue.objects.filter { object in conditions.allSatisfy { $0(object) } }
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
        func part(_ offset: Int) -> JSON {
            let token = offset > 0 ? ["pageToken=\(Self.token(offset))"] : []
            let query = (rest.map(String.init) + token).joined(separator: "&")
            let mark = query.isEmpty ? "" : "?"
            return "https://data.rijksmuseum.nl/search/collection\(mark)\(query)"
        }
        func link(_ offset: Int) -> JSON {
            ["id": part(offset), "type": "OrderedCollectionPage"]
        }
        let last = max(0, (found.count - 1) / Self.pageSize * Self.pageSize)
        var fields: JSON = [
            "@context": "https://linked.art/ns/v1/search.json", "id": part(first),
            "type": "OrderedCollectionPage",
            "partOf": [
                "id": part(0), "type": "OrderedCollection", "totalItems": .integer(found.count),
                "first": link(0), "last": link(last),
            ],
        ]
        if first + Self.pageSize < found.count {
            fields += ["next": link(first + Self.pageSize)]
        }
        if first > 0 { fields += ["prev": link(max(0, first - Self.pageSize))] }
        let items = found.dropFirst(first).prefix(Self.pageSize).map { object in
            LinkedArt.reference(object.number, "HumanMadeObject")
        }
        return fields + ["orderedItems": .array(items)]
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
        .json(["detail": .string(detail)], status: 400)
    }
}
