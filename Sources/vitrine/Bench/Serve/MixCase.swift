import App
import Memory

/// All kinds of requests for minutes, and what that does to the memory of the server.
struct MixCase: BenchCase {
    let head: BenchRow.Head
    /// With default settings, on the whole machine.
    let server: ServerProcess
    /// Everything that is stored.
    let warm: [LoadRequest]
    /// Pictures that are requested once each.
    let cold: [LoadRequest]
    let length: Duration

    private static let warmPerSecond = 2_000.0
    private static let coldPerSecond = 5.0
    private static let coldConnections = 16
    private static let sampling = Duration.milliseconds(500)
    /// Caches fill in the first part of the time, which the slope leaves out.
    private static let settling = 0.25

    var warmUps: Int { 0 }

    func round(_ number: Int) async throws -> BenchSample {
        var plan = LoadPlan(port: server.port, requests: warm)
        plan.seed = UInt64(number)
        plan.pace = .open(perSecond: Self.warmPerSecond)
        plan.length = length
        var misses = LoadPlan(port: server.port, requests: cold)
        misses.order = .inTurn
        misses.pace = .open(perSecond: Self.coldPerSecond)
        misses.connections = Self.coldConnections
        misses.limit = cold.count
        misses.length = length
        let (warmPlan, coldPlan) = (plan, misses)
        async let warmOutcome = warmPlan.run()
        async let coldOutcome = coldPlan.run()
        let sampling = Task { try await samples() }
        let outcomes: Result<(LoadOutcome, LoadOutcome), any Error>
        do {
            outcomes = .success(try await (warmOutcome, coldOutcome))
        } catch {
            outcomes = .failure(error)
        }
        sampling.cancel()
        let trend = MemoryTrend(try await sampling.value, settling: Self.settling)
        let (served, missed) = try outcomes.get()
        return Self.sample(trend, served, missed)
    }

    /// Returns the resident memory of the server and its children until it is canceled.
    private func samples() async throws -> [MemoryTrend.Sample] {
        let start = ContinuousClock.now
        var samples: [MemoryTrend.Sample] = []
        while !Task.isCancelled {
            let bytes = await FileThreads.run { server.residentBytes() }
            samples.append(
                .init(seconds: start.duration(to: .now) / .seconds(1), bytes: Double(bytes)))
            try? await Task.sleep(for: Self.sampling)
        }
        return samples
    }

    static func sample(
        _ trend: MemoryTrend, _ served: LoadOutcome, _ missed: LoadOutcome
    ) -> BenchSample {
        var values: [(BenchQuantity, Double)] = [
            (.memory, trend.most / 1e6),
            (
                BenchQuantity(name: "slope", unit: "MB/minute", better: .less),
                trend.slope * 60 / 1e6
            ),
            (BenchQuantity(name: "at the end", unit: "MB", better: .less), trend.last / 1e6),
            (.rate("requests/s"), served.rate),
            (
                BenchQuantity(name: "misses", unit: "pictures/s", better: nil, isWall: true),
                missed.rate
            ),
        ]
        if let p99 = served.latency.summary?[99] { values.append((.latency(99), p99)) }
        return BenchSample(
            values, latencies: served.latency, errors: served.errors + missed.errors,
            firstError: served.firstError ?? missed.firstError)
    }
}

/// How memory grows with time. Pure.
struct MemoryTrend: Sendable, Equatable {
    struct Sample: Sendable, Equatable {
        var seconds: Double
        var bytes: Double
    }

    /// The largest value, and the last one, in bytes.
    let most: Double
    let last: Double
    /// Bytes a second by least squares, after the settling.
    let slope: Double

    /// - Parameter settling: share of the time at the start that the slope leaves out.
    init(_ samples: [Sample], settling: Double) {
        most = samples.map(\.bytes).max() ?? 0
        last = samples.last?.bytes ?? 0
        let start = (samples.last?.seconds ?? 0) * settling
        let settled = samples.filter { $0.seconds >= start }
        let count = Double(max(1, settled.count))
        let (time, bytes) = settled.reduce((0.0, 0.0)) {
            ($0.0 + $1.seconds / count, $0.1 + $1.bytes / count)
        }
        let (above, below) = settled.reduce((0.0, 0.0)) { sums, sample in
            let distance = sample.seconds - time
            return (sums.0 + distance * (sample.bytes - bytes), sums.1 + distance * distance)
        }
        slope = below > 0 ? above / below : 0
    }
}
