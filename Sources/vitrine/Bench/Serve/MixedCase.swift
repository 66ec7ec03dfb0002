import App
import FoundationEssentials

/// Hits at a steady rate while a warm run, in a process of its own, renders on every processor.
///
/// The generator shares the processors with the warm run. So it takes real-time scheduling where that is
/// permitted; otherwise most of the latency is its own delay, which a
/// column shows.
struct MixedCase: BenchCase {
    let head: BenchRow.Head
    /// With default settings, on the whole machine.
    let server: ServerProcess
    let hits: [LoadRequest]
    /// URLs of pictures that were never fetched, one a line. More than there is time for.
    let urls: String
    let environment: [String: String]
    /// Options with which the warm run has the same settings as this process.
    let options: [String]
    let length: Duration
    let scratch: String

    private static let hitsPerSecond = 5_000.0
    private static let connections = 64

    func round(_ number: Int) async throws -> BenchSample {
        let cache = "\(scratch)/mixed-\(UUID().uuidString)"
        var order = MeasuredProgram.Order(
            try ServerProcess.ownPath(),
            ["warm", "urls", urls, "--json"] + options + ["--cache", cache, "--log-level", "error"])
        order.environment = environment
        order.inheritsSettings = true
        order.output = .file(cache + "-out")
        order.errors = .file(cache + "-errors")
        let command = order
        let warm = try await FileThreads.run { () throws(CommandError) in
            try MeasuredProgram.start(command)
        }
        let outcome: Result<BenchSample, any Error>
        do {
            outcome = .success(try await sample(beside: warm, number))
        } catch {
            outcome = .failure(error)
        }
        await warm.stop(within: 15)
        let summary = await FileThreads.run { ProcFile.text(cache + "-out") ?? "" }
        try? await FileThreads.run { try FileManager.default.removeItem(atPath: cache) }
        var sample = try outcome.get()
        sample.expect(
            !Self.hasOnlyPlaceholders(summary),
            "The warm run found no pictures at its URLs, so it rendered nothing.")
        return sample
    }

    /// The counts in the last line of a warm run with `--json`.
    private struct Summary: Decodable {
        var items: Int
        var placeholders: Int
        var failed: Int
    }

    /// Returns whether a warm run has made placeholders and no pictures, by its output.
    static func hasOnlyPlaceholders(_ output: String) -> Bool {
        guard let line = output.split(whereSeparator: \.isNewline).last,
            let summary = try? JSONDecoder().decode(Summary.self, from: Data(line.utf8))
        else { return false }
        return summary.placeholders > 0
            && summary.items == summary.placeholders + summary.failed
    }

    private func sample(beside warm: MeasuredProgram, _ number: Int) async throws -> BenchSample {
        var plan = LoadPlan(port: server.port, requests: hits)
        plan.seed = UInt64(number + 1)
        plan.pace = .open(perSecond: Self.hitsPerSecond)
        plan.connections = Self.connections
        // Clients have processors of their own, which the warm run doesn't take.
        plan.goesFirst = true
        // Until the warm run renders.
        plan.length = .seconds(1)
        _ = try await plan.run()
        plan.length = number < 1 ? .seconds(1) : length
        let before = await FileThreads.run { Self.processorTime(warm) }
        let outcome = try await plan.run()
        let spent = await FileThreads.run { Self.processorTime(warm) } - before
        return Self.sample(outcome, warm: spent)
    }

    /// Processor time of a program and its children, in seconds.
    private static func processorTime(_ program: MeasuredProgram) -> Double {
        Double(ProcessTree.now().ticks(under: Int(program.identifier)))
            / ProcessUsage.ticksPerSecond
    }

    /// - Parameter warm: processor time of the warm run meanwhile, in seconds.
    static func sample(_ outcome: LoadOutcome, warm: Double) -> BenchSample {
        var values: [(BenchQuantity, Double)] = []
        if let latency = outcome.latency.summary {
            for percentile in [99, 50, 99.9] {
                if let value = latency[percentile] { values.append((.latency(percentile), value)) }
            }
        }
        let seconds = Double(max(1, outcome.nanoseconds)) / 1e9
        values += [
            (.rate("requests/s"), outcome.rate),
            (BenchQuantity(name: "warm run", unit: "processors", better: nil), warm / seconds),
        ]
        if let lag = outcome.lag.summary?[99] { values.append((.lag, lag)) }
        if outcome.unsent > 0 { values.append((.unsent, Double(outcome.unsent))) }
        var sample = BenchSample(
            values, latencies: outcome.latency, errors: outcome.errors,
            firstError: outcome.firstError)
        sample.expect(
            warm > 0, "The warm run did nothing while hits were measured; see its messages.")
        return sample
    }
}
