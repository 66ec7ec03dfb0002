import JSON

/// The fields of a node of Linked Art, which is JSON-LD: any may have one value or several, and refer to other nodes.
extension JSON {
    /// One value or several: JSON-LD omits the brackets around a single value.
    private var values: [JSON] {
        switch self {
        case .list: elements ?? []
        case .null: []
        case .flag, .number, .text, .object: [self]
        }
    }

    /// The nodes among the values.
    var nodes: [JSON] { values.filter { $0.object != nil } }

    /// The ids of the nodes that are referred to: in a node, or bare. One list may mix both.
    var ids: [String] { values.compactMap { $0.string ?? $0["id"].string } }

    /// The museum's records that are referred to.
    var links: [MuseumLink] { ids.compactMap { MuseumLink($0) } }

    /// The first text that is not blank.
    var firstText: String? { values.lazy.compactMap(\.words).first }

    /// Labels, `{"@language": "nl", "@value": …}` or a bare text, without blank ones.
    var labels: [(text: String, language: MuseumLanguage?)] {
        values.compactMap { label in
            (label.string ?? label["@value"].string)?.trimmed.nonEmpty.map {
                ($0, label["@language"].string.flatMap(MuseumLanguage.init(tag:)))
            }
        }
    }

    var types: [String] { self["type"].values.compactMap(\.string) }

    /// The node, if it is a record: one with an id or a type.
    ///
    /// A JSON error page has neither. It must not pass for an object without a picture.
    var record: JSON? { types.isEmpty && self["id"].string == nil ? nil : self }

    // MARK: - Texts: names, identifiers, remarks

    var content: String? { self["content"].firstText }

    var language: MuseumLanguage? {
        self["language"].ids.lazy.compactMap(MuseumLanguage.init(id:)).first
    }

    /// Position in the museum's own order, from 1. The order in the record changes from day to day.
    var place: Int? {
        self["identified_by"].nodes.lazy.filter { $0.isA(.place) }
            .compactMap { $0.content.flatMap { Int($0) } }.first
    }

    func isA(_ kind: MuseumClass) -> Bool {
        self["classified_as"].ids.contains { $0.hasSuffix(kind.rawValue) }
    }
}

/// The suffix of a class's id: numbers of the Art & Architecture Thesaurus, and one of the museum's.
enum MuseumClass: String {
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
    /// A kind of objects, and not what else an object may be classified as.
    case objectType = "/aat/300435443"
}

/// The two languages of the museum's records.
enum MuseumLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case dutch = "nl"

    var other: MuseumLanguage { self == .english ? .dutch : .english }

    /// Reads the id of a `Language` node. The Art & Architecture Thesaurus numbers each language.
    init?(id: String) {
        if id.hasSuffix("300388277") {
            self = .english
        } else if id.hasSuffix("300388256") {
            self = .dutch
        } else {
            return nil
        }
    }

    /// Reads a language tag, `nl` or `nl-NL`.
    init?(tag: String) {
        self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }
}

extension [JSON] {
    /// Returns the first text of a class in that language.
    func first(_ kind: MuseumClass, in language: MuseumLanguage) -> String? {
        lazy.filter { $0.isA(kind) && $0.language == language }.compactMap(\.content).first
    }

    /// Returns the first text of a class in that language, or else in the other. Most descriptions are in Dutch only.
    func best(_ kind: MuseumClass, in language: MuseumLanguage) -> String? {
        first(kind, in: language) ?? first(kind, in: language.other)
    }

    /// Returns the names of terms of the museum's vocabulary, separated by commas; nil if none has one.
    func names(in language: MuseumLanguage) -> String? {
        var names: [String] = []
        var seen: Set<String> = []
        for term in ordered(by: \.place) {
            let labels = term["notation"].labels
            let label =
                labels.first { $0.language == language }
                ?? labels.first { $0.language == language.other } ?? labels.first
            if let name = label?.text, seen.insert(name).inserted { names.append(name) }
        }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
