package import FoundationEssentials
import Hashing

/// Signs and checks paths of pictures at any URL: HMAC-SHA-256 (RFC 2104) over level, URL and end of
/// life. Pure but for the keys it holds, which never leave it.
package struct URLSignature: Sendable {
    private let keys: [Key]

    /// The bytes of a key, which no text made from this value shows.
    private struct Key: Sendable, CustomReflectable {
        let bytes: [UInt8]
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    // Why a path isn't honored.

    package static let unconfigured = Failure.unconfigured(
        reason:
            "Signed URLs need a key: set VITRINE_URL_KEYS, or url.keysFile in the configuration.")
    package static let wrong = Failure(
        .badSignature, "The signature does not belong to this level and URL.")
    package static let expired = Failure(
        .badSignature, "The signature has expired; ask for a new link.")

    /// `keys` is a list separated by commas: the first one signs, all of them are honored, so that
    /// keys can be exchanged.
    package init(keys: String) {
        self.keys = Self.texts(of: keys).map { Key(bytes: Array($0.utf8)) }
    }

    /// Bytes that a key needs at least: with fewer it can be found by trying.
    package static let minKeyBytes = 16

    /// Bytes of the shortest key that is too short; `nil` where none is.
    package static func tooShort(in keys: String) -> Int? {
        texts(of: keys).map(\.utf8.count).filter { $0 < minKeyBytes }.min()
    }

    private static func texts(of keys: String) -> [String] {
        keys.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
    }

    package var isConfigured: Bool { !keys.isEmpty }

    /// base64url of the HMAC for `/t/{level}/url/…/{encodedURL}`, valid until `expires` where given.
    package func sign(
        level: String, encodedURL: String, expires: Date?
    ) throws(Failure) -> String {
        guard let key = keys.first else { throw Self.unconfigured }
        let message = Self.message(level, encodedURL, expires.map(Self.seconds))
        return Base64URL.encode(HMAC.code(for: message, key: key.bytes))
    }

    /// Compares in constant time with every key.
    package func check(
        _ signature: String, level: String, encodedURL: String, expires: Int?, now: Date
    ) throws(Failure) {
        guard isConfigured else { throw Self.unconfigured }
        guard let code = Base64URL.decode(signature) else { throw Self.wrong }
        let message = Self.message(level, encodedURL, expires)
        // All keys are tried, so that the time tells nothing of which one fits.
        let fitting = keys.count { key in
            HMAC.isValid(code, for: message, key: key.bytes)
        }
        guard fitting > 0 else { throw Self.wrong }
        if let expires, expires <= Self.seconds(now) { throw Self.expired }
    }

    private static func seconds(_ date: Date) -> Int {
        // Dates beyond are as far away as this one.
        Int(min(max(date.timeIntervalSince1970.rounded(.down), -1e15), 1e15))
    }

    private static func message(_ level: String, _ encodedURL: String, _ expires: Int?) -> [UInt8] {
        Array("\(level)/url/\(encodedURL)\(expires.map { "?expires=\($0)" } ?? "")".utf8)
    }
}
