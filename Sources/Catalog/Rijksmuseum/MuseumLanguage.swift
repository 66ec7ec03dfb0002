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
