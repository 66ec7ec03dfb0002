import Glibc

extension UnsafeRawBufferPointer {
    /// Random in each process, so that clients can't prepare colliding targets.
    private static let seed = UInt64.random(in: 1 ... .max)

    /// Returns a hash for tables that also compare the bytes.
    func hash(_ salt: UInt64) -> UInt64 {
        var hash = Self.seed ^ salt
        var offset = 0
        while offset + 8 <= count {
            Self.mix(&hash, loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest = UInt64(truncatingIfNeeded: count) << 56
        while offset < count {
            rest = rest << 8 ^ UInt64(self[offset])
            offset += 1
        }
        Self.mix(&hash, rest)
        return hash
    }

    /// Folds both halves of a full product, so that every bit of the input reaches every bit of the
    /// hash.
    private static func mix(_ hash: inout UInt64, _ word: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        hash = product.high ^ product.low
    }

    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}

extension [UInt8] {
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        withUnsafeBytes { $0.equals(other) }
    }
}
