/// The SHA-256 of a blob. It is the blob's name in the store, its entity tag and its `Repr-Digest`.
package struct Digest: Sendable, Hashable, BitwiseCopyable {
    /// Length of a digest in bytes.
    package static let byteCount = 32

    // Four big-endian words, so that comparing and hashing don't allocate.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes the bytes, which takes 0.5 to 2 ms per MB.
    package init(of bytes: [UInt8]) {
        var hasher = SHA256()
        bytes.withUnsafeBytes { hasher.update($0) }
        self.init(hasher)
    }

    /// Hashes the bytes.
    package init(of bytes: UnsafeRawBufferPointer) {
        var hasher = SHA256()
        hasher.update(bytes)
        self.init(hasher)
    }

    /// Takes the result of a hasher that has seen all bytes.
    package init(_ hasher: SHA256) {
        words = hasher.finalize().withUnsafeBytes(Self.words)
    }

    /// Returns `nil` unless there are 32 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        words = Array(bytes).withUnsafeBytes(Self.words)
    }

    /// Returns `nil` unless the text is 64 hexadecimal digits in lower case.
    package init?(hex: String) {
        guard hex.utf8.count == 2 * Self.byteCount, let bytes = Hex.bytes(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// 64 lower-case hexadecimal digits.
    package var hex: String { Hex.text(bytes) }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            for (index, word) in [words.0, words.1, words.2, words.3].enumerated() {
                raw.storeBytes(of: word.bigEndian, toByteOffset: 8 * index, as: UInt64.self)
            }
            count = Self.byteCount
        }
    }

    @inlinable
    package static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    @inlinable package func hash(into hasher: inout Hasher) {
        // The bytes are uniformly distributed, so one word separates digests as well as four.
        hasher.combine(words.0)
    }

    private static func words(_ raw: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64) {
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
        return (word(0), word(1), word(2), word(3))
    }
}

extension Digest: Comparable {
    @inlinable
    package static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }
}

extension Digest: CustomStringConvertible {
    package var description: String { "sha256-\(hex)" }
}

/// Encoded as hexadecimal digits.
extension Digest: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = Digest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not 64 lower-case hexadecimal digits")
        }
        self = digest
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
