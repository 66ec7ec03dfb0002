import App
import Console
import Glibc

/// The load of a row on one server.
struct LoadCase: Sendable {
    let context: BenchContext
    /// Nil on a machine with one processor.
    let generatorProcessor: Int?
    let row: ServeRow
    let requests: [LoadRequest]
    /// Nil for this program.
    let peer: Peer.Installed?

    /// Load of a server that runs. The first round only brings connections and caches to what they are
    /// later.
    ///
    /// - Parameter process: nil for a service of another user, whose processor time can't be read.
    func onServer(_ port: Int, _ process: pid_t?) -> BenchCase {
        BenchCase(head) { number in
            let seconds = number < 1 || context.isQuick ? 1 : 3
            let (outcome, spent) = try await ServerProcess.spent(by: process) {
                try await load(port, seconds: seconds, number: number)
            }
            return outcome.sample(of: row, spent: process == nil ? nil : spent)
        }
    }

    /// What idle connections add to the memory of a server. It is a new one in every round, because the
    /// memory that earlier connections left would hold these, too.
    func onNewServers(
        _ start: @escaping @Sendable () async throws -> ServerProcess
    ) -> BenchCase {
        BenchCase(head, warmUps: 0) { number in
            try await ServerProcess.withNew(start) { server in
                // What it allocates once is there before.
                _ = try await load(server.port, seconds: 1, number: number, connections: 8)
                let before = await server.residentBytes()
                async let running = load(server.port, seconds: 3, number: number)
                // After they are open, and before they are closed.
                try await Task.sleep(for: .seconds(2))
                let during = await server.residentBytes()
                let each = BenchQuantity(name: "memory", unit: "KB/connection", better: .less)
                let added = Double(max(0, during - before)) / 1_000
                var sample = BenchSample([(each, added / Double(row.connections))])
                sample.add(.server, Double(during) / 1e6)
                let outcome = try await running
                (sample.errors, sample.firstError) = (outcome.errors, outcome.firstError)
                return sample
            }
        }
    }

    private var head: BenchRow.Head {
        BenchRow.Head(
            .serve, row.what, row.words, state: .warm, peer: peer?.row,
            note: row.h2load.isEmpty ? row.note : "Made by h2load.")
    }

    private func load(
        _ port: Int, seconds: Int, number: Int, connections: Int? = nil
    ) async throws -> LoadOutcome {
        let connections = connections ?? row.connections
        if !row.h2load.isEmpty {
            return try await byH2load(port, seconds: seconds, connections: connections)
        }
        var plan = LoadPlan(port: port, requests: requests)
        (plan.order, plan.pace, plan.connections) = (row.order, row.pace, connections)
        plan.length = .seconds(seconds)
        plan.processor = generatorProcessor
        plan.closesConnections = row.closes
        // Another part of the order in every round, the same ones in every run.
        plan.seed = context.seed &* 1_000 &+ UInt64(number + 100)
        return try await plan.run()
    }

    /// Over TLS; an idle row and one of a number of requests give their own connections.
    private func byH2load(
        _ port: Int, seconds: Int, connections: Int
    ) async throws -> LoadOutcome {
        guard let h2load = MeasuredProgram.find("h2load") else {
            throw CommandError("h2load is not installed.")
        }
        let list = context.place("h2load")
        let urls = requests.map { "https://127.0.0.1:\(port)\($0.path)\n" }.joined()
        try await context.write(urls.utf8, to: list)
        var arguments = row.h2load + ["--input-file", list, "--threads", "1"]
        if row.isIdle { arguments += ["--clients", "\(connections)"] }
        if !row.h2load.contains("--requests") { arguments += ["--duration", "\(seconds)"] }
        var order = MeasuredProgram.Order(h2load, arguments)
        (order.output, order.errors) = (list + "-out", list + "-errors")
        order.processors = generatorProcessor.map { Processors([$0]) }
        // Now and then it doesn't end when its time is up.
        order.limit = Double(seconds) + 20
        let end: MeasuredProgram.End
        do {
            end = try await MeasuredProgram.run(order)
        } catch let error as CommandError {
            throw MissedRound(error.description)
        }
        guard var outcome = LoadOutcome(h2load: ProcFile.text(list + "-out") ?? "") else {
            throw CommandError(
                "h2load got no response, or its output is another one than expected.")
        }
        let share = end.processor / end.wall
        outcome.generatorNanoseconds = UInt64(share * Double(outcome.nanoseconds))
        return outcome
    }
}

extension LoadOutcome {
    /// A sample with the latencies and the errors of this load.
    func sample(_ values: [(BenchQuantity, Double)]) -> BenchSample {
        BenchSample(values, latencies: latency, errors: errors, firstError: firstError)
    }

    /// The percentiles that were recorded.
    func percentiles(_ percentiles: [Double]) -> [(BenchQuantity, Double)] {
        let summary = latency.summary
        return percentiles.compactMap { percentile in
            summary?[percentile].map { (.latency(percentile), $0) }
        }
    }

    /// What the generator adds to an open loop.
    var lateness: [(BenchQuantity, Double)] {
        (lag.summary?[99].map { [(.lag, $0)] } ?? [])
            + (unsent > 0 ? [(.unsent, Double(unsent))] : [])
    }

    /// The figures of a row. Percentiles lead where requests are due at given times.
    ///
    /// - Parameter spent: processor time of the server in seconds; nil if it can't be read.
    func sample(of row: ServeRow, spent: Double?) -> BenchSample {
        let isOpen = row.pace != .closed
        let requests = Double(max(1, responses))
        var values = isOpen ? percentiles([99, 50, 99.9]) : []
        values.append((.rate("requests/s"), rate))
        if let spent { values.append((.processorTime("µs/request"), spent / requests * 1e6)) }
        if isOpen {
            values += lateness
        } else {
            if row.showsTransfer { values.append((.transfer, megabytesPerSecond)) }
            if let spent, spent > 0 { values.append((.perCore, requests / spent)) }
        }
        values.append((.generator, generatorShare * 100))
        return sample(values)
    }

    /// Reads what `h2load` prints at its end. Nil if the text has no summary with a response.
    init?(h2load text: String) {
        var rate: Double?
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "," }
            if line.hasPrefix("finished in "), let unit = words.firstIndex(of: "req/s"), unit > 0 {
                rate = Double(words[unit - 1])
            } else if line.hasPrefix("requests:") || line.hasPrefix("status codes:") {
                // A number and then what it counts: "1234 succeeded, 0 failed".
                for (number, name) in zip(words, words.dropFirst()) {
                    if let count = Int(number) { counts[String(name)] = count }
                }
            }
        }
        guard let rate, rate > 0, let done = counts["done"], done > 0, let good = counts["2xx"]
        else { return nil }
        let failed = max(done - good, (counts["failed"] ?? 0) + (counts["timeout"] ?? 0))
        nanoseconds = UInt64(Double(done) / rate * 1e9)
        inTime = done - failed
        statuses = [200: done]
        faults = failed > 0 ? [.h2load: failed] : [:]
        firstError = failed > 0 ? LoadFault.h2load.rawValue : nil
    }
}
