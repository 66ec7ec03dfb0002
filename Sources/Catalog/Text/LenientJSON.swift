import FoundationEssentials

/// Decodes to `nil` instead of failing, so that one broken element doesn't lose its whole array.
struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) {
        // Why it is broken helps nobody: the rest of the array is shown without it.
        value = try? Value(from: decoder)
    }
}

extension KeyedDecodingContainer {
    /// `nil` where the field is absent, null, or of another type than expected.
    func lenient<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        // Catalogs send all of these for "nothing".
        try? decodeIfPresent(type, forKey: key)
    }

    /// Pixels of a side of a picture; `nil` where the field says none, or more than any picture has.
    func pixels(_ key: Key) -> Int? {
        number(key, in: Bounds.side)
    }

    /// A number; `nil` where it is outside of `range`.
    func number(_ key: Key, in range: ClosedRange<Int>) -> Int? {
        lenient(Int.self, key).flatMap { range.contains($0) ? $0 : nil }
    }

    /// How many there are of something; `nil` where the field says none that can be meant.
    func count(_ key: Key) -> Int? {
        number(key, in: Bounds.count)
    }

    /// The elements that are what they should be; none where the field is no array.
    func lenientArray<Element: Decodable>(_ type: Element.Type, _ key: Key) -> [Element] {
        lenient([Lenient<Element>].self, key)?.compactMap(\.value) ?? []
    }

    /// For a value of the right type that can't be meant.
    func mismatch(_ key: Key, _ reason: String) -> DecodingError {
        .typeMismatch(
            Any.self, .init(codingPath: codingPath + [key], debugDescription: reason))
    }
}
