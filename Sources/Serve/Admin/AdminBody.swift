import FoundationEssentials

/// Decodes a small JSON object. Unknown members are an error, because the client meant them to
/// matter.
enum AdminBody {
    /// The body of `POST /admin/warm`: items, or a list of a source.
    struct WarmRequest: Decodable {
        var items: [String]?
        var source: String?
        var list: String?
        /// The list's parameters, as in its URL: `{"page": "0"}`.
        var parameters: [String: String]?
        /// If set, the run continues with the following pages, up to this many items.
        var limit: Int?
        /// All levels by default.
        var levels: [String]?
        /// WebP and JPEG by default.
        var formats: [String]?

        static let members = [
            "items", "source", "list", "parameters", "limit", "levels", "formats",
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
