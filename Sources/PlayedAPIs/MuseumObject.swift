/// An object as the Rijksmuseum's records have it, in Linked Art. The defaults are those of a made-up
/// object in a test.
package struct MuseumObject: Sendable, Equatable {
    package let number: Int
    /// Decides which of the forms of real records this one is written in.
    package var style = 0
    package var title: String
    /// Many objects have a Dutch title only.
    package var englishTitle: String?
    /// Dutch titles that it no longer has.
    package var formerTitles: [String] = []
    /// `SK-A-2344`.
    package var objectNumber: String
    package var maker: Maker?
    /// The first and the last year it may have been made in.
    package var years: ClosedRange<Int>?
    package var type = Bilingual("schilderij", "painting")
    package var technique = Bilingual("schilderen", "painting")
    /// The ground, then what lies on it.
    package var materials = [Bilingual("doek", "canvas"), Bilingual("olieverf", "oil paint")]
    /// Centimeters.
    package var width = 100
    package var height = 100
    /// The number of the record that leads to its picture.
    package var visualItem: Int?

    package struct Maker: Sendable, Equatable {
        package let id: Int
        package let name: String
        /// `schilder`, `painter`.
        package let role: Bilingual
        package var isGroup = false

        package init(id: Int, name: String, role: Bilingual, isGroup: Bool = false) {
            self.id = id
            self.name = name
            self.role = role
            self.isGroup = isGroup
        }
    }

    package init(_ number: Int, title: String, englishTitle: String? = nil, objectNumber: String) {
        self.number = number
        self.title = title
        self.englishTitle = englishTitle
        self.objectNumber = objectNumber
    }

    private var art: LinkedArt { LinkedArt(style: style) }

    package var json: JSON {
        var fields: JSON = [
            "@context": "https://linked.art/ns/v1/linked-art.json",
            "id": LinkedArt.id(number), "type": "HumanMadeObject", "produced_by": production,
            "subject_of": [license], "identified_by": .array(identifiers),
            "classified_as": [
                kind(type, 2_208) + [
                    "classified_as": [
                        LinkedArt.node("http://vocab.getty.edu/aat/300435443", "Type")
                    ]
                ]
            ],
            "dimension": [
                dimension(height, 22_011), dimension(width, 22_012),
            ],
            "made_of": .array(
                materials.enumerated().map { kind($1, 2_209 + $0, "Material") }),
            "referred_to_by": [
                art.statement(described(\.dutch, "op"), "300435429", LinkedArt.dutch),
                art.statement(described(\.english, "on"), "300435429", LinkedArt.english),
            ],
            "equivalent": [
                art.style % 3 == 1
                    ? .string(handle) : LinkedArt.node(handle, "HumanMadeObject")
            ], "member_of": [LinkedArt.reference(260_213, "Set")],
        ]
        if let visualItem {
            fields += ["shows": [LinkedArt.reference(visualItem, "VisualItem")]]
        }
        return fields
    }

    private var handle: String {
        "http://hdl.handle.net/10934/RM0001.COLLECT.\(number % 99_991)"
    }

    private func described(_ language: KeyPath<Bilingual, String>, _ preposition: String) -> String
    {
        let materials = materials.map { $0[keyPath: language] }
        return "\(materials[1]) \(preposition) \(materials[0])"
    }

    /// Titles among numbers, in no order that can be relied on.
    private var identifiers: [JSON] {
        let number: JSON = [
            "type": "Identifier",
            "content": .string(objectNumber),
            "classified_as": [
                [
                    "id": "https://id.rijksmuseum.nl/22015218", "type": "Type",
                    "notation": art.notation(Bilingual("objectnummer", "object number")),
                ],
                LinkedArt.node("http://vocab.getty.edu/aat/300312355", "Type"),
            ],
        ]
        let former = formerTitles.enumerated().map { index, title in
            art.name(
                title, LinkedArt.dutch, classified: art.types(LinkedArt.formerTitle),
                place: index + 2)
        }
        let names = titles
        let sequence = art.identifier("151", LinkedArt.place)
        return switch style % 3 {
        case 0: former + [number] + names + [sequence]
        case 1: [sequence] + names + former + [number]
        default: former + names.reversed() + [number]
        }
    }

    private var titles: [JSON] {
        func name(_ text: String, _ language: String, place: Int? = nil, blank: Int) -> JSON {
            art.name(
                text, language, classified: art.types(LinkedArt.displayTitle, LinkedArt.preferred),
                place: place, blank: blank)
        }
        let dutch = name(title, LinkedArt.dutch, place: 1, blank: 24)
        guard let englishTitle else { return [dutch] }
        let english = name(englishTitle, LinkedArt.english, blank: 25)
        // A translation holds what it translates, which is not a title of its own.
        let translation: JSON = [
            "type": "Name", "content": .string(englishTitle),
            "classified_as": art.types(LinkedArt.title),
            "language": art.language(LinkedArt.english), "translation_of": [dutch],
        ]
        return style % 4 == 3 ? [translation, dutch, english] : [dutch, english]
    }

    private var production: JSON {
        var fields: JSON = ["type": "Production", "technique": [kind(technique, 2_202_942)]]
        if let years { fields += ["timespan": timespan(years)] }
        guard let maker else { return fields }
        let names = [LinkedArt.dutch, LinkedArt.english].map {
            art.statement(maker.name, "300435416", $0)
        }
        return fields + ["referred_to_by": .array(names), "part": [part(maker)]]
    }

    private func timespan(_ years: ClosedRange<Int>) -> JSON {
        let (first, last) = (years.lowerBound, years.upperBound)
        func name(_ circa: String, _ language: String) -> JSON {
            let text = last > first ? "\(circa) \(first) - \(last)" : "\(first)"
            return ["type": "Name", "content": .string(text), "language": art.language(language)]
        }
        let names = [name("ca.", LinkedArt.dutch), name("c.", LinkedArt.english)]
        return [
            "type": "TimeSpan",
            "identified_by": .array(style.isMultiple(of: 2) ? names : names.reversed()),
            "begin_of_the_begin": "\(first)-01-01T00:00:00Z",
            "end_of_the_end": "\(last)-12-31T23:59:59Z",
        ]
    }

    /// The maker is named, or in one record of six only assigned, by a signature.
    private func part(_ maker: Maker) -> JSON {
        let isAssigned = style % 6 == 5
        func name(_ remark: String) -> String { maker.name + (isAssigned ? " (\(remark))" : "") }
        let dutch = name("vermeld op object")
        let english = name("mentioned on object")
        return ["type": "Production"] + (isAssigned ? assignment(of: maker) : reference(to: maker))
            + [
                "identified_by": [art.identifier("1", LinkedArt.place)],
                "classified_as": art.types("300404450"),
                "technique": [kind(maker.role, 2_202_217)],
                "referred_to_by": [
                    art.statement("\(maker.role.dutch): \(dutch)", "300435416", LinkedArt.dutch),
                    art.statement(dutch, "300435417", LinkedArt.dutch),
                    art.statement(english, "300435417", LinkedArt.english),
                    art.statement(
                        "\(maker.role.english): \(english)", "300435416", LinkedArt.english),
                ],
            ]
    }

    private func reference(to maker: Maker) -> JSON {
        let type: JSON = maker.isGroup ? "Group" : "Person"
        let ulan = "http://vocab.getty.edu/ulan/\(500_000_000 + maker.id)"
        return [
            "carried_out_by": [
                [
                    "id": LinkedArt.id(maker.id), "type": type,
                    "notation": art.notation(Bilingual(maker.name, maker.name)),
                    "equivalent": [LinkedArt.node(ulan, type)],
                ]
            ]
        ]
    }

    private func assignment(of maker: Maker) -> JSON {
        let signature: JSON = [
            "type": "LinguisticObject", "carried_by": [LinkedArt.id(number)],
            "classified_as": art.types("300028702"),
        ]
        return [
            "assigned_by": [
                [
                    "type": "AttributeAssignment",
                    "assigned": [LinkedArt.reference(maker.id, maker.isGroup ? "Group" : "Person")],
                    "assigned_property": "carried_out_by", "motivated_by": [signature],
                ]
            ]
        ]
    }

    /// Of the record, not of the picture.
    private var license: JSON {
        let zero = LinkedArt.node("https://creativecommons.org/publicdomain/zero/1.0/", "Type")
        return [
            "id": "https://\(MuseumDocument.searchHost)/\(number)", "type": "LinguisticObject",
            "subject_to": [["type": "Right", "classified_as": [zero]]],
            "classified_as": art.types("300379475"),
        ]
    }

    private func kind(_ words: Bilingual, _ number: Int, _ type: JSON = "Type") -> JSON {
        [
            "id": LinkedArt.id(number), "type": type, "notation": art.notation(words),
            "equivalent": [
                LinkedArt.node("http://vocab.getty.edu/aat/\(300_000_000 + number)", type)
            ],
        ]
    }

    private func dimension(_ centimeters: Int, _ kind: Int) -> JSON {
        [
            "type": "Dimension", "classified_as": [LinkedArt.reference(kind, "Type")],
            "value": "\(centimeters)",
            "unit": LinkedArt.node("http://vocab.getty.edu/aat/300379098", "MeasurementUnit"),
        ]
    }
}
