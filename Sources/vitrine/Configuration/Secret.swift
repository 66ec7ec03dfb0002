/// A credential. It prints as `(set)` in every way that text is made from a value; only ``reveal()``
/// gives it away.
struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The credential itself, for the request that needs it and nothing else.
    func reveal() -> String { text }

    var description: String { "(set)" }
    var debugDescription: String { description }
}

extension Secret: CustomReflectable {
    // `dump` and string interpolation of an enclosing value look through a mirror.
    var customMirror: Mirror { Mirror(self, children: []) }
}
