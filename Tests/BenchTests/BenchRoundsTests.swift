import Synchronization
import Testing

@testable import Console
@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct BenchRoundsTests {
    /// What happened to some cases, in order.
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock(\.self) }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Scripted {
        var name: String
        var journal: Journal
        var body: @Sendable (Int) async throws -> BenchSample = { number in
            BenchSample([(.rate("things/s"), Double(number))])
        }

        init(_ name: String, _ journal: Journal) {
            self.name = name
            self.journal = journal
        }

        var one: BenchCase {
            let (journal, body) = (journal, body)
            return BenchCase(BenchRow.Head(.store, [name], name)) { number in
                journal.add("\(number)")
                return try await body(number)
            }
        }
    }

    @Test func `after the first round of all cases it is known how many are left`() async throws {
        let left = Mutex<[Int]>([])
        var rounds = BenchRounds(rounds: 4, seed: 1)
        rounds.begun = { count, _ in left.withLock { $0.append(count) } }
        // A warm-up is the first one.
        _ = try await rounds.run(["a", "b"].map { Scripted($0, Journal()).one })
        #expect(left.withLock(\.self) == [4])
    }

    @Test func `every round has each case once, after a warm-up that is not counted`() async throws
    {
        let journal = Journal()
        let cases = ["a", "b", "c"].map { Scripted($0, journal).one }
        let rows = try await BenchRounds(rounds: 4, seed: 1).run(cases)
        #expect(
            journal.all == [
                "0", "0", "0", "1", "1", "1", "2", "2", "2", "3", "3", "3", "4", "4", "4",
            ])
        #expect(rows.map(\.id) == ["store/a", "store/b", "store/c"])
        #expect(rows.allSatisfy { $0.headline?.samples == [1, 2, 3, 4] && $0.errors == 0 })
    }

    @Test func `the order of the cases follows from the seed`() async throws {
        func order(_ seed: UInt64) async throws -> [String] {
            let journal = Journal()
            let cases = (0..<8).map { index in
                var one = Scripted("\(index)", journal)
                one.body = { _ in
                    journal.add("case \(index)")
                    return BenchSample([])
                }
                return one.one
            }
            _ = try await BenchRounds(rounds: 3, seed: seed).run(cases)
            return journal.all.filter { $0.hasPrefix("case") }
        }
        let first = try await order(1)
        #expect(try await order(1) == first)
        #expect(try await order(2) != first)
        #expect(Array(first[0..<8]) != Array(first[8..<16]))
    }

    @Test func `a case that fails has its error in its row, and the others go on`() async throws {
        let journal = Journal()
        var failing = Scripted("failing", journal)
        failing.body = { number in
            if number == 2 { throw CommandError("The second failed.") }
            return BenchSample([(.wallTime, 1)])
        }
        let rows = try await BenchRounds(rounds: 3, seed: 1).run(
            [failing.one, Scripted("fine", journal).one])
        #expect(rows[0].headline?.samples == [1, nil, 1])
        #expect(rows[0].errors == 1)
        #expect(rows[0].firstError == "The second failed.")
        #expect(rows[1].headline?.samples == [1, 2, 3])
    }

    @Test func `a round with other bytes than the first is an error`() async throws {
        var one = Scripted("a", Journal())
        one.body = { number in BenchSample([], digest: number == 3 ? "other" : "same") }
        let row = try #require(try await BenchRounds(rounds: 3, seed: 1).run([one.one]).first)
        #expect(row.errors == 1)
        #expect(row.digest == "same")
        #expect(row.firstError == "Round 3 gave other bytes than the rounds before.")
    }

    @Test func `latencies of all rounds are added up, those of the warm-up are not`() async throws {
        var one = Scripted("a", Journal())
        one.body = { number in
            var histogram = LatencyHistogram()
            histogram.record(nanoseconds: number == 0 ? 9_000_000 : 1_000_000)
            return BenchSample([], latencies: histogram)
        }
        let row = try #require(try await BenchRounds(rounds: 3, seed: 1).run([one.one]).first)
        #expect(row.latency?.count == 3)
        #expect((row.latency?.max ?? 0) < 1_100)
    }

    @Test func `a case that fails twice is not run again`() async throws {
        let journal = Journal()
        var failing = Scripted("failing", journal)
        failing.body = { _ in throw CommandError("Never.") }
        let row = try #require(try await BenchRounds(rounds: 5, seed: 1).run([failing.one]).first)
        #expect(journal.all == ["0", "1"])
        #expect(row.errors == 2)
    }

    @Test func `errors of a round are added up, with the first one's sentence`() async throws {
        var one = Scripted("a", Journal())
        one.body = { number in
            BenchSample(
                [], errors: number == 1 ? 0 : number, firstError: number == 1 ? nil : "\(number)")
        }
        let row = try #require(try await BenchRounds(rounds: 3, seed: 1).run([one.one]).first)
        #expect(row.errors == 5)
        #expect(row.firstError == "2")
    }

    @Test func `what other programs had is kept for each round`() async throws {
        let journal = Journal()
        let reads = Mutex(0)
        let rounds = BenchRounds(
            rounds: 2, seed: 1,
            activity: {
                let count = reads.withLock { reads in
                    reads += 1
                    return reads
                }
                // Two readings a round; others have half of all in the first measured one.
                return MachineActivity(
                    all: count * 100, busy: count > 3 ? 250 : 200, own: 0)
            })
        let row = try #require(try await rounds.run([Scripted("a", journal).one]).first)
        #expect(row.others == [0.5, 0])
    }

    @Test func `a round during which a program that it needs has ended is missing, and no error`()
        async throws
    {
        let end = Mutex<String?>(nil)
        func failing(_ id: String) -> BenchCase {
            BenchCase(BenchRow.Head(.store, [id], id), warmUps: 0) { number in
                if number == 1 { return BenchSample([(.wallTime, 1)]) }
                end.withLock { $0 = "The origin was ended by signal 9." }
                if id == "throws" { throw LoadError.stopped }
                return BenchSample([(.wallTime, 0)], errors: 3, firstError: "connect failed")
            }
        }
        var rounds = BenchRounds(rounds: 5, seed: 1)
        rounds.endedProgram = { end.withLock(\.self) }
        let rows = try await rounds.run([failing("throws"), failing("counts")])
        for row in rows {
            #expect(row.errors == 0 && row.firstError == nil)
            #expect(row.missed == 2)
            #expect(row.missedBecause == "The origin was ended by signal 9.")
            #expect(row.headline?.samples == [1, nil, nil, nil, nil])
        }
        #expect(!ReportSamples.report(rows).hasFailed)
    }

    @Test func `no round begins when the time is up, but the first one`() async throws {
        let journal = Journal()
        let asked = Mutex(0)
        let rounds = BenchRounds(
            rounds: 5, seed: 1,
            hasTime: { _ in
                asked.withLock { asked in
                    asked += 1
                    return asked < 2
                }
            })
        let row = try #require(try await rounds.run([Scripted("a", journal).one]).first)
        #expect(row.headline?.samples == [1, 2, nil, nil, nil])
        #expect(row.errors == 0)
        #expect(BenchRun.completedRounds([row]) == 2)
    }
}
