import Crypto
package import FoundationEssentials

/// Signs and checks paths of pictures at any URL: HMAC-SHA-256 (RFC 2104) over level, URL and end of
/// life. Pure but for the keys it holds, which never leave it.
package struct URLSignature: Sendable {
    private let keys: [SymmetricKey]

    /// Why a path isn't honoured.
    package enum Refusal: Error, Equatable, CustomStringConvertible {
        case unconfigured
        case wrong
        case expired

        package var description: String {
            switch self {
            case .unconfigured:
                "Signed URLs need a key: set VITRINE_URL_KEYS, or url.keysFile in the configuration."
            case .wrong: "The signature does not belong to this level and URL."
            case .expired: "The signature has expired; ask for a new link."
            }
        }
    }

    /// `keys` is a list separated by commas: the first one signs, all of them are honoured, so that
    /// keys can be exchanged.
    package init(keys: String) {
        self.keys = keys.split(separator: ",").map { key in
            SymmetricKey(data: Data(key.filter { !$0.isWhitespace }.utf8))
        }.filter { $0.bitCount > 0 }
    }

    package var isConfigured: Bool { !keys.isEmpty }

    /// base64url of the HMAC for `/t/{level}/url/…/{encodedURL}`, valid until `expires` where given.
    package func sign(
        level: String, encodedURL: String, expires: Date?
    ) throws(Refusal) -> String {
        guard let key = keys.first else { throw .unconfigured }
        let code = HMAC<SHA256>.authenticationCode(
            for: Self.message(level, encodedURL, expires.map(Self.seconds)), using: key)
        return Base64URL.encode(Array(code))
    }

    /// Compares in constant time with every key.
    package func check(
        _ signature: String, level: String, encodedURL: String, expires: Int?, now: Date
    ) throws(Refusal) {
        guard isConfigured else { throw .unconfigured }
        guard let code = Base64URL.decode(signature) else { throw .wrong }
        let message = Self.message(level, encodedURL, expires)
        // All keys are tried, so that the time tells nothing of which one fits.
        let fitting = keys.count { key in
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key)
        }
        guard fitting > 0 else { throw .wrong }
        if let expires, expires <= Self.seconds(now) { throw .expired }
    }

    private static func seconds(_ date: Date) -> Int {
        Int(date.timeIntervalSince1970.rounded(.down))
    }

    private static func message(_ level: String, _ encodedURL: String, _ expires: Int?) -> Data {
        Data("\(level)/url/\(encodedURL)\(expires.map { "?expires=\($0)" } ?? "")".utf8)
    }
}
