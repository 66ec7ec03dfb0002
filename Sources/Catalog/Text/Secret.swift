/// A secret's text. Every text made from this value says `(hidden)`; only ``reveal()`` returns it.
struct Secret: Sendable, Equatable {
    private let text: String

    /// Trims white space. Returns `nil` if nothing is left, or if the text contains a character
    /// other than visible ASCII, which no credential has and no header field can carry.
    init?(_ given: String?) {
        guard let text = given?.trimmed.nonEmpty,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Returns the secret itself. Use it only to build the call that needs it.
    func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "(hidden)" }
    var debugDescription: String { description }
    // `dump` and string interpolation of an enclosing value read a mirror.
    var customMirror: Mirror { Mirror(self, children: []) }
}
