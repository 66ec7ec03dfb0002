package import FoundationEssentials
import Hashing

/// Objects under keys, which several machines share. ``S3Store`` and ``DirectoryStore`` implement it.
///
/// A key says what its object is, so that every writer of a key writes the same bytes. Therefore
/// writes need no lock and no order. Only references (`i/…`) change, and the last one counts.
package protocol ObjectStore: Sendable {
    /// Stores an object. After the return the store has confirmed it.
    ///
    /// - Throws: ``ObjectError/damaged(reason:)`` if the bytes don't have the object's digest.
    func put(
        _ object: StoredObject, _ key: ObjectKey, _ condition: PutCondition
    ) async throws(ObjectError) -> PutOutcome

    /// Whether ``PutCondition/ifAbsent`` keeps what is there, as far as is known.
    var keepsExisting: Bool { get }

    /// Returns an object; nil if there is none. The caller compares the bytes with what they should
    /// be.
    ///
    /// - Throws: ``ObjectError/tooLarge(limit:)`` if it has more than `limit` bytes.
    func get(_ key: ObjectKey, limit: Int) async throws(ObjectError) -> [UInt8]?

    /// Returns what is known of an object without its bytes; nil if there is none.
    func head(_ key: ObjectKey) async throws(ObjectError) -> ObjectHead?

    /// Removes an object. A missing object is not an error.
    func delete(_ key: ObjectKey) async throws(ObjectError)

    /// Returns the next objects in the order of their keys' bytes.
    ///
    /// - Parameters:
    ///   - prefix: of all keys; empty for every key.
    ///   - after: the first key comes after this text, which need not be a key; nil begins.
    ///   - limit: at most 1,000 are returned, whatever this is.
    func list(
        prefix: String, after: String?, limit: Int
    ) async throws(ObjectError) -> ObjectList
}

/// Whether an object may replace another.
package enum PutCondition: Sendable {
    /// An object that is there stays. A store that doesn't know the condition replaces it.
    case ifAbsent
    case always
}

package enum PutOutcome: Sendable, Equatable {
    case stored
    /// An object was there and stays.
    case existed
}

/// What is known of an object without its bytes.
package struct ObjectHead: Sendable, Equatable {
    package var byteCount: Int
    /// The digest that its writer named, as 64 hexadecimal digits; nil if the store doesn't keep it.
    package var sha256: String?

    package init(byteCount: Int, sha256: String? = nil) {
        self.byteCount = byteCount
        self.sha256 = sha256
    }
}

/// A part of a list of objects.
package struct ObjectList: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package var key: String
        package var byteCount: Int
        /// By the store's clock, which has whole seconds at worst; nil if the store doesn't say it.
        package var modifiedAt: Date?

        package init(key: String, byteCount: Int, modifiedAt: Date? = nil) {
            self.key = key
            self.byteCount = byteCount
            self.modifiedAt = modifiedAt
        }
    }

    package var entries: [Entry]
    /// Whether more objects follow.
    package var isTruncated: Bool

    package init(entries: [Entry], isTruncated: Bool) {
        self.entries = entries
        self.isTruncated = isTruncated
    }
}

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
