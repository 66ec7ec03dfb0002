/// The same words in Dutch and English.
package struct Bilingual: Sendable, Equatable {
    package let dutch: String
    package let english: String

    package init(_ dutch: String, _ english: String) {
        self.dutch = dutch
        self.english = english
    }
}

/// Pieces of the Rijksmuseum's records. `style` varies what the real ones vary.
struct LinkedArt: Sendable {
    /// Decides which of the allowed forms a record is written in.
    let style: Int

    static let english = "http://vocab.getty.edu/aat/300388277"
    static let dutch = "http://vocab.getty.edu/aat/300388256"
    static let preferred = "300404670"
    static let displayTitle = "300417207"
    static let title = "300417200"
    /// A number that tells the place in a sequence.
    static let place = "300456575"
    static let formerTitle = "https://id.rijksmuseum.nl/22015528"

    static func id(_ name: some CustomStringConvertible) -> JSON {
        "https://\(MuseumDocument.recordHost)/\(name)"
    }

    static func node(_ id: String, _ type: JSON) -> JSON {
        ["id": .string(id), "type": type]
    }

    static func reference(_ number: some CustomStringConvertible, _ type: JSON) -> JSON {
        ["id": id(number), "type": type]
    }

    /// A type as an object, or in some records as a bare address.
    func type(_ id: String) -> JSON {
        let address = id.hasPrefix("http") ? id : "http://vocab.getty.edu/aat/\(id)"
        if style % 3 == 1 { return .string(address) }
        guard id == Self.preferred else { return Self.node(address, "Type") }
        // The type of preferred names has a type itself.
        let text: JSON = [
            "id": "http://vocab.getty.edu/aat/300418049", "type": "Type", "_label": "brief text",
        ]
        return ["id": .string(address), "type": "Type", "classified_as": [text]]
    }

    /// An array of types. One of several is an object, even if the others are bare addresses.
    func types(_ ids: String...) -> JSON {
        var types = ids.map(type)
        if ids.count > 1, style % 3 == 1 { types[1] = LinkedArt(style: 0).type(ids[1]) }
        return .array(style.isMultiple(of: 2) ? types : types.reversed())
    }

    /// Words in both languages, in either order. Equal words are sometimes a single object.
    func notation(_ words: Bilingual) -> JSON {
        let dutch: JSON = ["@language": "nl", "@value": .string(words.dutch)]
        let english: JSON = ["@language": "en", "@value": .string(words.english)]
        if style % 5 == 2, words.dutch == words.english { return dutch }
        return .array(style.isMultiple(of: 2) ? [dutch, english] : [english, dutch])
    }

    func language(_ id: String) -> JSON { [Self.node(id, "Language")] }

    /// - Parameters:
    ///   - place: its place among the titles, from 1, whatever the order in the record.
    ///   - blank: the number of a node without an address.
    func name(
        _ text: String, _ language: String, classified: JSON, place: Int? = nil, blank: Int? = nil
    ) -> JSON {
        var fields: JSON = blank.map { ["id": "_:b\($0)"] } ?? [:]
        fields += ["type": "Name", "content": .string(text)]
        if let place {
            let id = blank.map { $0 + 100 }
            fields += ["identified_by": [identifier("\(place)", Self.place, blank: id)]]
        }
        fields += ["classified_as": classified, "language": self.language(language)]
        return fields
    }

    func statement(_ text: String, _ classified: String, _ language: String) -> JSON {
        [
            "type": "LinguisticObject", "content": .string(text),
            "classified_as": types(classified), "language": self.language(language),
        ]
    }

    func identifier(_ text: String, _ classified: String, blank: Int? = nil) -> JSON {
        let id: JSON = blank.map { ["id": "_:b\($0)"] } ?? [:]
        return id + [
            "type": "Identifier", "content": .string(text), "classified_as": types(classified),
        ]
    }

    /// Under which rights a picture is.
    static func right(_ names: Bilingual, _ license: String) -> JSON {
        func name(_ text: String, _ language: String, _ label: JSON) -> JSON {
            [
                "type": "Name", "content": .string(text),
                "language": [
                    ["id": .string(language), "type": "Language", "_label": label]
                ],
            ]
        }
        return [
            "type": "Right",
            "identified_by": [
                name(names.english, english, "English"), name(names.dutch, dutch, "Dutch"),
            ],
            "classified_as": [
                ["id": .string(license), "type": "Type", "_label": .string(names.english)]
            ],
        ]
    }
}
