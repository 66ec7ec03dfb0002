/// A secret's text. It prints as `(hidden)` in every way that text is made from a value; only
/// ``reveal()`` gives it away.
struct HiddenText: Sendable, Equatable {
    private let text: String

    /// `nil` where nothing is left without white space at the ends, or where it holds what no
    /// credential does and no header field could carry.
    init?(_ given: String?) {
        guard let text = given?.trimmed.nonEmpty,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// The secret itself, for the call that needs it and nothing else.
    func reveal() -> String { text }
}

extension HiddenText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "(hidden)" }
    var debugDescription: String { description }
    // `dump` and string interpolation of an enclosing value look through a mirror.
    var customMirror: Mirror { Mirror(self, children: []) }
}
