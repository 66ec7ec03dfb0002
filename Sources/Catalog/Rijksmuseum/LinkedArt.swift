/// One value or several: JSON-LD leaves out the brackets around a single one.
struct OneOrMany<Value: Decodable>: Decodable {
    let values: [Value]

    init(from decoder: any Decoder) {
        // The other form is tried where this one fails, here and below.
        if let list = try? [Lenient<Value>](from: decoder) {
            values = list.compactMap(\.value)
        } else {
            values = [Lenient<Value>(from: decoder).value].compactMap(\.self)
        }
    }
}

extension KeyedDecodingContainer {
    /// The values of a field that holds one, several or none of them.
    func all<Value: Decodable>(_ type: Value.Type, _ key: Key) -> [Value] {
        lenient(OneOrMany<Value>.self, key)?.values ?? []
    }

    /// The ids that a field names.
    func ids(_ key: Key) -> [String] {
        all(LinkedArtID.self, key).map(\.id)
    }

    /// The first text of a field that isn't blank.
    func text(_ key: Key) -> String? {
        all(String.self, key).lazy.map(\.trimmed).first { !$0.isEmpty }
    }
}

/// Something named by its id: a node, `{"id": …, "type": …}`, or the bare id, mixed in one array.
struct LinkedArtID: Decodable {
    let id: String

    private enum Key: String, CodingKey { case id }

    init(from decoder: any Decoder) throws {
        if let id = try? decoder.singleValueContainer().decode(String.self) {
            self.id = id
        } else {
            id = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .id)
        }
    }
}

/// A label in a language: `{"@language": "nl", "@value": …}`, or a bare text.
struct LinkedArtLabel: Decodable {
    let text: String
    let language: MuseumLanguage?

    private enum Key: String, CodingKey {
        case language = "@language"
        case value = "@value"
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.text = text.trimmed
            language = nil
        } else {
            let fields = try decoder.container(keyedBy: Key.self)
            text = try fields.decode(String.self, forKey: .value).trimmed
            language = fields.lenient(String.self, .language).flatMap(MuseumLanguage.init(tag:))
        }
    }
}

/// What makes a JSON document a record: an id or a type. An error page in JSON has neither, and must
/// not be taken for an object without a picture.
struct LinkedArtHeader: Decodable {
    let types: [String]

    private enum Key: String, CodingKey { case id, type }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        types = fields.all(String.self, .type)
        guard !types.isEmpty || fields.lenient(String.self, .id) != nil else {
            throw DecodingError.keyNotFound(
                Key.id,
                .init(codingPath: fields.codingPath, debugDescription: "no record of Linked Art"))
        }
    }
}
