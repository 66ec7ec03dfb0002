/// A credential. Every text made from this value says `(set)`; only ``reveal()`` returns it.
package struct Secret: Sendable, Hashable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Trims white space. Returns nil if nothing is left, or if the text contains a character other
    /// than visible ASCII, which no credential has and no header field can carry.
    init?(credential given: String?) {
        guard let text = given?.trimmed.nonEmpty,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Returns the credential itself. Use it only to build the request that needs it.
    package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(set)" }
    package var debugDescription: String { description }
    // `dump` and string interpolation of an enclosing value read a mirror.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
