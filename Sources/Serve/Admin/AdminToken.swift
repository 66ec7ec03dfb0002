import HTTPTypes
import Hashing
import Store

/// The token of the admin routes. Only its digest is stored, so that no log or dump can show the
/// token.
package struct AdminToken: Sendable {
    /// Shorter ones can be found by trying; the settings refuse them.
    package static let minBytes = 16

    private let digest: [UInt8]

    /// Returns `nil` if the text is empty.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        digest = Self.digest(of: text)
    }

    /// Returns whether the field is `Bearer` and this token (RFC 6750). Compares in constant time.
    func isCarried(by authorization: String?) -> Bool {
        guard let authorization else { return false }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
        let presented = Self.digest(of: String(parts[1]))
        var difference: UInt8 = 0
        for (own, other) in zip(digest, presented) { difference |= own ^ other }
        return difference == 0
    }

    private static func digest(of text: String) -> [UInt8] {
        Array(Digest(of: Array(text.utf8)).bytes)
    }
}
