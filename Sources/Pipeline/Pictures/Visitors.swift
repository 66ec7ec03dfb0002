import Store
import Synchronization
import Threads

/// Counts the misses for which clients wait, so that background work lets them go first, that of other
/// processes on the cache, too. Any thread.
final class Visitors: Sendable {
    private struct State {
        var count = 0
        /// Background tasks that wait for clients of this process.
        var waiting: [Latch<Void>] = []
        /// Background tasks that wait for clients of other processes.
        var waitingForOthers = 0
    }

    /// The pause between two looks at other processes.
    private static let pause = Duration.milliseconds(20)

    private let state = Mutex(State())
    private let claims: Claims

    init(_ claims: Claims) { self.claims = claims }

    /// Number of clients that wait for a miss.
    var count: Int { state.withLock { $0.count } }

    func during<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        state.withLock { state in
            state.count += 1
            if state.count == 1 { claims.show(clientsWait: true) }
        }
        defer { leave() }
        return try await work()
    }

    private func leave() {
        let waiting = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [Latch<Void>]() }
            claims.show(clientsWait: false)
            defer { state.waiting = [] }
            return state.waiting
        }
        StateChange.tell()
        for gone in waiting { gone.set(()) }
    }

    /// Returns when no client waits, or the task is canceled.
    func gone() async {
        await goneHere()
        while claims.clientsWaitElsewhere {
            state.withLock { $0.waitingForOthers += 1 }
            StateChange.tell()
            defer { state.withLock { $0.waitingForOthers -= 1 } }
            do { try await Task.sleep(for: Self.pause) } catch { return }
            await goneHere()
        }
    }

    private func goneHere() async {
        let gone = Latch<Void>()
        let isOver = state.withLock { state in
            if state.count > 0 { state.waiting.append(gone) }
            return state.count == 0
        }
        if isOver { return }
        StateChange.tell()
        await withTaskCancellationHandler {
            await gone.value()
        } onCancel: {
            gone.set(())
        }
        state.withLock { $0.waiting.removeAll { $0 === gone } }
    }

    /// Number of background tasks that wait.
    var waiting: Int { state.withLock { $0.waiting.count + $0.waitingForOthers } }
}
