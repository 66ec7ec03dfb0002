import Glibc

/// Requests to a cache in their order. The same on every machine for the same seed.
struct CacheTrace: Sendable {
    enum Kind: UInt8, Sendable {
        case request
        /// A request whose result doesn't count, such as a crawler's.
        case crawl
        /// The value is put into the cache though it was not requested.
        case insertion
    }

    struct Event: Sendable {
        var key: Int32
        var kind: Kind
    }

    var name: String
    /// By key.
    var costs: [Int]
    var events: [Event]

    struct Ratios: Sendable, Equatable {
        /// Share of the requests that were hits, 0 to 1.
        var hits: Double
        /// Share of the requested bytes.
        var bytes: Double
    }

    /// Replays all events. The first fifth fills the cache and doesn't count.
    func replay<Policy: TracedPolicy>(
        _ policy: Policy.Type, capacity: Int, maxCount: Int = 1_000_000
    ) -> Ratios {
        var policy = Policy(maxCost: capacity, maxCount: maxCount)
        var (requests, hits, requestedBytes, hitBytes) = (0, 0, 0, 0)
        for (position, event) in events.enumerated() {
            let (key, cost) = (Int(event.key), costs[Int(event.key)])
            let isHit = event.kind == .insertion ? policy.contains(key) : policy.request(key)
            if !isHit, cost <= capacity / 4 { policy.insert(key, cost: cost) }
            guard event.kind == .request, position >= events.count / 5 else { continue }
            requests += 1
            requestedBytes += cost
            if isHit {
                hits += 1
                hitBytes += cost
            }
        }
        return Ratios(
            hits: Double(hits) / Double(max(1, requests)),
            bytes: Double(hitBytes) / Double(max(1, requestedBytes)))
    }
}

/// Draws traces of a catalog of thumbnails.
struct CacheTraceGenerator {
    /// Bytes of a hit in memory besides its picture.
    private static let overhead = 2_048
    /// Share of pictures of about 200 kB; the others have about 14 kB.
    private static let largeShare = 0.02

    private let seed: UInt64
    private let requests: Int
    /// By key.
    private let costs: [Int]

    /// - Parameters:
    ///   - pictures: in the catalog.
    ///   - requests: of clients in each trace.
    init(seed: UInt64, pictures: Int, requests: Int) {
        self.seed = seed
        self.requests = requests
        var random = SplitMix(seed: seed)
        costs = (0..<pictures).map { _ in
            let isLarge = random.unit() < Self.largeShare
            let (middle, spread) = isLarge ? (200_000.0, 0.2) : (12_000.0, 0.55)
            return Int(middle * exp(spread * random.normal())) + Self.overhead
        }
    }

    var count: Int { costs.count }

    /// Requests by Zipf's law: the picture of rank n is requested n^-exponent as often as the first.
    func zipf(_ exponent: Double) -> CacheTrace {
        trace("zipf-\(exponent)") { random, add in
            let ranks = Ranks(exponent, count, &random)
            for _ in 0..<requests { add(ranks.pick(&random), .request) }
        }
    }

    /// The same, while one picture after the other is requested by a crawler or inserted, as by
    /// `warm`, all in the order of the catalog and again from its begin.
    ///
    /// - Parameter isBursts: four in a row for each request in a tenth of the time, else one for each.
    func scan(_ exponent: Double, _ kind: CacheTrace.Kind, isBursts: Bool) -> CacheTrace {
        let name = kind == .crawl ? "scan-crawler" : "scan-warm"
        return trace(name + (isBursts ? "-bursts" : "")) { random, add in
            let ranks = Ranks(exponent, count, &random)
            var next = 0
            for request in 0..<requests {
                add(ranks.pick(&random), .request)
                let scanned = !isBursts ? 1 : request % 10_000 < 1_000 ? 4 : 0
                for _ in 0..<scanned {
                    add(next, kind)
                    next = (next + 1) % count
                }
            }
        }
    }

    /// Requests for one picture after the other, and again from the first: as many as cost `size`.
    func loop(size: Int, name: String) -> CacheTrace {
        var (length, sum) = (0, 0)
        while length < count, sum < size {
            sum += costs[length]
            length += 1
        }
        return trace(name) { _, add in
            for request in 0..<requests { add(request % max(1, length), .request) }
        }
    }

    /// Requests by Zipf's law whose ranks change: fifty times, a twentieth of the first thousand and
    /// a twentieth of all pictures swap their ranks with others.
    func shift(_ exponent: Double) -> CacheTrace {
        trace("shift") { random, add in
            var ranks = Ranks(exponent, count, &random)
            let pause = max(1, requests / 50)
            for request in 0..<requests {
                if request % pause == pause - 1 {
                    ranks.swap(count / 40, among: count, &random)
                    ranks.swap(min(count, 1_000) / 20, among: min(count, 1_000), &random)
                }
                add(ranks.pick(&random), .request)
            }
        }
    }

    /// One request in five is for one of the newest pictures, which appear all the time; the others
    /// follow Zipf's law over the older half of the catalog.
    func new(_ exponent: Double) -> CacheTrace {
        trace("new") { random, add in
            let old = count / 2
            let ranks = Ranks(exponent, old, &random)
            for request in 0..<requests {
                if random.unit() < 0.2 {
                    let newest = old + request * (count - old) / requests
                    add(max(old, newest - Int(-log(1 - random.unit()) * 200)), .request)
                } else {
                    add(ranks.pick(&random), .request)
                }
            }
        }
    }

    private func trace(
        _ name: String,
        _ draw: (_ random: inout SplitMix, _ add: (Int, CacheTrace.Kind) -> Void) -> Void
    ) -> CacheTrace {
        var random = SplitMix(seed: seed &+ 1)
        var events: [CacheTrace.Event] = []
        events.reserveCapacity(2 * requests)
        draw(&random) { events.append(.init(key: Int32($0), kind: $1)) }
        return CacheTrace(name: name, costs: costs, events: events)
    }

    /// Pictures by rank, with the sums of their shares.
    private struct Ranks {
        private var sums: [Double] = []
        private var keys: [Int]

        init(_ exponent: Double, _ count: Int, _ random: inout SplitMix) {
            var sum = 0.0
            for rank in 1...count {
                sum += pow(Double(rank), -exponent)
                sums.append(sum)
            }
            keys = (0..<count).shuffled(using: &random)
        }

        func pick(_ random: inout SplitMix) -> Int {
            let wanted = random.unit() * (sums.last ?? 0)
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < wanted { low = middle + 1 } else { high = middle }
            }
            return keys[low]
        }

        /// Swaps `times` of the first `limit` pictures with any others.
        mutating func swap(_ times: Int, among limit: Int, _ random: inout SplitMix) {
            for _ in 0..<times {
                let one = Int.random(in: 0..<limit, using: &random)
                keys.swapAt(one, Int.random(in: keys.indices, using: &random))
            }
        }
    }
}

extension SplitMix {
    /// Returns a number from 0 to below 1.
    fileprivate mutating func unit() -> Double { Double(next() >> 11) / 0x1p53 }

    /// Returns a number of the standard normal distribution.
    fileprivate mutating func normal() -> Double {
        (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
    }
}
