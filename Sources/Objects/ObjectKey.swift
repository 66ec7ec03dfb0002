import Hashing

/// The name of an object: `t/9f2c…/ab/ab12…`. It needs no percent-encoding in a URL.
package struct ObjectKey: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// Returns nil unless the text has 1 to 512 letters, digits, `-`, `.`, `_`, `~` and `/`, no
    /// empty part, and no part that begins with a dot.
    package init?(_ text: String) {
        guard (1...Self.maxBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain),
            text.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") })
        else { return nil }
        self.text = text
    }

    package var description: String { text }

    /// S3 allows 1,024 with the prefix.
    private static let maxBytes = 512

    /// Returns whether the byte stands for itself in a path (RFC 3986, unreserved), or is a slash.
    static func isPlain(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || PercentCoding.isUnreserved(byte)
    }
}
