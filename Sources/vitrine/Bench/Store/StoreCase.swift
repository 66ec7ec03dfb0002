import Foundation

/// Many calls of one kind, several at once, each timed.
struct StoreCase: BenchCase {
    /// What is fresh in each round.
    struct State: Sendable {
        var seed: UInt64

        /// Returns one of `count` numbers, spread evenly and the same in every run.
        func pick(_ number: Int, _ count: Int) -> Int {
            var random = SplitMix(seed: seed &+ UInt64(number))
            return Int(random.next() % UInt64(count))
        }
    }

    typealias Call = @Sendable () async throws -> Void

    let head: BenchRow.Head
    let count: Int
    let tasks: Int
    let store: FilledStore
    let prepareRound: @Sendable (Int) async throws -> State
    /// Returns a call that does nothing but what is measured.
    let work: @Sendable (FilledStore, State, Int) -> Call

    init(
        _ what: [String], _ state: BenchRow.State, _ count: Int, tasks: Int, store: FilledStore,
        note: String? = nil,
        prepareRound: @escaping @Sendable (Int) async throws -> State = { _ in .init(seed: 1) },
        work: @escaping @Sendable (FilledStore, State, Int) -> Call
    ) {
        head = BenchRow.Head(.store, what, state: state, note: note)
        self.count = count
        self.tasks = tasks
        self.store = store
        self.prepareRound = prepareRound
        self.work = work
    }

    func round(_ number: Int) async throws -> BenchSample {
        let state = try await prepareRound(number)
        let calls = (0..<count).map { work(store, state, $0) }
        let share = (count + tasks - 1) / tasks
        let (before, started) = (ProcessUsage.own(), ContinuousClock.now)
        let results = await withTaskGroup(of: Result.self) { group in
            for first in stride(from: 0, to: count, by: share) {
                let own = calls[first..<min(count, first + share)]
                group.addTask { await Self.time(own) }
            }
            return await group.reduce(into: Result()) { $0.add($1) }
        }
        let wall = started.duration(to: .now) / .seconds(1)
        let processor = ProcessUsage.own().processor - before.processor
        return BenchSample(
            [
                (.rate("calls/s"), Double(count) / wall),
                (.processorTime("µs/call"), processor * 1e6 / Double(count)),
            ], latencies: results.latencies, errors: results.errors,
            firstError: results.firstError)
    }

    private struct Result: Sendable {
        var latencies = LatencyHistogram()
        var errors = 0
        var firstError: String?

        mutating func add(_ other: Result) {
            latencies.add(other.latencies)
            errors += other.errors
            firstError = firstError ?? other.firstError
        }
    }

    private static func time(_ calls: ArraySlice<Call>) async -> Result {
        var result = Result()
        for call in calls {
            let started = ContinuousClock.now
            do {
                try await call()
            } catch {
                result.errors += 1
                result.firstError = result.firstError ?? "\(error)"
            }
            let taken = started.duration(to: .now) / .nanoseconds(1)
            result.latencies.record(nanoseconds: UInt64(max(0, taken)))
        }
        return result
    }
}
