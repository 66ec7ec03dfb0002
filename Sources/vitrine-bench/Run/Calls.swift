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
        // A task for each caller: one for each call would cost more than a look-up.
        let parts = (0..<callers).map { first in
            stride(from: first, to: count, by: callers).map { all[$0] }
        }
        let (results, wall, processor) = try await ProcessUsage.measured {
            try await parts.mapped(concurrency: callers) { calls in try await timed(calls) }
        }
        var sample = BenchSample.work(
            count, of: thing, in: .microseconds, wall: wall, processor: processor)
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

extension Array where Element: Sendable {
    /// Returns the results of work on all values, some at a time, in the order of the values. The first
    /// error ends it.
    func mapped<Output: Sendable>(
        concurrency: Int, _ body: @escaping @Sendable (Element) async throws -> Output
    ) async throws -> [Output] {
        var results = [Output?](repeating: nil, count: count)
        try await withThrowingTaskGroup(of: (Int, Output).self) { group in
            var rest = [(offset: Int, element: Element)](enumerated())[...]
            func add() {
                guard let (index, value) = rest.popFirst() else { return }
                group.addTask { (index, try await body(value)) }
            }
            for _ in 0..<Swift.max(1, concurrency) { add() }
            while let (index, result) = try await group.next() {
                results[index] = result
                add()
            }
        }
        return results.compactMap(\.self)
    }
}
