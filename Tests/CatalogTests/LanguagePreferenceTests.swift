import Catalog
import Testing

@Suite(.timeLimit(.minutes(1))) struct LanguagePreferenceTests {
    /// Made up: English by default, Dutch and Brazilian Portuguese as well.
    private static let entry = {
        var entry = CatalogEntry(
            item: Item(source: "rijksmuseum", kind: "object", id: "1"), title: "Watch")
        entry.language = "en"
        entry.subtitle = "Maker"
        entry.translations = [
            "en": .init(title: "Watch", subtitle: "Maker", language: "en"),
            "nl": .init(title: "Wacht", subtitle: nil, language: "nl"),
            "pt-BR": .init(title: "Ronda", subtitle: "Autor", language: "pt-BR"),
        ]
        return entry
    }()

    @Test(
        arguments: [
            (nil, nil, "Watch"), (nil, "", "Watch"), (nil, "*", "Watch"), (nil, "nl", "Wacht"),
            (nil, "NL-be", "Wacht"), (nil, "nl-x-old", "Wacht"), (nil, "fr", "Watch"),
            (nil, "fr, nl", "Wacht"), (nil, "fr, nl;q=0.1, en;q=0.2", "Watch"),
            (nil, "en;q=0.5,nl;q=0.9", "Wacht"), (nil, "en;q=0.5 , nl ; Q=0.5", "Watch"),
            (nil, "nl;q=0, *", "Watch"), (nil, "en;q=0, *", "Wacht"), (nil, "*, nl", "Watch"),
            (nil, "nl;q=0", "Watch"), (nil, "nl;q=2", "Wacht"), (nil, "nl;q=nan", "Watch"),
            (nil, "nl;q=x, nederlands, e n, -, nl-, ;q=1", "Watch"), (nil, "pt", "Ronda"),
            (nil, "nl-a-b-c-d-e-f", "Wacht"),
            (nil, "pt-br", "Ronda"), (nil, "pt-PT", "Watch"), (nil, "n", "Watch"),
            ("nl", nil, "Wacht"), ("nl", "en", "Wacht"), ("NL-nl", "en", "Wacht"),
            ("fr", "nl", "Watch"), ("", "nl", "Wacht"), (" nl ", nil, "Wacht"),
        ] as [(String?, String?, String)])
    func `the parameter wins, then the best of the field`(
        lang: String?, field: String?, title: String
    ) throws {
        let preference = try LanguagePreference(lang: lang, acceptLanguage: field)
        #expect(Self.entry.inLanguage(preference).title == title)
    }

    @Test func `title, subtitle and language change together`() throws {
        let dutch = Self.entry.inLanguage(try LanguagePreference(lang: "nl", acceptLanguage: nil))
        #expect(dutch.subtitle == nil)
        #expect(dutch.language == "nl")
        #expect(dutch.item == Self.entry.item)
    }

    @Test func `an entry in one language stays as it is`() throws {
        let entry = CatalogEntry(
            item: Item(source: "tvmaze", kind: "show", id: "1"), title: "Girls")
        let preference = try LanguagePreference(lang: "nl", acceptLanguage: nil)
        #expect(entry.inLanguage(preference) == entry)
    }

    @Test(arguments: [
        "n", "nederlands", "nl_NL", "nl,en", "*", "nl-", "-nl", "12", "é",
        "nl-abcdefghi", "nl--be", "nl;q=1", "nl-a-b-c-d", "n\u{212A}",
    ])
    func `text that is not a language tag is refused with a sentence`(lang: String) {
        #expect(
            throws: Failure.invalid(
                reason: """
                    “lang” is not a language tag. Use one like nl, en or en-GB, not “\(lang)”.
                    """)
        ) {
            try LanguagePreference(lang: lang, acceptLanguage: "nl")
        }
    }

    @Test func `a hostile field is read in part`() throws {
        let field = String(repeating: "fr,", count: 32) + "nl"
        let preference = try LanguagePreference(lang: nil, acceptLanguage: field)
        #expect(Self.entry.inLanguage(preference).title == "Watch")
    }
}
