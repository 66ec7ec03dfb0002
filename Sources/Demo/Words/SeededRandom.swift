/// Numbers that depend on nothing but a seed: SplitMix64 (Steele, Lea, Flood 2014).
///
/// The draws below are written out because those of the standard library may change between
/// versions, and a demo must look the same everywhere.
struct SeededRandom: Sendable {
    private var state: UInt64

    /// One stream of numbers for each combination of seed and salts.
    init(seed: UInt64, _ salts: UInt64...) {
        state = seed
        for salt in salts { state = next() ^ (salt &* 0x9E37_79B9_7F4A_7C15) }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 up to, but not including, 1.
    mutating func fraction() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

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
}
