import Foundation

/// A search term. A text matches if it holds every word, whatever the case and the accents.
struct SearchWords: Sendable {
    private let words: [String]

    init(_ text: String) {
        words = Self.words(of: text)
    }

    /// Whether every word begins a word of the text.
    func begin(_ text: String) -> Bool {
        let there = Self.words(of: text)
        return !words.isEmpty && words.allSatisfy { word in there.contains { $0.hasPrefix(word) } }
    }

    /// Whether every word is one of the text.
    func areIn(_ text: String) -> Bool {
        let there = Set(Self.words(of: text))
        return !words.isEmpty && words.allSatisfy(there.contains)
    }

    private static func words(of text: String) -> [String] {
        let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]
        var plain: String = text.folding(options: options, locale: nil)
        // What isn't an accent for Foundation.
        plain.removeAll { $0 == "’" || $0 == "'" }
        plain = String(plain.map { $0 == "ø" ? "o" : $0 })
        return plain.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
