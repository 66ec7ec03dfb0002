/// Estimates how often keys were counted: a count-min sketch of four rows with counters of 4 bits.
/// All counts are halved once ten times as many were counted as the cache has entries.
struct FrequencySketch {
    private static let rows = 4
    private static let most: UInt64 = 15

    /// Sixteen counters each; the rows of a block of counters are neighbors.
    private var words: [UInt64]
    private let mask: UInt64
    private var counted = 0

    /// - Parameter counters: in each row; rounded up to a power of two.
    init(counters: Int) {
        var count = 16
        while count < counters { count *= 2 }
        words = Array(repeating: 0, count: count / 16 * Self.rows)
        mask = UInt64(count - 1)
    }

    func count(_ key: Int) -> Int {
        Int((0..<Self.rows).map { value(place(key, row: $0)) }.min() ?? 0)
    }

    /// - Parameter entries: of the cache now.
    mutating func add(_ key: Int, entries: Int) {
        for row in 0..<Self.rows {
            let (word, shift) = place(key, row: row)
            if value((word, shift)) < Self.most { words[word] += 1 << shift }
        }
        counted += 1
        guard counted >= 10 * max(64, entries) else { return }
        counted = 0
        for word in words.indices { words[word] = (words[word] >> 1) & 0x7777_7777_7777_7777 }
    }

    private func value(_ place: (word: Int, shift: UInt64)) -> UInt64 {
        (words[place.word] >> place.shift) & Self.most
    }

    private func place(_ key: Int, row: Int) -> (word: Int, shift: UInt64) {
        let salt = UInt64(row + 1) &* 0x9E37_79B9_7F4A_7C15
        var random = SplitMix(seed: UInt64(bitPattern: Int64(key)) &+ salt)
        let counter = random.next() & mask
        return (Int(counter >> 4) * Self.rows + row, (counter & 15) * 4)
    }
}
