import FoundationEssentials

/// Decodes to `nil` instead of failing, so that one broken element doesn't lose its whole array.
struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) {
        // The error is dropped on purpose: the rest of the array is used without this element.
        value = try? Value(from: decoder)
    }
}

extension KeyedDecodingContainer {
    /// Returns `nil` if the field is absent, null or of another type.
    func lenient<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        // Catalogs send any of these for a missing value.
        try? decodeIfPresent(type, forKey: key)
    }

    /// Returns the pixels of a picture's side; `nil` if the field is missing or implausible.
    func pixels(_ key: Key) -> Int? {
        number(key, in: Bounds.side)
    }

    /// Returns a number; `nil` if it is missing or outside of `range`.
    func number(_ key: Key, in range: ClosedRange<Int>) -> Int? {
        lenient(Int.self, key).flatMap { range.contains($0) ? $0 : nil }
    }

    /// Returns a count; `nil` if the field is missing or implausible.
    func count(_ key: Key) -> Int? {
        number(key, in: Bounds.count)
    }

    /// Returns the valid elements; none if the field is not an array.
    func lenientArray<Element: Decodable>(_ type: Element.Type, _ key: Key) -> [Element] {
        lenient([Lenient<Element>].self, key)?.compactMap(\.value) ?? []
    }

    /// Returns the error for a value of the right type that is invalid.
    func mismatch(_ key: Key, _ reason: String) -> DecodingError {
        .typeMismatch(
            Any.self, .init(codingPath: codingPath + [key], debugDescription: reason))
    }
}
