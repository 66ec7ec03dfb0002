/// Writes objects in the museum's Linked Art.
struct RijksmuseumObjectJSON: Sendable {
    let object: DemoObject
    private let art: LinkedArt

    init(_ object: DemoObject) {
        self.object = object
        art = LinkedArt(style: object.index)
    }

    var json: JSON {
        var fields: JSON = [
            "@context": "https://linked.art/ns/v1/linked-art.json",
            "id": LinkedArt.id(object.number), "type": "HumanMadeObject", "produced_by": production,
            "subject_of": [licence], "identified_by": .array(identifiers),
            "classified_as": [kind(object.subject.type, 2_208)],
            "dimension": [
                dimension(object.height / 45, 22_011), dimension(object.width / 45, 22_012),
            ],
            "made_of": .array(
                object.subject.materials.enumerated().map { kind($1, 2_209 + $0, "Material") }),
            "referred_to_by": [
                art.statement(technique(\.dutch, "op"), "300435429", LinkedArt.dutch),
                art.statement(technique(\.english, "on"), "300435429", LinkedArt.english),
            ],
            "equivalent": [
                art.style % 3 == 1
                    ? .string(handle) : LinkedArt.node(handle, "HumanMadeObject")
            ], "member_of": [LinkedArt.reference(260_213, "Set")],
        ]
        if object.peculiarity != .noVisualItem {
            fields += ["shows": [LinkedArt.reference(object.visualItem, "VisualItem")]]
        }
        return fields
    }

    private var handle: String {
        "http://hdl.handle.net/10934/RM0001.COLLECT.\(object.number % 99_991)"
    }

    private func technique(_ language: KeyPath<Bilingual, String>, _ preposition: String) -> String
    {
        let materials = object.subject.materials.map { $0[keyPath: language] }
        return "\(materials[1]) \(preposition) \(materials[0])"
    }

    /// Titles among numbers, in no order that can be relied on.
    private var identifiers: [JSON] {
        let number: JSON = [
            "type": "Identifier",
            "content": .string(object.objectNumber),
            "classified_as": [
                [
                    "id": "https://id.rijksmuseum.nl/22015218", "type": "Type",
                    "notation": art.notation(Bilingual("objectnummer", "object number")),
                ],
                LinkedArt.node("http://vocab.getty.edu/aat/300312355", "Type"),
            ],
        ]
        let former = object.titles.former.enumerated().map { index, title in
            art.name(
                title, LinkedArt.dutch, classified: art.types(LinkedArt.formerTitle),
                place: index + 2)
        }
        let names = titles
        let sequence = art.identifier("151", LinkedArt.place)
        return switch object.index % 3 {
        case 0: former + [number] + names + [sequence]
        case 1: [sequence] + names + former + [number]
        default: former + names.reversed() + [number]
        }
    }

    private var titles: [JSON] {
        let dutch = art.name(
            object.titles.dutch, LinkedArt.dutch,
            classified: art.types(LinkedArt.displayTitle, LinkedArt.preferred), place: 1, blank: 24)
        guard let title = object.titles.english else { return [dutch] }
        let english = art.name(
            title, LinkedArt.english,
            classified: art.types(LinkedArt.displayTitle, LinkedArt.preferred), blank: 25)
        // A translation holds what it translates, which is not a title of its own.
        let translation: JSON = [
            "type": "Name",
            "content": .string(title),
            "classified_as": art.types(LinkedArt.title),
            "language": art.language(LinkedArt.english),
            "translation_of": [dutch],
        ]
        return object.index % 4 == 3 ? [translation, dutch, english] : [dutch, english]
    }

    private var production: JSON {
        let names = [
            (object.maker.name, LinkedArt.dutch), (object.maker.name, LinkedArt.english),
        ]
        return [
            "type": "Production", "technique": [kind(object.subject.technique, 2_202_942)],
            "timespan": timespan,
            "referred_to_by": .array(names.map { art.statement($0.0, "300435416", $0.1) }),
            "part": [part],
        ]
    }

    private var timespan: JSON {
        let isOpen = object.lastYear > object.year
        let dutch = isOpen ? "ca. \(object.year) - \(object.lastYear)" : "\(object.year)"
        let english = isOpen ? "c. \(object.year) - \(object.lastYear)" : "\(object.year)"
        func name(_ text: String, _ language: String) -> JSON {
            ["type": "Name", "content": .string(text), "language": art.language(language)]
        }
        let names = [name(dutch, LinkedArt.dutch), name(english, LinkedArt.english)]
        return [
            "type": "TimeSpan",
            "identified_by": .array(art.style.isMultiple(of: 2) ? names : names.reversed()),
            "begin_of_the_begin": "\(object.year)-01-01T00:00:00Z",
            "end_of_the_end": "\(object.lastYear)-12-31T23:59:59Z",
        ]
    }

    /// The maker is named, or in one record of six only assigned, by a signature.
    private var part: JSON {
        let maker = object.maker
        let type: JSON = maker.isGroup ? "Group" : "Person"
        let isAssigned = object.index % 6 == 5
        let ulan = "http://vocab.getty.edu/ulan/\(500_000_000 + maker.id)"
        let person: JSON =
            isAssigned
            ? [
                "assigned_by": [
                    [
                        "type": "AttributeAssignment",
                        "assigned": [LinkedArt.reference(maker.id, type)],
                        "assigned_property": "carried_out_by", "motivated_by": [signature],
                    ]
                ]
            ]
            : [
                "carried_out_by": [
                    [
                        "id": LinkedArt.id(maker.id), "type": type,
                        "notation": art.notation(Bilingual(maker.name, maker.name)),
                        "equivalent": [LinkedArt.node(ulan, type)],
                    ]
                ]
            ]
        let suffix = isAssigned ? Bilingual(" (vermeld op object)", " (mentioned on object)") : nil
        let dutch = maker.name + (suffix?.dutch ?? "")
        let english = maker.name + (suffix?.english ?? "")
        return ["type": "Production"] + person + [
            "identified_by": [art.identifier("1", LinkedArt.place)],
            "classified_as": art.types("300404450"),
            "technique": [kind(maker.role, 2_202_217)],
            "referred_to_by": [
                art.statement("\(maker.role.dutch): \(dutch)", "300435416", LinkedArt.dutch),
                art.statement(dutch, "300435417", LinkedArt.dutch),
                art.statement(english, "300435417", LinkedArt.english),
                art.statement("\(maker.role.english): \(english)", "300435416", LinkedArt.english),
            ],
        ]
    }

    private var signature: JSON {
        [
            "type": "LinguisticObject", "carried_by": [LinkedArt.id(object.number)],
            "classified_as": art.types("300028702"),
        ]
    }

    private var licence: JSON {
        [
            "id": "https://data.rijksmuseum.nl/\(object.number)", "type": "LinguisticObject",
            "subject_to": [
                [
                    "type": "Right",
                    "classified_as": [
                        LinkedArt.node(
                            "https://creativecommons.org/publicdomain/zero/1.0/", "Type")
                    ],
                ]
            ], "classified_as": art.types("300379475"),
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

    private func dimension(_ centimetres: Int, _ kind: Int) -> JSON {
        [
            "type": "Dimension", "classified_as": [LinkedArt.reference(kind, "Type")],
            "value": "\(centimetres)",
            "unit": LinkedArt.node("http://vocab.getty.edu/aat/300379098", "MeasurementUnit"),
        ]
    }
}
