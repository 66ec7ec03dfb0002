import CLinux

/// A color of text on a terminal.
package enum TextColor: String, Sendable {
    case red = "31"
    case green = "32"
    case cyan = "36"

    /// Returns the text in this color.
    ///
    /// - Parameter isShown: whether the text goes where colors are shown; see ``Terminal/showsColors(_:_:)``.
    package func paint(_ text: String, if isShown: Bool) -> String {
        // ECMA-48 SGR; 0 resets.
        isShown && !text.isEmpty ? "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" : text
    }
}
