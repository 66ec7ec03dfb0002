import Hashing

/// Runs cases in rounds that take turns, so that whatever slows the machine for a while slows all.
struct BenchRounds: Sendable {
    var rounds: Int
    /// Decides the order of the cases in each round.
    var seed: UInt64
    /// Reads what all programs of the machine have used; nil if it can't be read.
    var activity: @Sendable () -> MachineActivity? = { nil }
    /// Returns why a program that the cases need has ended, as a sentence; nil while all run.
    var endedProgram: @Sendable () -> String? = { nil }
    /// Whether the time allows another round that takes as long as the last one; asked after each
    /// measured round.
    var hasTime: @Sendable (_ lastRound: Duration) -> Bool = { _ in true }
    /// Called once, after the first round of all cases.
    var begun: @Sendable (_ roundsLeft: Int, _ round: Duration) -> Void = { _, _ in }
    /// Called before each round of each case.
    var progress: @Sendable (_ done: Int, _ total: Int, _ id: String) -> Void = { _, _, _ in }

    /// Returns one row per case, in the order of the cases. A case that fails has its errors in its
    /// row; the others go on.
    ///
    /// - Throws: `CancellationError`.
    func run(_ cases: [BenchCase]) async throws -> [BenchRow] {
        var rows = cases.map { BenchTally($0.head, rounds: rounds) }
        let warmUps = cases.map(\.warmUps).max() ?? 0
        let total = cases.reduce(0) { $0 + $1.warmUps + rounds }
        var random = SplitMix(seed: seed)
        var done = 0
        var lastStart = ContinuousClock.now
        for number in (1 - warmUps)..<(rounds + 1) {
            let now = ContinuousClock.now
            if number == 2 - warmUps { begun(rounds + 1 - number, lastStart.duration(to: now)) }
            if number > 1, !hasTime(lastStart.duration(to: now)) { break }
            lastStart = now
            for position in cases.indices.shuffled(using: &random) {
                try Task.checkCancellation()
                let one = cases[position]
                guard number > -one.warmUps, !rows[position].isGivenUp else { continue }
                progress(done, total, one.head.id)
                done += 1
                let before = activity()
                do {
                    let sample = try await one.round(number)
                    // Its requests failed for that.
                    if sample.errors > 0, let end = endedProgram() { throw MissedRound(end) }
                    let others = activity().flatMap { now in before.map { now.others(since: $0) } }
                    if number > 0 {
                        rows[position].add(sample, round: number, others: others ?? nil)
                    }
                } catch let missed as MissedRound {
                    try Task.checkCancellation()
                    rows[position].miss(missed.description)
                } catch {
                    try Task.checkCancellation()
                    if let end = endedProgram() {
                        rows[position].miss(end)
                    } else {
                        rows[position].fail("\(error)")
                    }
                }
            }
        }
        try Task.checkCancellation()
        return rows.map(\.row)
    }
}

/// A round without figures, because a program that helps to measure, such as an origin or a generator of load,
/// has ended. What is measured is not to blame.
struct MissedRound: Error, CustomStringConvertible {
    /// A sentence.
    let description: String

    init(_ description: String) { self.description = description }
}

/// A row while its rounds run.
struct BenchTally: Sendable {
    private(set) var row: BenchRow
    private var latencies: LatencyHistogram?
    private let rounds: Int
    private var failures = 0
    /// Whether no more rounds are run. After two that gave nothing, more would only take time.
    var isGivenUp: Bool { failures > 1 }

    init(_ head: BenchRow.Head, rounds: Int) {
        self.rounds = rounds
        row = BenchRow(
            head: head, figures: [], others: Array(repeating: nil, count: rounds))
    }

    mutating func add(_ sample: BenchSample, round: Int, others: Double?) {
        for (quantity, value) in sample.values {
            if row[quantity.name] == nil {
                row.figures.append(BenchFigure(quantity, Array(repeating: nil, count: rounds)))
            }
            guard let place = row.figures.firstIndex(where: { $0.quantity == quantity }) else {
                continue
            }
            row.figures[place].samples[round - 1] = value
        }
        row.others[round - 1] = others
        if sample.errors > 0 {
            row.errors += sample.errors
            row.firstError = row.firstError ?? sample.firstError
        }
        if let digest = sample.digest {
            if let before = row.digest, before != digest {
                row.errors += 1
                row.firstError =
                    row.firstError ?? "Round \(round) gave other bytes than the rounds before."
            }
            row.digest = row.digest ?? digest
        }
        if let more = sample.latencies {
            if latencies == nil { latencies = more } else { latencies?.add(more) }
            row.latency = latencies?.summary
        }
    }

    /// Counts a round without figures, of which the row's program is innocent.
    mutating func miss(_ sentence: String) {
        failures += 1
        row.missed = (row.missed ?? 0) + 1
        row.missedBecause = row.missedBecause ?? sentence
    }

    /// Counts a round that gave nothing.
    mutating func fail(_ sentence: String) {
        failures += 1
        row.errors += 1
        row.firstError = row.firstError ?? sentence
    }
}
