import FoundationEssentials

/// Encodes JSON for responses: sorted keys, unescaped slashes, ISO 8601 dates.
enum JSON {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        // Documents are plain values without NaN, so encoding can't fail.
        return (try? encoder.encode(value)).map { Array($0) } ?? Array("{}".utf8)
    }
}

/// Encodes `nil` as `null` and keeps the key.
@propertyWrapper
struct Nullable<Value: Encodable>: Encodable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}
