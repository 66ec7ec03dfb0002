/// How fast a count rises, as the mean of the last moments, so that it is calm. Pure.
package struct RecentRate: Sendable {
    private struct Sample {
        var seconds: Double
        var count: Int
    }

    /// Seconds after which the first rate is known.
    private static let least = 0.5

    /// Seconds that are looked back.
    private let window: Double
    private var samples: [Sample] = []
    private var last: Sample?

    /// - Parameter window: seconds.
    package init(window: Double) { self.window = window }

    /// Takes the count at a time. Times ascend.
    package mutating func add(_ count: Int, at seconds: Double) {
        let sample = Sample(seconds: seconds, count: count)
        last = sample
        if samples.last.map({ seconds - $0.seconds >= window / 100 }) ?? true {
            samples.append(sample)
        }
        // One that is older stays, so that there is always something to compare with.
        while samples.count > 2, seconds - samples[1].seconds > window { samples.removeFirst() }
    }

    /// Seconds from the first sample to the last, which the other values are of.
    package var span: Double { (last?.seconds ?? 0) - (samples.first?.seconds ?? 0) }

    /// How much the count rose meanwhile.
    package var rise: Int { (last?.count ?? 0) - (samples.first?.count ?? 0) }

    /// Nil in the first moment.
    package var perSecond: Double? {
        span >= Self.least ? Double(rise) / span : nil
    }
}
