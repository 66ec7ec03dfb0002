import Memory

/// A flood: cold pictures at ten times the rate at which they can be made, and hits beside them.
///
/// What counts is what hits see meanwhile. Every response must be a picture or a 503 that says when to
/// try again.
struct FloodCase: BenchCase {
    let head: BenchRow.Head
    let cold: ColdServer
    /// Served once before the flood.
    let hit: LoadRequest
    /// First the pictures that tell how fast they are made, then those of the flood.
    let pictures: [LoadRequest]
    let length: Duration

    /// Pictures by which the rate is measured.
    private static let probes = 24
    /// Times as many as can be made.
    private static let excess = 10.0
    private static let hitsPerSecond = 500.0

    func round(_ number: Int) async throws -> BenchSample {
        try await cold.with { server in
            let pace = try await probe(server)
            let flooding = flood(server, pace * Self.excess)
            let watching = watch(server)
            async let flood = flooding.run()
            async let hits = watching.run()
            let (cold, seen) = try await (flood, hits)
            return Self.sample(cold, seen)
        }
    }

    /// Returns how many pictures a second the server makes, with a hit in its memory afterwards.
    private func probe(_ server: ServerProcess) async throws -> Double {
        var plan = LoadPlan(port: server.port, requests: [hit] + pictures.prefix(Self.probes))
        plan.order = .inTurn
        plan.limit = plan.requests.count
        plan.connections = 2 * MachineProcessors.count() + 2
        plan.length = .seconds(120)
        let outcome = try await plan.run()
        guard outcome.errors == 0 else {
            throw CommandError(outcome.firstError ?? "Pictures failed before the flood.")
        }
        return outcome.rate
    }

    private func flood(_ server: ServerProcess, _ rate: Double) -> LoadPlan {
        var plan = LoadPlan(
            port: server.port, requests: Array(pictures.dropFirst(Self.probes)))
        plan.order = .inTurn
        plan.pace = .open(perSecond: rate)
        plan.length = length
        // More than the server lets wait, so that it must refuse some.
        plan.connections = 600
        plan.timeout = .seconds(120)
        return plan
    }

    private func watch(_ server: ServerProcess) -> LoadPlan {
        var plan = LoadPlan(port: server.port, requests: [hit])
        plan.pace = .open(perSecond: Self.hitsPerSecond)
        plan.length = length
        plan.connections = 8
        return plan
    }

    private static func ofHits(_ percentile: Int) -> BenchQuantity {
        BenchQuantity(name: "p\(percentile) of hits", unit: "µs", better: .less, isWall: true)
    }

    static func sample(_ cold: LoadOutcome, _ hits: LoadOutcome) -> BenchSample {
        var values: [(BenchQuantity, Double)] = []
        if let latency = hits.latency.summary {
            values = [99, 50].compactMap { percentile in
                latency[Double(percentile)].map { (ofHits(percentile), $0) }
            }
        }
        let seconds = Double(max(1, hits.nanoseconds)) / 1e9
        values += [
            (
                BenchQuantity(name: "asked", unit: "pictures/s", better: nil, isWall: true),
                Double(cold.responses + cold.unsent) / seconds
            ),
            (
                BenchQuantity(name: "good", unit: "pictures", better: .more, isWall: true),
                Double(cold.statuses[200] ?? 0)
            ),
            (
                BenchQuantity(name: "refused", unit: "503 with Retry-After", better: nil),
                Double(cold.statuses[503] ?? 0)
            ),
        ]
        return BenchSample(
            values, latencies: hits.latency, errors: cold.errors + hits.errors,
            firstError: cold.firstError ?? hits.firstError)
    }
}
