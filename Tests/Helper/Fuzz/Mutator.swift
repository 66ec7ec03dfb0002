import TestSupport

/// Makes input number N of a seed: the same bytes each time, independent of other inputs.
struct Mutator {
    private static let oddNumbers: [UInt32] = [
        0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF, 0x1_0000,
        0x00FF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFF0, 0xFFFF_FFFE, 0xFFFF_FFFF,
    ]
    private let seeds: [[UInt8]]
    private let seed: UInt64

    init(_ seeds: [[UInt8]], seed: UInt64) {
        self.seeds = seeds.filter { !$0.isEmpty }
        self.seed = seed
    }

    func input(_ number: Int) -> [UInt8] { mutated(number).bytes }

    /// The input with the place of the seed that it was made from.
    func mutated(_ number: Int) -> (bytes: [UInt8], seed: Int) {
        var random = SeededGenerator(input: number, of: seed)
        let seed = Int.random(in: 0..<seeds.count, using: &random)
        var bytes = seeds[seed]
        for _ in 0..<[1, 1, 2, 3, 5, 9][Int.random(in: 0..<6, using: &random)] {
            guard !bytes.isEmpty else { break }
            mutate(&bytes, &random)
        }
        return (bytes, seed)
    }

    private func one(_ random: inout SeededGenerator) -> [UInt8] {
        seeds[Int.random(in: 0..<seeds.count, using: &random)]
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let at = place(bytes, &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<3: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 3..<6: bytes[at] = [0, 0x7F, 0xFF][Int.random(in: 0..<3, using: &random)]
        case 6..<9: setNumber(&bytes, at, &random)
        case 9..<11: setNumbers(&bytes, at, &random)
        case 11: bytes.removeSubrange(at...)
        case 12: bytes = Array(bytes[..<at]) + tail(one(&random), &random)
        case 13: bytes.removeSubrange(chunk(bytes, at, &random))
        case 14: bytes.insert(contentsOf: bytes[chunk(bytes, at, &random)], at: at)
        default:
            let moved = Array(bytes[chunk(bytes, at, &random)])
            bytes.insert(contentsOf: moved, at: place(bytes, &random))
        }
    }

    /// Half of the time within the first bytes, where headers are.
    private func place(_ bytes: [UInt8], _ random: inout SeededGenerator) -> Int {
        let head = Bool.random(using: &random) ? min(bytes.count, 256) : bytes.count
        return Int.random(in: 0..<head, using: &random)
    }

    private func tail(_ other: [UInt8], _ random: inout SeededGenerator) -> ArraySlice<UInt8> {
        other[place(other, &random)...]
    }

    private func chunk(_ bytes: [UInt8], _ at: Int, _ random: inout SeededGenerator) -> Range<Int> {
        let longest = Bool.random(using: &random) ? 16 : 4_096
        return at..<min(bytes.count, at + Int.random(in: 1...longest, using: &random))
    }

    /// Several side by side, as sides and places are: a length of 64 bits, a size, a size of tiles.
    private func setNumbers(_ bytes: inout [UInt8], _ at: Int, _ random: inout SeededGenerator) {
        let value = Self.oddNumbers[Int.random(in: 0..<Self.oddNumbers.count, using: &random)]
        for index in 0..<4 * Int.random(in: 2...4, using: &random) where at + index < bytes.count {
            bytes[at + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * (index % 4)))
        }
    }

    private func setNumber(_ bytes: inout [UInt8], _ at: Int, _ random: inout SeededGenerator) {
        let size = Bool.random(using: &random) ? 2 : 4
        let value = Self.oddNumbers[Int.random(in: 0..<Self.oddNumbers.count, using: &random)]
        let isBigEndian = Bool.random(using: &random)
        for index in 0..<size where at + index < bytes.count {
            let shift = 8 * (isBigEndian ? size - 1 - index : index)
            bytes[at + index] = UInt8(truncatingIfNeeded: value >> UInt32(shift))
        }
    }
}

extension SeededGenerator {
    /// For input N of a seed. Two numbers beside each other have nothing in common after the first value.
    init(input number: Int, of seed: UInt64) {
        var start = SeededGenerator(seed: seed ^ UInt64(number) &* 0xD134_2543_DE82_EF95)
        self.init(seed: start.next())
    }
}
