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

    /// Wall time of one round.
    static let wallTime = Self(name: "wall time", unit: "s", better: .less, isWall: true)
    /// The largest resident set of the measured process.
    static let peakMemory = Self(name: "peak memory", unit: "MB", better: .less)
    /// Bytes that came out, for one of the things counted: `bytesOut("KB/image")`.
    static func bytesOut(_ unit: String) -> Self {
        Self(name: "bytes out", unit: unit, better: nil)
    }
    /// Page faults without reading from a disk, for one of the things counted.
    static func pageFaults(_ unit: String) -> Self {
        Self(name: "page faults", unit: unit, better: nil)
    }
    /// Page faults that read from a disk.
    static func diskFaults(_ unit: String) -> Self {
        Self(name: "page faults from disk", unit: unit, better: nil)
    }
    /// Wall time of one stage of the work; the page stacks them: `stage("fetch", "ms/item")`.
    static func stage(_ name: String, _ unit: String) -> Self {
        Self(name: "stage \(name)", unit: unit, better: nil, isWall: true)
    }
    /// Rate with n threads beside n times the rate with one.
    static let scaling = Self(
        name: "scaling efficiency", unit: "%", better: .more, isWall: true)

    /// The stage that it is the time of; nil for another quantity.
    var stage: String? {
        name.hasPrefix("stage ") ? String(name.dropFirst("stage ".count)) : nil
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
        quantity = BenchQuantity(
            name: try values.decode(String.self, forKey: .name),
            unit: try values.decode(String.self, forKey: .unit),
            better: try values.decodeIfPresent(BenchQuantity.Better.self, forKey: .better),
            isWall: try values.decodeIfPresent(Bool.self, forKey: .isWall) ?? false)
        samples = try values.decode([Double?].self, forKey: .samples)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(quantity.name, forKey: .name)
        try values.encode(quantity.unit, forKey: .unit)
        try values.encodeIfPresent(quantity.better, forKey: .better)
        try values.encode(quantity.isWall, forKey: .isWall)
        try values.encode(samples, forKey: .samples)
        guard let statistics else { return }
        try values.encode(statistics.median, forKey: .median)
        try values.encode(statistics.deviation, forKey: .medianAbsoluteDeviation)
        try values.encode(statistics.least, forKey: .least)
        try values.encode(statistics.most, forKey: .most)
    }
}
