import Synchronization

/// Bounds how much is under way at once: places, and a line of bounded length in front of them,
/// first come first served. Whoever finds the line full is refused at once and told when to come
/// back. Any thread.
final class Admission: Sendable {
    enum Patience: Sendable {
        /// Waits in the line where there is room.
        case line
        /// Takes a free place or none: for what nobody waits for.
        case none
    }

    private enum Outcome {
        case admitted, cancelled
        case refused(retryAfter: Int)
    }

    private struct State {
        var running = 0
        var waiting: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
        var next: UInt64 = 0
        /// Nobody with a smaller number waits.
        var oldest: UInt64 = 0
        /// Cancelled before they were entered.
        var cancelledEarly: Set<UInt64> = []
        /// Seconds that a place is taken, of the last ones more than of earlier ones.
        var meanSeconds = 0.25

        mutating func takeOldest() -> CheckedContinuation<Outcome, Never>? {
            while oldest < next {
                defer { oldest += 1 }
                if let continuation = waiting.removeValue(forKey: oldest) { return continuation }
            }
            return nil
        }
    }

    private let places: Int
    private let line: Int
    private let state = Mutex(State())

    init(places: Int, line: Int) {
        self.places = max(1, places)
        self.line = max(0, line)
    }

    /// How many have a place, and how many wait for one.
    var load: (running: Int, waiting: Int) {
        state.withLock { ($0.running, $0.waiting.count) }
    }

    /// Runs `work` in a place. Cancelling takes the caller out of the line.
    func run<Value>(
        _ patience: Patience = .line, _ work: () async throws -> Value
    ) async throws -> Value {
        try await enter(patience)
        let start = ContinuousClock.now
        defer { leave(after: start.duration(to: .now)) }
        return try await work()
    }

    private func enter(_ patience: Patience) async throws {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = decide(number, patience, continuation)
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            cancel(number)
        }
        state.withLock { _ = $0.cancelledEarly.remove(number) }
        switch outcome {
        case .admitted: return
        case .cancelled: throw CancellationError()
        case .refused(let seconds): throw PipelineError.overloaded(retryAfter: seconds)
        }
    }

    /// `nil` where the caller waits.
    private func decide(
        _ number: UInt64, _ patience: Patience, _ continuation: CheckedContinuation<Outcome, Never>
    ) -> Outcome? {
        state.withLock { state in
            if state.cancelledEarly.remove(number) != nil { return .cancelled }
            if state.running < places {
                state.running += 1
                return .admitted
            }
            if patience == .none || state.waiting.count >= line {
                return .refused(
                    retryAfter: Self.retryAfter(
                        waiting: state.waiting.count, places: places, mean: state.meanSeconds))
            }
            state.waiting[number] = continuation
            // A smaller number than the oldest came in late: it is next.
            state.oldest = min(state.oldest, number)
            return nil
        }
    }

    private func leave(after duration: Duration) {
        let successor = state.withLock { state in
            state.meanSeconds += (duration / .seconds(1) - state.meanSeconds) / 16
            let successor = state.takeOldest()
            if successor == nil { state.running -= 1 }
            return successor
        }
        successor?.resume(returning: .admitted)
    }

    private func cancel(_ number: UInt64) {
        let continuation = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: number)
            if continuation == nil { state.cancelledEarly.insert(number) }
            return continuation
        }
        continuation?.resume(returning: .cancelled)
    }

    /// Seconds until those who wait now are through, at the pace of the last ones; at least one, and
    /// not more than a minute, because nobody knows the pace so far ahead.
    static func retryAfter(waiting: Int, places: Int, mean: Double) -> Int {
        let seconds = Double(waiting + 1) * mean / Double(max(1, places))
        return Int(min(max(seconds.rounded(.up), 1), 60))
    }
}
