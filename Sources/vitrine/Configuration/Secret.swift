/// A credential. Every text made from this value says `(set)`; only ``reveal()`` returns it.
struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Returns the credential itself. Use it only to build the request that needs it.
    func reveal() -> String { text }

    var description: String { "(set)" }
    var debugDescription: String { description }
}

extension Secret: CustomReflectable {
    // `dump` and string interpolation of an enclosing value read a mirror.
    var customMirror: Mirror { Mirror(self, children: []) }
}
