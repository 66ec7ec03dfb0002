import App
import Console
import FoundationEssentials
import Glibc
import Threads

/// Measures subjects one after another and reports them.
struct BenchRun: Sendable {
    /// One for each configuration. The cases of all take turns.
    let contexts: [BenchContext]
    let plan: @Sendable (BenchSubject, BenchContext, BenchClosers) async throws -> BenchPlan

    /// Prints each subject's table as it is done, and then the end of the report.
    func report(_ subjects: [BenchSubject]) async throws -> BenchReport {
        let started = ContinuousClock.now
        let (before, machine) = await FileThreads.run { (BenchLoad.now(), BenchMachine.read()) }
        let options = contexts[0].options
        var report = BenchReport(
            started: Date().formatted(.iso8601), seconds: 0, version: Version.number,
            arguments: Array(CommandLine.arguments.dropFirst()), machine: machine,
            settings: Self.settings(contexts.map { ($0.name, $0.settings) }),
            seed: options.seed, rounds: options.roundCount, before: before, after: before,
            warnings: [], notes: [], rows: [])
        print(BenchTable.opening(of: report))
        // Through a pipe it would come only at the end.
        fflush(nil)
        for subject in subjects {
            let closers = BenchClosers()
            let (rows, plan) = try await withEnd(closers.close) {
                try await measure(subject, closers)
            }
            if !rows.isEmpty { print("\n" + BenchTable.text(of: rows, subject.rawValue)) }
            fflush(nil)
            report.rows += rows
            report.settings += plan.settings
            report.notes += plan.notes
            let count = Self.completedRounds(rows)
            if (1..<report.rounds).contains(count) {
                report.notes.append(
                    "The time was up after \(count) of \(report.rounds) rounds of "
                        + "\(subject.rawValue).")
            }
            report.machine.libraries += plan.libraries.filter {
                !report.machine.libraries.contains($0)
            }
        }
        report.seconds = started.duration(to: .now) / .seconds(1)
        report.after = await FileThreads.run { BenchLoad.now() }
        report.warnings = report.doubts
        print("\n" + BenchTable.closing(of: report))
        return report
    }

    /// Returns the settings of pictures, and of two configurations all that differ, whichever they are.
    static func settings(_ configurations: [(name: String, settings: Settings)]) -> [BenchSetting] {
        let values = configurations.map { ConfigurationListing.values(of: $0.settings) }
        guard let first = values.first else { return [] }
        return first.indices.flatMap { place -> [BenchSetting] in
            let key = first[place].key
            let texts = values.map { $0[place].value }
            guard key == "levels" || key.hasPrefix("imaging.") || Set(texts).count > 1 else {
                return []
            }
            if texts.count == 1 { return [BenchSetting(key, texts[0])] }
            return zip(configurations, texts).map { one, text in
                BenchSetting(key, text).with(configuration: one.name)
            }
        }
    }

    /// Returns the number of the last round that any row has a value of.
    static func completedRounds(_ rows: [BenchRow]) -> Int {
        rows.flatMap(\.figures).compactMap { $0.samples.lastIndex { $0 != nil } }.max()
            .map { $0 + 1 } ?? 0
    }

    /// Says how long a subject takes; nil for less than a minute.
    static func waiting(for subject: BenchSubject, _ left: Duration) -> String? {
        let minutes = Int((left / .seconds(60)).rounded())
        return minutes < 1 ? nil : "\(subject.rawValue) takes about \(minutes) min more"
    }

    private func measure(
        _ subject: BenchSubject, _ closers: BenchClosers
    ) async throws -> ([BenchRow], BenchPlan) {
        let start = ContinuousClock.now
        var all = BenchPlan()
        for context in contexts {
            all.add(
                try await plan(subject, context, closers),
                configuration: contexts.count > 1 ? context.name : nil)
        }
        let options = contexts[0].options
        let budget = options.quick ? subject.quickBudget : nil
        let rounds = BenchRounds(
            rounds: options.roundCount, seed: options.seed, activity: { MachineActivity.now() },
            endedProgram: { closers.endedProgram },
            hasTime: { lastRound in
                budget.map { start.duration(to: .now) + lastRound <= $0 } ?? true
            },
            begun: { roundsLeft, round in
                var left = round * roundsLeft
                if let budget { left = min(left, max(.zero, budget - round)) }
                if let text = Self.waiting(for: subject, left) {
                    StandardError.shared.line("vitrine: \(text)")
                }
            },
            progress: { done, total, id in
                let line = "\(done)/\(total)  \(id)"
                StandardError.shared.show(String(line.prefix(StandardError.shared.width)))
            })
        defer { StandardError.shared.show("") }
        return (BenchRow.withScaling(try await rounds.run(all.cases)), all)
    }
}
