/// A hash for tables that also compare the bytes.
enum ByteHash {
    /// Random in each process, so that clients can't prepare colliding targets.
    private static let seed = UInt64.random(in: 1 ... .max)

    static func of(_ bytes: UnsafeRawBufferPointer, _ salt: UInt64) -> UInt64 {
        var hash = seed ^ salt
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(&hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest = UInt64(truncatingIfNeeded: bytes.count) << 56
        while offset < bytes.count {
            rest = rest << 8 ^ UInt64(bytes[offset])
            offset += 1
        }
        mix(&hash, rest)
        return hash
    }

    /// Folds both halves of a full product, so that every bit of the input reaches every bit of the
    /// hash.
    private static func mix(_ hash: inout UInt64, _ word: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        hash = product.high ^ product.low
    }
}
