import Catalog
import Testing

/// What is read of an object's record; all of it made up.
@Suite(.timeLimit(.minutes(1))) struct MuseumObjectTests {
    let source = Rijksmuseum()

    private func entry(_ fields: String) async throws -> CatalogEntry {
        try await source.details(MuseumScript(["1": MadeUp.object(1, fields)])).entry
    }

    struct TitleCase: CustomTestStringConvertible, Sendable {
        var rule: String
        var names: [String]
        /// Title and its language, for those who want English and those who want Dutch.
        var english: String
        var dutch: String

        var testDescription: String { rule }
    }

    static let titles = [
        TitleCase(
            rule: "the preferred one in the wanted language wins",
            names: [
                MadeUp.name("Other", "en"), MadeUp.name("Anders", "nl"),
                MadeUp.name("Waked", "en", ["preferred"]),
                MadeUp.name("Wacht", "nl", ["preferred"]),
            ], english: "Waked en", dutch: "Wacht nl"),
        TitleCase(
            rule: "the order of the record does not matter",
            names: [
                MadeUp.name("Wacht", "nl", ["preferred"]),
                MadeUp.name("Waked", "en", ["preferred"]), MadeUp.name("Anders", "nl"),
                MadeUp.name("Other", "en"),
            ], english: "Waked en", dutch: "Wacht nl"),
        TitleCase(
            rule: "any in the wanted language comes before the preferred in the other",
            names: [MadeUp.name("Wacht", "nl", ["preferred"]), MadeUp.name("Other", "en")],
            english: "Other en", dutch: "Wacht nl"),
        TitleCase(
            rule: "a former title does not win, though it comes first",
            names: [
                MadeUp.name("Old", "en", ["former"]), MadeUp.name("Oud", "nl", ["former"]),
                MadeUp.name("Wacht", "nl", ["preferred"]),
            ], english: "Wacht nl", dutch: "Wacht nl"),
        TitleCase(
            rule: "a former title is not preferred, whatever else it is",
            names: [
                MadeUp.name("Old", "en", ["former", "preferred"]), MadeUp.name("New", "en"),
            ], english: "New en", dutch: "New en"),
        TitleCase(
            rule: "the first comes where none is in either language",
            names: [
                MadeUp.name("Alt", "300388344", ["former"]),
                MadeUp.name("Wache", "300388344"), MadeUp.name("Ronda", nil),
            ], english: "Wache -", dutch: "Wache -"),
        TitleCase(
            rule: "former titles are better than none",
            names: [MadeUp.name("Oud", "nl", ["former"])], english: "Oud nl", dutch: "Oud nl"),
        TitleCase(
            rule: "two classes come with preferred and other names and decide nothing",
            names: [
                MadeUp.name("Other", "en", ["http://vocab.getty.edu/aat/300417207"]),
                MadeUp.name(
                    "Waked", "en", ["http://vocab.getty.edu/aat/300417200", "preferred"]),
            ], english: "Waked en", dutch: "Waked en"),
        TitleCase(
            rule: "the museum's own order decides between equals",
            names: [
                MadeUp.name("Second", "en").dropLast() + Self.place("2"),
                MadeUp.name("First", "en").dropLast() + Self.place("1"),
            ], english: "First en", dutch: "First en"),
        TitleCase(
            rule: "a node written out within another is read there",
            names: [
                #"{"id":"_:b52","type":"Name"}"#,
                MadeUp.name("Maid", "en", ["preferred"]).dropLast()
                    + #","translation_of":{"id":"_:b52","type":"Name","content":"Meid","#
                    + #""language":"http://vocab.getty.edu/aat/300388256"}}"#,
            ], english: "Maid en", dutch: "Meid nl"),
        TitleCase(
            rule: "identifiers, blank names and odd nodes are no titles",
            names: [
                #"{"type":"Identifier","content":"7"}"#, #"{"type":"Name","content":"  "}"#,
                #"{"type":"Name"}"#, #"{"type":"Name","content":7}"#, "null", "[]", #""_:b1""#,
            ], english: "Object 1 en", dutch: "Object 1 en"),
    ]

    private static func place(_ number: String) -> String {
        #","identified_by":{"content":"\#(number)","classified_as":"#
            + #""http://vocab.getty.edu/aat/300456575"}}"#
    }

    @Test(arguments: titles) func `a title is chosen by language`(_ given: TitleCase) async throws {
        let names = given.names.joined(separator: ",")
        let entry = try await entry(#""identified_by":[\#(names)]"#)
        #expect("\(entry.title) \(entry.language ?? "-")" == given.english)
        let told = entry.translations?.mapValues { "\($0.title) \($0.language ?? "-")" }
        #expect(told == ["en": given.english, "nl": given.dutch])
    }

    @Test(arguments: [
        #""identified_by":{"type":["Name"],"content":["Wacht"],"language":{"id":"x/300388256"}}"#,
        #""identified_by":[{"type":"Name","content":"Wacht","language":"x/300388256"}]"#,
        #""identified_by":[{"type":"Name","content":" Wacht\n","language":["x/300388256"]}]"#,
    ])
    func `one value may stand without brackets, and an id without its node`(
        fields: String
    ) async throws {
        let entry = try await entry(fields)
        #expect(entry.title == "Wacht")
        #expect(entry.language == "nl")
    }

    @Test(
        arguments: [
            (#"[{"type":"Identifier","content":"SK-C-5","classified_as":["aat/300312355"]}]"#, nil),
            (
                """
                [{"type":"Identifier","content":"7","classified_as":["x/aat/300456575"]},
                 {"type":"Identifier","content":"SK-C-5","classified_as":
                  ["https://id.rijksmuseum.nl/22015218",{"id":"http://vocab.getty.edu/aat/300312355"}]}]
                """, "SK-C-5"
            ),
            (
                #"{"type":"Identifier","content":"BK-1(R)","classified_as":"x/aat/300312355"}"#,
                "BK-1(R)"
            ),
        ] as [(String, String?)])
    func `the object number is distinguished from other identifiers`(
        identifiers: String, number: String?
    ) async throws {
        let entry = try await entry(#""identified_by":\#(identifiers)"#)
        #expect(entry.objectNumber == number)
        #expect(entry.title == "Object \(number ?? "1")")
        let page = number == "SK-C-5" ? "SK-C-5" : "BK-1%28R%29"
        #expect(
            entry.link
                == (number == nil
                    ? "https://id.rijksmuseum.nl/1"
                    : "https://www.rijksmuseum.nl/en/collection/\(page)"))
    }

    static let labels =
        #"[{"@language":"nl","@value":"Anoniem"},{"@language":"en","@value":"Anon"}]"#

    @Test(
        arguments: [
            (#""part":[{"carried_out_by":[{"id":"x","notation":\#(labels)}]}]"#, "Anon", "Anoniem"),
            (#""part":{"carried_out_by":{"notation":\#(labels)}}"#, "Anon", "Anoniem"),
            (
                #""part":{"carried_out_by":{"notation":{"@language":"nl","@value":"Jan"}}}"#, "Jan",
                "Jan"
            ),
            (#""part":{"carried_out_by":{"notation":"Jan"}}"#, "Jan", "Jan"),
            (#""carried_out_by":{"notation":\#(labels)}"#, "Anon", "Anoniem"),
            (
                #""part":[{"carried_out_by":["https://id.rijksmuseum.nl/9"],"referred_to_by":"#
                    + "[\(MadeUp.name("painter: Jan", "en", ["makers"])),"
                    + "\(MadeUp.name("Jan", "en", ["maker"])),"
                    + "\(MadeUp.name("Johannes", "nl", ["maker"]))]}]", "Jan", "Johannes"
            ),
            (
                #""part":[{"assigned_by":[{"assigned":["https://id.rijksmuseum.nl/9"],"#
                    + #""assigned_property":"carried_out_by"}],"referred_to_by":"#
                    + "\(MadeUp.name("Jan (on object)", "en", ["maker"]))}]", "Jan (on object)",
                "Jan (on object)"
            ),
            (
                #""part":[{"assigned_by":{"assigned":{"notation":\#(labels)},"#
                    + #""assigned_property":"carried_out_by"}}]"#, "Anon", "Anoniem"
            ),
            (
                #""part":[{"assigned_by":{"assigned":{"notation":\#(labels)},"#
                    + #""assigned_property":"took_place_at"}}]"#, nil, nil
            ),
            (
                #""part":[{"carried_out_by":{"notation":"Publisher"},"identified_by":"#
                    + #"[{"content":"2","classified_as":["x/aat/300456575"]}]},"#
                    + #"{"carried_out_by":{"notation":"Painter"},"identified_by":"#
                    + #"[{"content":"1","classified_as":["x/aat/300456575"]}]}]"#, "Painter",
                "Painter"
            ),
            (
                #""part":[{}],"referred_to_by":[\#(MadeUp.name("Jan en Piet", "nl", ["makers"]))]"#,
                "Jan en Piet", "Jan en Piet"
            ),
            ("", nil, nil),
        ] as [(String, String?, String?)])
    func `the maker is found wherever records write him`(
        production: String, english: String?, dutch: String?
    ) async throws {
        let entry = try await entry(#""produced_by":{\#(production)}"#)
        #expect(entry.subtitle == english)
        #expect(entry.translations?["en"]?.subtitle == english)
        #expect(entry.translations?["nl"]?.subtitle == dutch)
    }

    @Test(
        arguments: [
            ("1639-01-01T00:00:00Z", "1639-12-31T23:59:59Z", "1639"),
            ("1630-01-01T00:00:00Z", "1640-12-31T23:59:59Z", "1630"),
            ("1639-05-03T00:00:00Z", "1639-05-03T23:59:59Z", "1639-05-03"),
            ("1640-02-01T00:00:00Z", "1640-02-29T23:59:59Z", "1640-02"),
            ("1640-02-03T00:00:00Z", "1640-02-20T23:59:59Z", "1640"),
            ("1639-01-01T00:00:00Z", nil, "1639-01-01"), (nil, "1639-12-31T23:59:59Z", "1639"),
            ("-0500-01-01T00:00:00Z", "-0400-12-31T23:59:59Z", nil), ("soon", nil, nil),
        ] as [(String?, String?, String?)])
    func `a date is as exact as both its ends`(
        begin: String?, end: String?, date: String?
    ) async throws {
        let fields = [
            begin.map { #""begin_of_the_begin":"\#($0)""# },
            end.map { #""end_of_the_end":"\#($0)""# },
        ]
        let timespan = fields.compactMap(\.self).joined(separator: ",")
        #expect(try await entry(#""produced_by":{"timespan":{\#(timespan)}}"#).date == date)
        #expect(try await entry(#""produced_by":[{"timespan":[{\#(timespan)}]}]"#).date == date)
    }

    @Test func `a year in the name alone is a date, and an estimate in words is not`()
        async throws
    {
        for (name, date) in [("1923", "1923"), ("c. 1660", nil)] {
            let names = #""identified_by":[{"type":"Name","content":"\#(name)"}]"#
            #expect(try await entry(#""produced_by":{"timespan":{\#(names)}}"#).date == date)
        }
    }

    @Test(arguments: [
        #""identified_by":7,"produced_by":"x","shows":{"id":3}"#,
        #""identified_by":null,"produced_by":null,"shows":null"#,
        #""identified_by":{},"produced_by":{"part":7,"timespan":[null]},"shows":[[],7,null,{}]"#,
    ])
    func `fields of odd types are as good as missing`(fields: String) async throws {
        let details = try await source.details(MuseumScript(["1": MadeUp.object(1, fields)]))
        #expect(details.entry.title == "Object 1")
        #expect(details.chain.isEmpty)
    }

    private static func term(_ number: Int, _ names: [String], _ more: String = "") -> String {
        let labels = zip(["en", "nl"], names).map {
            #"{"@language":"\#($0)","@value":"\#($1)"}"#
        }
        return #"{"id":"https://id.rijksmuseum.nl/\#(number)","type":"Type","#
            + #""notation":[\#(labels.joined(separator: ","))]\#(more)}"#
    }

    @Test func `type, technique and material come in both languages, in the museum's order`()
        async throws
    {
        let isType = #","classified_as":[{"id":"http://vocab.getty.edu/aat/300435443"}]"#
        let second =
            #","identified_by":[{"type":"Identifier","content":"2","classified_as":"#
            + #"[{"id":"http://vocab.getty.edu/aat/300456575"}]}]"#
        let first = second.replacing("\"2\"", with: "\"1\"")
        let entry = try await entry(
            #""classified_as":[\#(Self.term(1, ["not a type"])),"#
                + #"\#(Self.term(2, ["print", "prent"], isType))],"#
                + #""made_of":[\#(Self.term(3, ["ink", "inkt"], second)),"#
                + #"\#(Self.term(4, ["paper", "papier"], first))],"#
                + #""produced_by":{"technique":[\#(Self.term(5, ["etching"])),"#
                + #"{"id":"https://id.rijksmuseum.nl/6"},"#
                + #"\#(Self.term(7, ["etching", "droge naald"]))],"#
                + #""part":[{"technique":[\#(Self.term(8, ["printmaker"]))]}]}"#)
        #expect(entry.type == "print")
        #expect(entry.material == "paper, ink")
        #expect(entry.technique == "etching")
        let dutch = entry.inLanguage(try LanguagePreference(lang: "nl", acceptLanguage: nil))
        #expect(dutch.type == "prent")
        #expect(dutch.material == "papier, inkt")
        #expect(dutch.technique == "etching, droge naald")
    }
}
