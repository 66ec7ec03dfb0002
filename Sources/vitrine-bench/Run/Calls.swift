/// Many calls of one kind, several at once, each timed.
enum Calls {
    typealias Call = @Sendable () async throws -> Void

    /// Makes all calls and returns their rate, processor time of this process and latencies. A call
    /// that throws counts as an error.
    ///
    /// - Parameters:
    ///   - thing: what one call gives, such as `file`.
    ///   - make: returns call `n`, which does nothing but what is measured.
    static func sample(
        _ count: Int, of thing: String, callers: Int, _ make: (_ number: Int) -> Call
    ) async throws -> BenchSample {
        let all = (0..<count).map(make)
        let (before, started) = (ProcessUsage.own(), ContinuousClock.now)
        // A task for each caller: one for each call would cost more than a look-up.
        let parts = (0..<callers).map { first in
            stride(from: first, to: count, by: callers).map { all[$0] }
        }
        let results = try await BoundedMap.run(parts, concurrency: callers) { calls in
            try await timed(calls)
        }
        let wall = started.duration(to: .now) / .seconds(1)
        var sample = BenchSample.work(
            count, of: thing, in: .microseconds, wall: wall,
            processor: ProcessUsage.own() - before)
        var latencies = LatencyHistogram()
        for result in results { latencies.add(result.latencies) }
        sample.latencies = latencies
        let problems = results.flatMap(\.problems)
        (sample.errors, sample.firstError) = (problems.count, problems.first)
        return sample
    }

    private static func timed(
        _ calls: [Call]
    ) async throws -> (latencies: LatencyHistogram, problems: [String]) {
        var latencies = LatencyHistogram()
        var problems: [String] = []
        for call in calls {
            let started = ContinuousClock.now
            do {
                try await call()
            } catch {
                try Task.checkCancellation()
                problems.append("\(error)")
            }
            let taken = started.duration(to: .now) / .nanoseconds(1)
            latencies.record(nanoseconds: UInt64(max(0, taken)))
        }
        return (latencies, problems)
    }
}

/// Work on many values, some at a time.
enum BoundedMap {
    /// Returns the results in the order of the values. The first error ends it.
    static func run<Input: Sendable, Output: Sendable>(
        _ values: [Input], concurrency: Int,
        _ body: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> [Output] {
        var results = [Output?](repeating: nil, count: values.count)
        try await withThrowingTaskGroup(of: (Int, Output).self) { group in
            var rest = Array(values.enumerated())[...]
            func add() {
                guard let (index, value) = rest.popFirst() else { return }
                group.addTask { (index, try await body(value)) }
            }
            for _ in 0..<max(1, concurrency) { add() }
            while let (index, result) = try await group.next() {
                results[index] = result
                add()
            }
        }
        return results.compactMap(\.self)
    }
}
