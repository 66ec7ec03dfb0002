/// A search term. A text matches if it holds every word, whatever the case and the accents.
struct SearchWords: Sendable {
    private let words: [String]

    init(_ text: String) {
        words = Self.words(of: text)
    }

    var isEmpty: Bool { words.isEmpty }

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
        let plain = text.lowercased().unicodeScalars.map { folded[$0] ?? String($0) }.joined()
        return plain.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// The accents that occur in the demo.
    private static let folded: [Unicode.Scalar: String] = [
        "à": "a", "á": "a", "â": "a", "ä": "a", "å": "a", "ç": "c", "è": "e", "é": "e", "ê": "e",
        "ë": "e", "í": "i", "ï": "i", "ñ": "n", "ó": "o", "ô": "o", "ö": "o", "ø": "o", "ú": "u",
        "ü": "u", "’": "", "'": "",
    ]
}
