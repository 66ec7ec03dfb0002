/// A figure that a row is measured by.
struct BenchQuantity: Sendable, Hashable, Codable {
    enum Better: String, Sendable, Codable {
        case more, less
    }

    /// What is measured, for people: `rate`, `processor time`, `peak memory`.
    var name: String
    /// `images/s`, `ms/image`, `MB`.
    var unit: String
    /// Which direction is an improvement; nil for a figure that is neither good nor bad.
    var better: Better?
    /// Whether other programs on the machine change it. Wall time is, processor time hardly.
    var isWall = false

    /// Things per second of wall time: `rate("images/s")`.
    static func rate(_ unit: String) -> Self {
        Self(name: "rate", unit: unit, better: .more, isWall: true)
    }

    /// User and system time of all processes that took part: `processorTime("ms/image")`.
    static func processorTime(_ unit: String) -> Self {
        Self(name: "processor time", unit: unit, better: .less)
    }

    /// A percentile of the latency within one round, corrected for coordinated omission.
    static func latency(_ percentile: Double) -> Self {
        let digits =
            percentile == percentile.rounded() ? "\(Int(percentile))" : "\(percentile)"
        return Self(name: "p\(digits)", unit: "µs", better: .less, isWall: true)
    }

    /// Wall time of one round.
    static let wallTime = Self(name: "wall time", unit: "s", better: .less, isWall: true)
    /// The largest resident set of the measured process.
    static let peakMemory = Self(name: "peak memory", unit: "MB", better: .less)
    /// Resident memory of the server and its children after the round.
    static let memory = Self(name: "memory", unit: "MB", better: .less)
    /// Bytes that came out, for one of the things counted: `bytesOut("KB/image")`.
    static func bytesOut(_ unit: String) -> Self {
        Self(name: bytesOutName, unit: unit, better: .less)
    }
    static let bytesOutName = "bytes out"
    /// SSIMULACRA2 beside the same pixels without loss: 100 is the same, below 70 people see it.
    static let quality = Self(name: "quality", unit: "SSIMULACRA2", better: .more)
    /// What a whole core of the server answers: requests by its processor time.
    static let perCore = Self(name: "per core", unit: "requests/s", better: .more)
    /// Bytes of responses, heads included.
    static let transfer = Self(name: "transfer", unit: "MB/s", better: .more, isWall: true)
    /// Share of a processor that the generator needs; near 100 it is what bounds the rate.
    static let generator = Self(name: "generator", unit: "% of a core", better: nil)
    /// How late the generator itself was in 99 of 100 requests. It is part of the latency.
    static let lag = Self(name: "generator lag p99", unit: "µs", better: nil)
    /// Requests that were due and never sent, because all connections were busy.
    static let unsent = Self(name: "never sent", unit: "requests", better: .less, isWall: true)
    /// Resident memory of a server with its idle connections.
    static let server = Self(name: "server", unit: "MB", better: .less)
    static let downloads = Self(name: "downloads", unit: "", better: .less)
    /// Rate with n threads beside n times the rate with one.
    static let scaling = Self(
        name: "scaling efficiency", unit: "%", better: .more, isWall: true)

    /// How a column of it is headed.
    var header: String {
        switch name {
        case "rate", Self.bytesOutName: unit
        case "processor time": "CPU \(unit)"
        case "peak memory": "peak \(unit)"
        case "scaling efficiency": "scaling \(unit)"
        default: unit.isEmpty ? name : "\(name) \(unit)"
        }
    }
}

/// One quantity of a row in every round.
struct BenchFigure: Sendable, Equatable {
    var quantity: BenchQuantity
    /// One value a round, in the order of the rounds; nil where the round failed.
    var samples: [Double?]

    init(_ quantity: BenchQuantity, _ samples: [Double?]) {
        self.quantity = quantity
        self.samples = samples
    }

    /// Nil if no round succeeded.
    var statistics: BenchStatistics? { BenchStatistics(samples.compactMap(\.self)) }
    /// The median over the rounds; nil if no round succeeded.
    var median: Double? { statistics?.median }
}

extension BenchFigure: Codable {
    private enum Key: String, CodingKey {
        case name, unit, better, isWall, samples
        // For readers of the file. Reading it back computes them from the samples.
        case median, medianAbsoluteDeviation, least, most
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        quantity = try BenchQuantity(from: decoder)
        samples = try values.decode([Double?].self, forKey: .samples)
    }

    func encode(to encoder: any Encoder) throws {
        try quantity.encode(to: encoder)
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(samples, forKey: .samples)
        guard let statistics else { return }
        try values.encode(statistics.median, forKey: .median)
        try values.encode(statistics.deviation, forKey: .medianAbsoluteDeviation)
        try values.encode(statistics.least, forKey: .least)
        try values.encode(statistics.most, forKey: .most)
    }
}

/// The middle of some samples and how far they spread.
struct BenchStatistics: Sendable, Equatable {
    let median: Double
    /// The median absolute deviation: half of the samples are at most this far from the median. One
    /// outlier doesn't move it.
    let deviation: Double
    let least: Double
    let most: Double
    let count: Int

    /// Nil without samples.
    init?(_ samples: [Double]) {
        guard let least = samples.min(), let most = samples.max() else { return nil }
        let median = Self.median(samples)
        self.median = median
        self.least = least
        self.most = most
        deviation = Self.median(samples.map { abs($0 - median) })
        count = samples.count
    }

    /// The deviation as a share of the median; 0 if the median is 0.
    var relativeDeviation: Double { median == 0 ? 0 : deviation / abs(median) }

    /// Fewer rounds say nothing of how far they spread.
    static let leastRounds = 3

    /// The deviation as a share of the median, for people; nil of too few rounds.
    var spread: String? {
        count < Self.leastRounds ? nil : BenchText.percent(relativeDeviation)
    }

    /// Returns the middle value, or the mean of the middle two; 0 without values.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// Returns the median of `values[i] / others[i]` over the rounds that both have. Rounds of one
    /// run are interleaved, so what slows the machine for a while drops out of it. Nil if there is
    /// no such round.
    static func pairedRatio(_ values: [Double?], to others: [Double?]) -> Double? {
        let ratios = zip(values, others).compactMap { value, other -> Double? in
            guard let value, let other, other != 0 else { return nil }
            return value / other
        }
        return ratios.isEmpty ? nil : median(ratios)
    }
}
