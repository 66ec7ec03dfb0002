import FoundationEssentials

/// Decodes a small JSON object. Unknown members are an error, because the client meant them to
/// matter.
enum AdminBody {
    /// The body of `POST /admin/warm`: items, URLs, a list of a source, or the failures of a run.
    struct WarmRequest: Decodable {
        var items: [String]?
        var urls: [String]?
        var source: String?
        var list: String?
        /// Ids of items, or the words that the list searches for.
        var what: [String]?
        /// The list's parameters, as in its URL: `{"page": "0"}`.
        var parameters: [String: String]?
        /// `0-3` or `5`.
        var pages: String?
        /// The id of an earlier run, whose failed items are repeated.
        var retry: String?
        /// If set, the run continues with the following pages, up to this many items.
        var limit: Int?
        /// `warm.levels` by default.
        var levels: [String]?
        /// `warm.formats` by default.
        var formats: [String]?
        /// Items under way at once.
        var concurrency: Int?
        /// Items begun per second.
        var rate: Double?
        var onlyMissing: Bool?
        /// `list`, `missing` or `stale`.
        var priority: String?
        var dryRun: Bool?

        static let members = [
            "items", "urls", "source", "list", "what", "parameters", "pages", "retry", "limit",
            "levels", "formats", "concurrency", "rate", "onlyMissing", "priority", "dryRun",
        ]
    }

    /// The body of `POST /admin/purge`: one of item, source and all.
    struct PurgeRequest: Decodable {
        var item: String?
        var source: String?
        var all: Bool?
        var soft: Bool?

        static let members = ["item", "source", "all", "soft"]
    }

    /// Why a body is invalid, in one sentence.
    struct Invalid: Error {
        var sentence: String
    }

    static func read<Body: Decodable>(
        _ type: Body.Type, _ bytes: [UInt8], members: [String]
    ) throws(Invalid) -> Body {
        let names: [String]
        let body: Body
        do {
            names = try JSONDecoder().decode(Names.self, from: Data(bytes)).names
            body = try JSONDecoder().decode(type, from: Data(bytes))
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
            let member = context.codingPath.first?.stringValue ?? ""
            throw Invalid(sentence: "“\(member)” has a value of the wrong type.")
        } catch {
            throw Invalid(sentence: "The body is not a JSON object.")
        }
        if let unknown = names.sorted().first(where: { !members.contains($0) }) {
            throw Invalid(
                sentence: "“\(unknown)” is unknown; known are \(members.joined(separator: ", ")).")
        }
        return body
    }

    private struct Names: Decodable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var names: [String]

        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
        }
    }
}
