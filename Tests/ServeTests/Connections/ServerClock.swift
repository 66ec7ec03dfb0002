import TestSupport

/// A clock for the timeouts of a server. It stands still until a test moves it, so a slow machine
/// makes no client late.
final class ServerClock: Sendable {
    private struct State: Sendable {
        /// Nanoseconds.
        var time: UInt64 = 1_000_000_000_000
        var reads = 0
    }

    private let state = Watched(State())

    /// For `ServerConfiguration.uptime`.
    @Sendable func read() -> UInt64 {
        state.change { $0.reads += 1 }
        return state.value.time
    }

    /// Moves the clock and waits until one of the server's threads has read it, which they do at each event
    /// and at each tick.
    func advance(by duration: Duration) async {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        let moved = Watched(0)
        state.change { state in
            state.time += nanoseconds
            let reads = state.reads
            moved.change { $0 = reads }
        }
        let reads = moved.value
        _ = await state.wait { $0.reads > reads }
    }

    /// Moves the clock by a step at each tick until `body` returns.
    func running<Result: Sendable>(
        by step: Duration, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let ticking = Task { while !Task.isCancelled { await advance(by: step) } }
        defer { ticking.cancel() }
        return try await body()
    }
}
