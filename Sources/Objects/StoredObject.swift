import Hashing

/// The bytes of an object and what is stored with them.
package struct StoredObject: Sendable {
    package var bytes: [UInt8]
    /// 64 hexadecimal digits in lower case. The store refuses bytes with another digest.
    package var sha256: String
    package var contentType: String
    /// `Cache-Control` for readers that reach the store without this service.
    package var cacheControl: String?

    /// - Parameter sha256: nil computes it.
    package init(
        _ bytes: [UInt8], sha256: String? = nil, contentType: String = "application/octet-stream",
        cacheControl: String? = nil
    ) {
        self.bytes = bytes
        self.sha256 = sha256 ?? Hex.text(SHA256.digest(of: bytes))
        self.contentType = contentType
        self.cacheControl = cacheControl
    }

    /// For objects whose key says what they are.
    package static let forever = "public, max-age=31536000, immutable"
}
