import Hashing
import Synchronization

/// The directories of blobs that this process has seen. Eviction, of this process or another, may
/// have removed one since.
final class SeenDirectories: Sendable {
    /// A bit for each directory of the second level.
    private let bits = Mutex([UInt64](repeating: 0, count: 65_536 / 64))

    func contains(_ digest: Digest) -> Bool {
        let (word, bit) = Self.place(digest)
        return bits.withLock { $0[word] & bit != 0 }
    }

    func insert(_ digest: Digest) {
        let (word, bit) = Self.place(digest)
        bits.withLock { $0[word] |= bit }
    }

    private static func place(_ digest: Digest) -> (word: Int, bit: UInt64) {
        let number = Int(digest.words.0 >> 48)
        return (number / 64, 1 << UInt64(number % 64))
    }
}
