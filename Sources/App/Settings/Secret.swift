/// A credential. Every text made from this value says `(set)`; only ``reveal()`` returns it.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Returns the credential itself. Use it only to build the request that needs it.
    package func reveal() -> String { text }

    package var description: String { "(set)" }
    package var debugDescription: String { description }
}

extension Secret: CustomReflectable {
    // `dump` and string interpolation of an enclosing value read a mirror.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
