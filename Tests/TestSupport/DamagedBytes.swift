/// What damage makes of a file: another number in the place of each of its numbers, and a part of it.
package enum DamagedBytes {
    /// Numbers that readers of sizes, places and counts get wrong.
    package static let numbers: [UInt64] = [
        0, 3, 1 << 40, 1 << 60, 1 << 63 - 1, 1 << 63, .max,
    ]
    /// Cuts of a file, by default.
    private static let cuts = 64
    /// Bytes of a file's beginning that is cut everywhere in `make test-slow`.
    private static let everywhere = 4 << 10

    /// Returns the bytes with each number in each place.
    ///
    /// - Parameters:
    ///   - places: where numbers are; nil for every second byte, so that none is left out wherever it begins.
    ///   - width: bytes of a number, at most eight.
    ///   - isBigEndian: how they are written.
    package static func withNumbers(
        _ bytes: [UInt8], at places: some Sequence<Int>, width: Int = 8, isBigEndian: Bool = false
    ) -> [[UInt8]] {
        places.flatMap { place in
            numbers.map { number in
                var damaged = bytes
                for (index, byte) in (0..<width).map({
                    UInt8(truncatingIfNeeded: number >> (8 * $0))
                })
                .enumerated() {
                    let offset = place + (isBigEndian ? width - 1 - index : index)
                    if offset < damaged.count { damaged[offset] = byte }
                }
                return damaged
            }
        }
    }

    /// Returns the beginnings of the bytes: 64 of all lengths, or with ``Slow`` all up to 4 kB.
    package static func cuts(_ bytes: [UInt8]) -> [[UInt8]] {
        cutLengths(bytes.count).map { Array(bytes[..<$0]) }
    }

    /// Returns the lengths to which a file of that size is cut.
    package static func cutLengths(_ count: Int) -> [Int] {
        let some = Set((0..<cuts).map { $0 * count / cuts })
        let all = Slow.isOn ? some.union(0..<min(count, everywhere)) : some
        return all.filter { $0 < count }.sorted()
    }
}
