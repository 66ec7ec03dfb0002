import Hashing

/// Which of the requests of a plan comes next. Follows from a seed.
struct LoadOrder: Sendable {
    enum Kind: Sendable, Equatable {
        /// One after the other, and again from the first.
        case inTurn
        /// Each as often as any other.
        case even
        /// The most wanted one `k` times as often as the one in place `k`, as clients want pictures.
        case zipf
    }

    private let kind: Kind
    private let count: Int
    private var random: SplitMix
    private var next = 0
    /// The request in each place of Zipf's ranking, so that no part of the list is favored.
    private var places: [Int] = []
    private var shares: [Double] = []

    init(_ kind: Kind, count: Int, seed: UInt64) {
        self.kind = kind
        self.count = count
        random = SplitMix(seed: seed)
        if kind == .zipf {
            shares = Self.shares(count)
            places = (0..<count).shuffled(using: &random)
        }
    }

    /// Returns the position of the next request in the plan's list.
    mutating func draw() -> Int {
        guard count > 1 else { return 0 }
        switch kind {
        case .zipf: return places[Self.place(of: random.fraction(), in: shares)]
        case .even: return Int(random.next() % UInt64(count))
        case .inTurn:
            defer { next = (next + 1) % count }
            return next
        }
    }

    /// Returns which share of the draws falls on each place of Zipf's ranking or on one before it.
    static func shares(_ count: Int) -> [Double] {
        var sum = 0.0
        let sums = (1...max(1, count)).map { place in
            sum += 1 / Double(place)
            return sum
        }
        return sums.map { $0 / sum }
    }

    /// Returns the place, from 0, of a fraction that is evenly drawn from 0 ..< 1.
    static func place(of fraction: Double, in shares: [Double]) -> Int {
        var (low, high) = (0, shares.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if shares[middle] > fraction { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
