public import Foundation

/// Signs paths of pictures at any URL. The page “Signing” of the documentation has every byte.
///
/// > Important: Sign on a server. A key in an app is everybody's key.
public struct URLSigner: Sendable {
    private let key: [UInt8]

    /// - Parameter key: as in `VITRINE_URL_KEYS`, whose first one signs. Blanks don't count.
    public init(key: String) {
        self.key = Array(key.filter { !$0.isWhitespace }.utf8)
    }

    /// Returns `/t/{level}/url/{signature}/{base64url}`, with `?expires=` if it ends.
    ///
    /// - Parameters:
    ///   - format: an extension such as `jpg`; nil to let the client's `Accept` decide.
    ///   - expires: when the path stops working; nil for never. Seconds are rounded down.
    public func path(
        for url: String, level: String, format: String? = nil, expires: Date? = nil
    ) throws(NormalURLError) -> String {
        let name = try Self.name(of: url)
        let end = expires.map { "?expires=\(Self.seconds($0))" } ?? ""
        let code = code(for: "\(level)/url/\(name)\(end)")
        return "/t/\(level)/url/\(code)/\(name)\(format.map { ".\($0)" } ?? "")\(end)"
    }

    /// Returns the path of a picture's IIIF service, `/iiif/3/url%2F{signature}%2F{base64url}`.
    public func iiifPath(
        for url: String, expires: Date? = nil
    ) throws(NormalURLError) -> String {
        let name = try Self.name(of: url)
        let seconds = expires.map(Self.seconds)
        let code = code(for: "iiif/url/\(name)\(seconds.map { "?expires=\($0)" } ?? "")")
        return "/iiif/3/url%2F\(code)%2F\(name)\(seconds.map { "%2F\($0)" } ?? "")"
    }

    private func code(for message: String) -> String {
        Self.base64url(HMAC256.code(for: Array(message.utf8), key: key))
    }

    private static func name(of url: String) throws(NormalURLError) -> String {
        base64url(Array(try NormalURL.text(of: url).utf8))
    }

    private static func seconds(_ date: Date) -> Int {
        Int(date.timeIntervalSince1970.rounded(.down))
    }

    private static func base64url(_ bytes: [UInt8]) -> String {
        var text = Data(bytes).base64EncodedString()
        text = text.replacingOccurrences(of: "+", with: "-")
        text = text.replacingOccurrences(of: "/", with: "_")
        return text.replacingOccurrences(of: "=", with: "")
    }
}
