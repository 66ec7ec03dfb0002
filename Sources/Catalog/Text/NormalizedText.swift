import Foundation

/// Text without case and accents, for comparing people's input with catalogs' texts.
struct NormalizedText: Sendable, Equatable {
    let text: String

    init(_ given: String) {
        // Letters with a stroke and ligatures don't decompose, so `folding` alone keeps them.
        let plain = given.lowercased().reduce(into: "") { text, character in
            text += Self.undecomposed[character] ?? String(character)
        }
        text = plain.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    func contains(_ other: NormalizedText) -> Bool {
        text.contains(other.text)
    }

    private static let undecomposed: [Character: String] = [
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ß": "ss",
        "ı": "i", "’": "'", "‘": "'",
    ]
}
