import App

/// Load on a server that is already warm: one row for hits of one kind.
struct LoadCase: BenchCase {
    let head: BenchRow.Head
    /// Nil for a service whose processor time can't be read.
    let server: (any TimedServer)?
    var plan: LoadPlan
    /// Whether bytes a second are shown, for large bodies.
    var showsTransfer = false
    /// Percentile that leads in an open loop; nil leads with requests a second.
    var percentile: Double?

    /// The first round only brings connections and caches to what they are later.
    func round(_ number: Int) async throws -> BenchSample {
        var plan = plan
        // Another part of the order in every round, the same ones in every run.
        plan.seed = plan.seed &* 1_000 &+ UInt64(number + 100)
        if number < 1 { plan.length = min(plan.length, .seconds(1)) }
        let before = await FileThreads.run { server?.processorTime() ?? 0 }
        let outcome = try await plan.run()
        let spent = await FileThreads.run { server?.processorTime() ?? 0 } - before
        return BenchSample(
            values(outcome, spent), latencies: outcome.latency, errors: outcome.errors,
            firstError: outcome.firstError)
    }

    private func values(
        _ outcome: LoadOutcome, _ spent: Double
    ) -> [(BenchQuantity, Double)] {
        let requests = Double(max(1, outcome.responses))
        let processor =
            server == nil
            ? [] : [(BenchQuantity.processorTime("µs/request"), spent / requests * 1e6)]
        let generator = (BenchQuantity.generator, outcome.generatorShare * 100)
        guard let percentile, let summary = outcome.latency.summary else {
            var values = [(BenchQuantity.rate("requests/s"), outcome.rate)] + processor
            if showsTransfer, outcome.nanoseconds > 0 {
                values.append(
                    (.transfer, Double(outcome.bytes) / Double(outcome.nanoseconds) * 1e3))
            }
            if spent > 0 { values.append((.perCore, requests / spent)) }
            return values + [generator]
        }
        var values: [(BenchQuantity, Double)] = []
        for percentile in [percentile, 50, 99.9] {
            if let latency = summary[percentile] {
                values.append((.latency(percentile), latency))
            }
        }
        values += [(.rate("requests/s"), outcome.rate)] + processor
        if let lag = outcome.lag.summary?[99] { values.append((.lag, lag)) }
        if outcome.unsent > 0 { values.append((.unsent, Double(outcome.unsent))) }
        return values + [generator]
    }
}

extension BenchQuantity {
    /// A percentile of the latency within one round, corrected for coordinated omission.
    static func latency(_ percentile: Double) -> Self {
        let digits =
            percentile == percentile.rounded() ? "\(Int(percentile))" : "\(percentile)"
        return Self(name: "p\(digits)", unit: "µs", better: .less, isWall: true)
    }

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
}
