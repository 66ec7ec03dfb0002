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
