package import Catalog
package import FoundationEssentials

/// Writes the paths of pictures at any URL, with their signatures.
package enum SignedPath {
    /// Returns `/t/{level}/url/{signature}/{base64url}`, with `?expires=` if it ends; for the level `iiif`
    /// `/iiif/3/url%2F{signature}%2F{base64url}`, with `%2F` and the expiry.
    ///
    /// - Parameters:
    ///   - item: of the source of signed URLs.
    ///   - expires: when the path stops working; nil if it never does.
    /// - Throws: ``URLSignature/unconfigured`` without a key.
    package static func of(
        _ item: Item, level: String, expires: Date?, by signature: URLSignature
    ) throws(Failure) -> String {
        let code = try signature.sign(level: level, encodedURL: item.id, expires: expires)
        let seconds = expires.map(URLSignature.seconds)
        if level == IIIFRoute.signedLevel {
            let end = seconds.map { "/\($0)" } ?? ""
            return IIIFRoute.path(.three, "\(SignedURL.name)/\(code)/\(item.id)\(end)")
        }
        let end = seconds.map { "?expires=\($0)" } ?? ""
        return "/t/\(level)/\(SignedURL.name)/\(code)/\(item.id)\(end)"
    }
}
