import Synchronization

/// What has to be stopped when a subject is done, or when it can't begin.
final class BenchClosers: Sendable {
    private let closers = Mutex<[@Sendable () async -> Void]>([])

    func add(_ close: @escaping @Sendable () async -> Void) {
        closers.withLock { $0.append(close) }
    }

    /// Stops everything, the last first. Idempotent.
    func close() async {
        let all = closers.withLock { closers in
            defer { closers = [] }
            return closers
        }
        for close in all.reversed() { await close() }
    }

    /// Runs the body, and stops everything if it fails or is canceled.
    static func plan(
        _ body: (BenchClosers) async throws -> BenchPlan
    ) async throws -> BenchPlan {
        let closers = BenchClosers()
        do {
            var plan = try await body(closers)
            plan.close = { await closers.close() }
            return plan
        } catch {
            await closers.close()
            throw error
        }
    }
}
