import Foundation
import Hashing

/// Which first-level directories were counted since the machine was started.
///
/// A ledger isn't on the disk before the blobs that it counts. After a power cut counts may be too
/// low, so that each directory is counted again once per start of the machine. Stored behind the
/// counts: the start, 256 bits, and a check.
struct CountedBoot: Sendable, Equatable {
    static let byteCount = 48

    /// Identifies this start of the machine; 0 if the kernel doesn't say it.
    static let current = boot()

    let boot: UInt64
    private var bits: [UInt64]

    /// - Parameter isCounted: whether nothing has to be counted again, as in a new ledger.
    init(_ boot: UInt64, isCounted: Bool) {
        self.boot = boot
        bits = Array(repeating: isCounted ? .max : 0, count: 4)
    }

    /// Reads the stored form. Of a damaged one, and one of an earlier start, nothing is counted.
    init(_ bytes: [UInt8], boot: UInt64) {
        self.init(boot, isCounted: false)
        guard bytes.count == Self.byteCount else { return }
        let words = bytes.withUnsafeBytes { raw in
            (0..<6).map {
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
            }
        }
        guard words[0] == boot, LedgerCounts.check(words.dropLast()) == words[5] else { return }
        bits = Array(words[1...4])
    }

    var bytes: [UInt8] {
        let words = [boot] + bits
        return (words + [LedgerCounts.check(words[...])]).flatMap { word in
            withUnsafeBytes(of: word.littleEndian) { Array($0) }
        }
    }

    mutating func insert(_ fan: Int) { bits[fan / 64] |= 1 << UInt64(fan % 64) }

    /// The directories that have to be counted again.
    var uncounted: [Int] {
        (0..<256).filter { bits[$0 / 64] & 1 << UInt64($0 % 64) == 0 }
    }

    private static func boot() -> UInt64 {
        let id = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
        return id.map { Digest(of: Array($0)).words.0 } ?? 0
    }
}
