package import JSON

/// An object as the Rijksmuseum's records have it, in Linked Art, with the fields that a reader needs.
/// The defaults are those of a made-up object in a test.
package struct MuseumObject: Sendable, Equatable {
    package let number: Int
    package var title: String
    /// Many objects have a Dutch title only.
    package var englishTitle: String?
    /// A Dutch title that it no longer has. It stands first, as it may in real records.
    package var formerTitle: String?
    /// `SK-A-2344`.
    package var objectNumber: String
    package var maker: Maker?
    /// The first and the last year it may have been made in.
    package var years: ClosedRange<Int>?
    package var type = Bilingual("schilderij", "painting")
    package var technique = Bilingual("schilderen", "painting")
    /// The ground, then what lies on it.
    package var materials = [Bilingual("doek", "canvas"), Bilingual("olieverf", "oil paint")]
    /// The number of the record that leads to its picture.
    package var visualItem: Int?

    package struct Maker: Sendable, Equatable {
        package let id: Int
        package let name: String
        /// Whether a signature names the maker, and the record only assigns it.
        package var isAssigned = false

        package init(id: Int, name: String) {
            self.id = id
            self.name = name
        }
    }

    package init(_ number: Int, title: String, englishTitle: String? = nil, objectNumber: String) {
        self.number = number
        self.title = title
        self.englishTitle = englishTitle
        self.objectNumber = objectNumber
    }

    package var json: JSON {
        var fields =
            MuseumDocument.record(number, "HumanMadeObject") + [
                "produced_by": production, "identified_by": .list(identifiers),
                "classified_as": [kind(type) + ["classified_as": [Self.objectType]]],
                "made_of": .list(materials.map { kind($0, "Material") }),
                "referred_to_by": [
                    text(sentence(\.dutch, "op"), Self.medium, Self.dutch),
                    text(sentence(\.english, "on"), Self.medium, Self.english),
                ],
            ]
        if let visualItem {
            fields += ["shows": [MuseumDocument.record(visualItem, "VisualItem")]]
        }
        return fields
    }

    private static let (english, dutch) = ("300388277", "300388256")
    private static let (preferred, number, medium, maker) = (
        "300404670", "300312355", "300435429", "300435417"
    )
    private static let thesaurus = "http://vocab.getty.edu/aat/"
    /// What tells a kind of objects from other classes.
    private static let objectType = MuseumDocument.node("\(thesaurus)300435443", "Type")

    private func sentence(_ language: KeyPath<Bilingual, String>, _ preposition: String) -> String {
        let materials = materials.map { $0[keyPath: language] }
        return "\(materials[1]) \(preposition) \(materials[0])"
    }

    private var identifiers: [JSON] {
        let number: JSON = [
            "type": "Identifier", "content": .text(objectNumber),
            "classified_as": [MuseumDocument.node(Self.thesaurus + Self.number, "Type")],
        ]
        let former = formerTitle.map {
            text($0, "https://id.rijksmuseum.nl/22015528", Self.dutch, type: "Name")
        }
        let english = englishTitle.map { text($0, Self.preferred, Self.english, type: "Name") }
        return [former, text(title, Self.preferred, Self.dutch, type: "Name"), english, number]
            .compactMap(\.self)
    }

    private var production: JSON {
        var fields: JSON = ["type": "Production", "technique": [kind(technique)]]
        if let years {
            fields += [
                "timespan": [
                    "type": "TimeSpan",
                    "begin_of_the_begin": "\(years.lowerBound)-01-01T00:00:00Z",
                    "end_of_the_end": "\(years.upperBound)-12-31T23:59:59Z",
                ]
            ]
        }
        guard let maker else { return fields }
        let person = MuseumDocument.record(maker.id, "Person")
        let part: JSON =
            maker.isAssigned
            ? [
                "assigned_by": [
                    [
                        "type": "AttributeAssignment", "assigned": [person],
                        "assigned_property": "carried_out_by",
                    ]
                ],
                "referred_to_by": [
                    text(maker.name, Self.maker, Self.dutch),
                    text(maker.name, Self.maker, Self.english),
                ],
            ]
            : [
                "carried_out_by": [
                    person + ["notation": notation(Bilingual(maker.name, maker.name))]
                ]
            ]
        return fields + ["part": [["type": "Production"] + part]]
    }

    /// A text of a kind, which is told by its number in the thesaurus or by its address.
    private func text(
        _ text: String, _ kind: String, _ language: String, type: JSON = "LinguisticObject"
    ) -> JSON {
        let address = kind.hasPrefix("http") ? kind : Self.thesaurus + kind
        return [
            "type": type, "content": .text(text),
            "classified_as": [MuseumDocument.node(address, "Type")],
            "language": [MuseumDocument.node(Self.thesaurus + language, "Language")],
        ]
    }

    private func kind(_ words: Bilingual, _ type: JSON = "Type") -> JSON {
        ["type": type, "notation": notation(words)]
    }

    private func notation(_ words: Bilingual) -> JSON {
        [
            ["@language": "nl", "@value": .text(words.dutch)],
            ["@language": "en", "@value": .text(words.english)],
        ]
    }
}
