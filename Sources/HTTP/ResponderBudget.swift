import Synchronization

/// Bounds the requests of all threads that responders have, each of which is a task.
package final class ResponderBudget: Sendable {
    private struct State {
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int) { self.limit = limit }

    /// Takes a place. Returns false if there is none.
    func take() -> Bool {
        state.withLock { state in
            guard state.running < limit else { return false }
            state.running += 1
            assert(state.running <= limit, "more responders run than may")
            return true
        }
    }

    func give() {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.running -= 1
            assert(state.running >= 0, "a responder's place is given back twice")
            guard state.running == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    /// Returns when no responder has a request. A task can end later than the connection of its client.
    package func allGiven() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.running > 0 { state.waiting.append(continuation) }
                return state.running == 0
            }
            if isDone { continuation.resume() }
        }
    }
}
