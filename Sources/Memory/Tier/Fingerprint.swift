/// A name of 128 bits for a key, with SipHash under secrets of this process. Tables can keep it in
/// place of the key: two keys with one fingerprint don't occur, and clients can't make any.
@frozen public struct Fingerprint: Hashable, BitwiseCopyable, Sendable {
    public let first: UInt64
    public let second: UInt64

    // In case hashing is made repeatable with `SWIFT_DETERMINISTIC_HASHING`.
    @usableFromInline static let secret = UInt64.random(in: 0 ... .max)

    /// - Parameter feed: feeds the key to a hasher. Called twice.
    @inlinable init(_ feed: (inout Hasher) -> Void) {
        first = Self.hash(~Self.secret, feed)
        second = Self.hash(Self.secret, feed)
    }

    @inlinable static func hash(_ secret: UInt64, _ feed: (inout Hasher) -> Void) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(secret)
        feed(&hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Names a key. Its first half is the key's hash value.
    public init(_ key: some Hashable) {
        first = UInt64(bitPattern: Int64(key.hashValue))
        second = Self.hash(Self.secret) { $0.combine(key) }
    }

    /// Names bytes of which another byte tells two meanings apart.
    public init(_ bytes: UnsafeRawBufferPointer, _ meaning: UInt8) {
        self.init {
            $0.combine(meaning)
            $0.combine(bytes: bytes)
        }
    }

    /// No key has it.
    @usableFromInline static let none = Fingerprint(first: 0, second: 0)

    @inlinable init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }
}
