/// A term of the museum's vocabulary, such as a technique, with its names.
struct MuseumTerm: Decodable {
    /// Position in the museum's own order, from 1.
    let place: Int?
    private let labels: [LinkedArtLabel]
    private let classes: [String]

    private enum Key: String, CodingKey {
        case notation
        case classes = "classified_as"
    }

    init(from decoder: any Decoder) throws {
        place = try MuseumText(from: decoder).place
        let fields = try decoder.container(keyedBy: Key.self)
        labels = fields.all(LinkedArtLabel.self, .notation).filter { !$0.text.isEmpty }
        classes = fields.ids(.classes)
    }

    /// Whether it is a kind of objects, and not what else an object may be classified as.
    var isType: Bool { classes.contains { $0.hasSuffix("/aat/300435443") } }

    private func name(in language: MuseumLanguage) -> String? {
        let label =
            labels.first { $0.language == language }
            ?? labels.first { $0.language == language.other } ?? labels.first
        return label?.text
    }

    /// Returns the names of terms, separated by commas; nil if none has one.
    static func names(_ terms: [MuseumTerm], in language: MuseumLanguage) -> String? {
        var names: [String] = []
        for name in terms.ordered(by: \.place).compactMap({ $0.name(in: language) })
        where !names.contains(name) {
            names.append(name)
        }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
