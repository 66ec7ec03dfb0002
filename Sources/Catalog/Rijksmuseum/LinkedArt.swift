/// One value or several: JSON-LD omits the brackets around a single value.
struct OneOrMany<Value: Decodable>: Decodable {
    let values: [Value]

    init(from decoder: any Decoder) {
        // An error only means that the value has the other form.
        if let list = try? [Lenient<Value>](from: decoder) {
            values = list.compactMap(\.value)
        } else {
            values = [Lenient<Value>(from: decoder).value].compactMap(\.self)
        }
    }
}

extension KeyedDecodingContainer {
    /// Returns the values of a field that holds one, several or no values.
    func all<Value: Decodable>(_ type: Value.Type, _ key: Key) -> [Value] {
        lenient(OneOrMany<Value>.self, key)?.values ?? []
    }

    /// Returns the ids in a field.
    func ids(_ key: Key) -> [String] {
        all(LinkedArtID.self, key).map(\.id)
    }

    /// Returns the first text of a field that is not blank.
    func text(_ key: Key) -> String? {
        all(String.self, key).lazy.map(\.trimmed).first { !$0.isEmpty }
    }
}

/// A reference by id: a node, `{"id": …, "type": …}`, or a bare id. One array may mix both.
struct LinkedArtID: Decodable {
    let id: String

    private enum Key: String, CodingKey { case id }

    init(from decoder: any Decoder) throws {
        // An error only means that the reference is a node. Its decoding reports what is wrong.
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
        // An error only means that the label is a node. Its decoding reports what is wrong.
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

/// The fields that make a JSON document a record: an id or a type.
///
/// A JSON error page has neither. It must not pass for an object without a picture.
struct LinkedArtHeader: Decodable {
    let types: [String]

    private enum Key: String, CodingKey { case id, type }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        types = fields.all(String.self, .type)
        guard !types.isEmpty || fields.lenient(String.self, .id) != nil else {
            throw DecodingError.keyNotFound(
                Key.id,
                .init(
                    codingPath: fields.codingPath, debugDescription: "not a record of Linked Art"))
        }
    }
}
