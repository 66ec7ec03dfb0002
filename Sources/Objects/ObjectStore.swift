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
