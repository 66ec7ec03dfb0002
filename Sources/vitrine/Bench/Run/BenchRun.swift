import App
import FoundationEssentials
import Glibc
import Memory

/// Measures subjects one after another and reports them.
struct BenchRun: Sendable {
    let context: BenchContext
    let plan: @Sendable (BenchSubject, BenchContext) async throws -> BenchPlan

    /// Prints each subject's table as it is done.
    func report(_ subjects: [BenchSubject]) async throws -> BenchReport {
        let (clock, started) = (ContinuousClock.now, Self.date())
        let before = await FileThreads.run { BenchLoad.now() }
        let machine = await FileThreads.run { BenchMachine.read(libraries: []) }
        var report = BenchReport(
            started: started, seconds: 0, version: Version.number,
            arguments: Array(CommandLine.arguments.dropFirst()), machine: machine, settings: [],
            seed: context.seed, rounds: context.rounds, before: before, after: before,
            warnings: [], notes: [], rows: [])
        print(BenchTable.opening(of: report))
        // Through a pipe it would come only at the end.
        fflush(nil)
        for subject in subjects {
            let start = ContinuousClock.now
            let plan = try await plan(subject, context)
            let rows: [BenchRow]
            do {
                rows = plan.finish(
                    try await rounds(of: plan, from: start, budget: context.budget(subject)))
            } catch {
                await plan.close()
                throw error
            }
            await plan.close()
            if !rows.isEmpty { print("\n" + BenchTable.text(of: rows, subject)) }
            fflush(nil)
            report.rows += rows
            report.settings += plan.settings
            report.notes += plan.notes
            let count = Self.completedRounds(rows)
            if (1..<context.rounds).contains(count) {
                report.notes.append(
                    "The time was up after \(count) of \(context.rounds) rounds of "
                        + "\(subject.rawValue).")
            }
            report.machine.libraries += plan.libraries.filter {
                !report.machine.libraries.contains($0)
            }
        }
        report.seconds = clock.duration(to: .now) / .seconds(1)
        report.after = await FileThreads.run { BenchLoad.now() }
        report.warnings = BenchWarnings.of(
            rows: report.rows, machine: report.machine, before: before, after: report.after)
        print("\n" + BenchTable.closing(of: report))
        return report
    }

    /// Returns the number of the last round that any row has a value of.
    static func completedRounds(_ rows: [BenchRow]) -> Int {
        rows.flatMap(\.figures).compactMap { $0.samples.lastIndex { $0 != nil } }.max()
            .map { $0 + 1 } ?? 0
    }

    private func rounds(
        of plan: BenchPlan, from start: ContinuousClock.Instant, budget: Duration?
    ) async throws -> [BenchRow] {
        let rounds = BenchRounds(
            rounds: context.rounds, seed: context.seed, activity: { MachineActivity.now() },
            hasTime: { lastRound in
                budget.map { start.duration(to: .now) + lastRound <= $0 } ?? true
            },
            progress: { done, total, id in
                let line = "\(done)/\(total)  \(id)"
                StandardError.shared.show(String(line.prefix(StandardError.shared.width)))
            })
        defer { StandardError.shared.show("") }
        return try await rounds.run(plan.cases)
    }

    /// Now in UTC, as `2026-11-22T02:16:42Z`.
    private static func date() -> String {
        Date().formatted(.iso8601)
    }
}
