/// An object's titles, present and former, and its number.
struct MuseumNames: Decodable {
    struct Title: Equatable {
        var text: String
        var language: MuseumLanguage?
    }

    private let names: [MuseumText]
    private let identifiers: [MuseumText]

    private enum Key: String, CodingKey {
        case names = "identified_by"
        case originals = "translation_of"
    }

    /// A name, with the names that it translates.
    ///
    /// A node with an id such as `_:b52` may be complete there and only be referenced in its own
    /// place.
    private struct Node: Decodable {
        let text: MuseumText
        let originals: [MuseumText]

        init(from decoder: any Decoder) throws {
            text = try MuseumText(from: decoder)
            let fields = try decoder.container(keyedBy: Key.self)
            originals = fields.all(MuseumText.self, .originals)
        }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let nodes = fields.all(Node.self, .names)
        let originals = nodes.flatMap(\.originals).filter { $0.id != nil && $0.content != nil }
        names =
            nodes.map(\.text)
            .filter { $0.types.contains("Name") }
            .compactMap { name in
                name.content != nil ? name : originals.first { $0.id == name.id }
            }
            .ordered(by: \.place)
        identifiers = nodes.map(\.text).filter { $0.types.contains("Identifier") }
            .ordered(by: \.place)
    }

    var objectNumber: String? {
        identifiers.first { $0.isA(.objectNumber) && $0.content != nil }?.content
    }

    /// Returns the best title for a language. In order of preference:
    ///
    /// 1. the preferred title in that language
    /// 2. any title in that language
    /// 3. the preferred title in the other language
    /// 4. the first title
    /// 5. a former title
    func title(in language: MuseumLanguage) -> Title? {
        let present = names.filter { !$0.isA(.formerTitle) }
        let inLanguage = present.filter { $0.language == language }
        let name =
            inLanguage.first { $0.isA(.preferred) }
            ?? inLanguage.first
            ?? present.first { $0.isA(.preferred) && $0.language == language.other }
            ?? present.first
            ?? names.first
        guard let name, let text = name.content else { return nil }
        return Title(text: text, language: name.language)
    }
}
