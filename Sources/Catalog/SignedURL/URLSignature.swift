package import FoundationEssentials
import Hashing

/// Signs and checks paths of pictures at any URL: HMAC-SHA-256 (RFC 2104) over level, URL and
/// expiry. The keys never leave this value.
package struct URLSignature: Sendable {
    private let keys: [Key]

    /// The bytes of a key, which no text made from this value shows.
    private struct Key: Sendable, CustomReflectable {
        let bytes: [UInt8]
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    package static let unconfigured = Failure.unconfigured(
        reason:
            "Signed URLs need a key: set VITRINE_URL_KEYS, or url.keysFile in the configuration.")
    package static let wrong = Failure(
        .badSignature, "The signature does not belong to this level and URL.")
    package static let expired = Failure(
        .badSignature, "The signature has expired; ask for a new link.")

    /// - Parameter keys: Keys separated by commas or line ends. The first one signs and all of them are
    ///   accepted, so that keys can be replaced.
    package init(keys: String) {
        self.keys = Self.texts(of: keys).map { Key(bytes: Array($0.utf8)) }
    }

    /// Minimum length of a key in bytes. Shorter keys can be guessed.
    package static let minKeyBytes = 16

    /// Returns the length of the shortest key below the minimum; `nil` if all keys are long enough.
    package static func tooShort(in keys: String) -> Int? {
        texts(of: keys).map(\.utf8.count).filter { $0 < minKeyBytes }.min()
    }

    private static func texts(of keys: String) -> [String] {
        keys.split { $0 == "," || $0.isNewline }.map { $0.filter { !$0.isWhitespace } }.filter {
            !$0.isEmpty
        }
    }

    package var isConfigured: Bool { !keys.isEmpty }

    /// Returns the signature for `/t/{level}/url/…/{encodedURL}`, which is the HMAC as base64url.
    ///
    /// - Parameter expires: the signature's expiry; `nil` for a signature that never expires.
    /// - Throws: ``unconfigured`` without a key.
    package func sign(
        level: String, encodedURL: String, expires: Date?
    ) throws(Failure) -> String {
        guard let key = keys.first else { throw Self.unconfigured }
        let message = Self.message(
            level: level, encodedURL: encodedURL, expires: expires.map(Self.seconds))
        return Base64URL.encode(HMAC.code(for: Array(message.utf8), key: key.bytes))
    }

    /// Compares the signature in constant time with that of every key.
    ///
    /// - Throws: ``unconfigured`` without a key, ``wrong``, or ``expired``.
    package func check(
        _ signature: String, level: String, encodedURL: String, expires: Int?, now: Date
    ) throws(Failure) {
        guard isConfigured else { throw Self.unconfigured }
        guard let code = Base64URL.decode(signature) else { throw Self.wrong }
        let message = Array(
            Self.message(level: level, encodedURL: encodedURL, expires: expires).utf8)
        // All keys are tried, so that the time doesn't reveal which one fits.
        let fitting = keys.count { key in
            HMAC.isValid(code, for: message, key: key.bytes)
        }
        guard fitting > 0 else { throw Self.wrong }
        if let expires, expires <= Self.seconds(now) { throw Self.expired }
    }

    /// Returns the seconds since 1970, rounded down: what a signed expiry says.
    package static func seconds(_ date: Date) -> Int {
        // Limited, because an Int can't hold every date.
        Int(min(max(date.timeIntervalSince1970.rounded(.down), -1e15), 1e15))
    }

    /// Returns the text that is signed, in UTF-8: `{level}/url/{base64url}`, with `?expires=` and seconds since
    /// 1970 if it ends. `docs/signing.md` has it for programs that sign.
    package static func message(level: String, encodedURL: String, expires: Int?) -> String {
        "\(level)/url/\(encodedURL)\(expires.map { "?expires=\($0)" } ?? "")"
    }
}
