/// A name, an identifier or a remark in a record: a text with its language and kind.
struct MuseumText: Decodable {
    let id: String?
    let types: [String]
    let content: String?
    let language: MuseumLanguage?
    /// Position in the museum's own order, from 1. The order in the record changes from day to day.
    let place: Int?
    private let classes: [String]

    /// The suffix of a kind's id: numbers of the Art & Architecture Thesaurus, and one of the
    /// museum's.
    enum Kind: String {
        /// The title to use; among remarks, the description.
        case preferred = "/aat/300404670"
        case formerTitle = "/22015528"
        case objectNumber = "/aat/300312355"
        /// One maker's name, without the maker's role.
        case maker = "/aat/300435417"
        /// All makers in one sentence.
        case makers = "/aat/300435416"
        case place = "/aat/300456575"
        /// Material and technique in one sentence.
        case medium = "/aat/300435429"
        case dimensions = "/aat/300435430"
        case creditLine = "/aat/300026687"
    }

    private enum Key: String, CodingKey {
        case id, type, content, language
        case identifiers = "identified_by"
        case classes = "classified_as"
    }

    private struct Place: Decodable {
        let number: Int?

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            let isPlace = fields.ids(.classes).contains { $0.hasSuffix(Kind.place.rawValue) }
            number = isPlace ? fields.text(.content).flatMap { Int($0) } : nil
        }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        id = fields.lenient(String.self, .id)
        types = fields.all(String.self, .type)
        content = fields.text(.content)
        language = fields.ids(.language).compactMap(MuseumLanguage.init(id:)).first
        classes = fields.ids(.classes)
        place = fields.all(Place.self, .identifiers).compactMap(\.number).first
    }

    func isA(_ kind: Kind) -> Bool {
        classes.contains { $0.hasSuffix(kind.rawValue) }
    }
}

extension Array {
    /// Returns the elements in the museum's own order if it is known, else in their present order.
    func ordered(by place: (Element) -> Int?) -> [Element] {
        // The offset keeps equal elements in order, because `sort` is not guaranteed to be stable.
        enumerated()
            .map { (place: place($1) ?? .max, offset: $0, element: $1) }
            .sorted { ($0.place, $0.offset) < ($1.place, $1.offset) }
            .map(\.element)
    }
}

extension [MuseumText] {
    func first(_ kind: MuseumText.Kind, in language: MuseumLanguage) -> String? {
        first { $0.isA(kind) && $0.language == language && $0.content != nil }?.content
    }
}
