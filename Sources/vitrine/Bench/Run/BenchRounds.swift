/// Runs cases in rounds that take turns, so that whatever slows the machine for a while slows all.
struct BenchRounds: Sendable {
    var rounds: Int
    /// Decides the order of the cases in each round.
    var seed: UInt64
    /// Reads what all programs of the machine have used; nil if it can't be read.
    var activity: @Sendable () -> MachineActivity? = { nil }
    /// Whether the time allows another round that takes as long as the last one; asked after each
    /// measured round.
    var hasTime: @Sendable (_ lastRound: Duration) -> Bool = { _ in true }
    /// Called before each round of each case with a sentence for people.
    var progress: @Sendable (_ done: Int, _ total: Int, _ id: String) -> Void = { _, _, _ in }

    /// Returns one row per case, in the order of the cases. A case that fails has its errors in its
    /// row; the others go on.
    ///
    /// - Throws: `CancellationError`, after every case was cleaned up.
    func run(_ cases: [any BenchCase]) async throws -> [BenchRow] {
        var rows = cases.map { BenchTally($0.head, rounds: rounds) }
        for (position, one) in cases.enumerated() where !Task.isCancelled {
            do {
                try await one.prepare()
            } catch {
                rows[position].fail("\(error)")
                rows[position].giveUp()
            }
        }
        let outcome: Result<Void, any Error>
        do {
            try await measure(cases, into: &rows)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        for one in cases { await one.cleanUp() }
        try outcome.get()
        return rows.map(\.row)
    }

    private func measure(_ cases: [any BenchCase], into rows: inout [BenchTally]) async throws {
        let warmUps = cases.map(\.warmUps).max() ?? 0
        let total = cases.reduce(0) { $0 + $1.warmUps + rounds }
        var random = SplitMix(seed: seed)
        var done = 0
        var lastStart = ContinuousClock.now
        for number in (1 - warmUps)..<(rounds + 1) {
            let now = ContinuousClock.now
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
                    let others = activity().flatMap { now in before.map { now.others(since: $0) } }
                    if number > 0 {
                        rows[position].add(sample, round: number, others: others ?? nil)
                    }
                } catch {
                    try Task.checkCancellation()
                    rows[position].fail("\(error)")
                }
            }
        }
        try Task.checkCancellation()
    }
}

/// A row while its rounds run.
struct BenchTally: Sendable {
    private(set) var row: BenchRow
    private var latencies: LatencyHistogram?
    private let rounds: Int
    private var failures = 0
    /// Whether no more rounds are run.
    private(set) var isGivenUp = false

    init(_ head: BenchRow.Head, rounds: Int) {
        self.rounds = rounds
        row = BenchRow(
            head: head, figures: [], others: Array(repeating: nil, count: rounds))
    }

    mutating func add(_ sample: BenchSample, round: Int, others: Double?) {
        for (quantity, value) in sample.values {
            let position =
                row.figures.firstIndex { $0.quantity == quantity }
                ?? {
                    row.figures.append(
                        BenchFigure(quantity, Array(repeating: nil, count: rounds)))
                    return row.figures.count - 1
                }()
            row.figures[position].samples[round - 1] = value
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
            latencies =
                latencies.map { sum in
                    var sum = sum
                    sum.add(more)
                    return sum
                } ?? more
            row.latency = latencies?.summary
        }
    }

    mutating func giveUp() { isGivenUp = true }

    /// Counts a round that gave nothing. After two the case is given up: more would only take time.
    mutating func fail(_ sentence: String) {
        failures += 1
        if failures == 2 { giveUp() }
        row.errors += 1
        row.firstError = row.firstError ?? sentence
    }
}

/// Numbers that follow from a seed, the same on every machine.
struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
