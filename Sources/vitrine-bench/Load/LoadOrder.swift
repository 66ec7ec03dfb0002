import Glibc

/// Which of the requests of a plan comes next. Follows from a seed.
struct LoadOrder: Sendable {
    enum Kind: Sendable, Equatable {
        /// One after the other, and again from the first.
        case inTurn
        /// Each as often as any other.
        case even
        /// The most wanted one `k^exponent` times as often as the one in place `k`, as clients want
        /// pictures.
        case zipf(exponent: Double)
    }

    private let kind: Kind
    private let count: Int
    private var random: SplitMix
    private var next = 0
    private var zipf: ZipfSampler?
    /// The request in each place, so that no part of the list is favored.
    private var places: [Int] = []

    init(_ kind: Kind, count: Int, seed: UInt64) {
        self.kind = kind
        self.count = count
        random = SplitMix(seed: seed)
        if case .zipf(let exponent) = kind {
            zipf = ZipfSampler(count: count, exponent: exponent)
            places = (0..<count).shuffled(using: &random)
        }
    }

    /// Returns the position of the next request in the plan's list.
    mutating func draw() -> Int {
        guard count > 1 else { return 0 }
        if let zipf { return places[zipf.place(at: random.fraction())] }
        if kind == .even { return Int(random.next() % UInt64(count)) }
        defer { next = (next + 1) % count }
        return next
    }
}

/// Draws places of a ranking by Zipf's law.
struct ZipfSampler: Sendable {
    /// Share of the draws that fall on a place or on one before it.
    private let cumulative: [Double]

    init(count: Int, exponent: Double) {
        var sum = 0.0
        var sums: [Double] = []
        for place in 1...max(1, count) {
            sum += pow(Double(place), -exponent)
            sums.append(sum)
        }
        cumulative = sums.map { $0 / sum }
    }

    /// Returns the place, from 0, of a fraction that is evenly drawn from 0 ..< 1.
    func place(at fraction: Double) -> Int {
        var (low, high) = (0, cumulative.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > fraction { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
