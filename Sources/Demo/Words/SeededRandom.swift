import Hashing

/// Draws that depend on nothing but a seed.
///
/// The draws below are written out because those of the standard library may change between
/// versions, and a demo must look the same everywhere.
struct SeededRandom: Sendable {
    private var numbers: SplitMix

    /// One stream of numbers for each combination of seed and salts.
    init(seed: UInt64, _ salts: UInt64...) {
        numbers = SplitMix(seed: seed)
        for salt in salts {
            numbers = SplitMix(seed: numbers.next() ^ (salt &* 0x9E37_79B9_7F4A_7C15))
        }
    }

    mutating func next() -> UInt64 { numbers.next() }

    /// 0 up to, but not including, 1.
    mutating func fraction() -> Double { numbers.fraction() }

    mutating func number(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + fraction() * (range.upperBound - range.lowerBound)
    }

    mutating func integer(in range: ClosedRange<Int>) -> Int {
        let count = UInt64(range.upperBound - range.lowerBound + 1)
        return range.lowerBound + Int(next().multipliedFullWidth(by: count).high)
    }

    mutating func chance(_ probability: Double) -> Bool {
        fraction() < probability
    }

    /// One of at least one.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[integer(in: 0...(elements.count - 1))]
    }

    /// Up to `count` different ones, in the order of `elements`.
    mutating func picks<Element>(_ count: Int, of elements: [Element]) -> [Element] {
        var indices = Array(elements.indices)
        while indices.count > count { indices.remove(at: integer(in: 0...(indices.count - 1))) }
        return indices.map { elements[$0] }
    }

    /// An ISO date.
    mutating func date(in year: Int) -> String {
        let month = integer(in: 1...12)
        let day = integer(in: 1...28)
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }

    /// A salt that follows from a text alone: FNV-1a (Fowler, Noll, Vo 1991).
    static func salt(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Letters and digits that show nothing of a number, as real services name their things; a salt
    /// for each kind of thing.
    static func name(_ salt: UInt64, _ number: Int, length: Int, radix: Int = 62) -> String {
        var random = SeededRandom(seed: salt, UInt64(number))
        let digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".prefix(radix)
        let letters = Array(digits)
        return String((0..<length).map { _ in random.pick(letters) })
    }
}

extension String {
    /// As addresses have titles: `the-quiet-harbor`.
    var slug: String {
        let words = lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "’" }
        return words.map { $0.filter { $0 != "’" } }.joined(separator: "-")
    }
}
