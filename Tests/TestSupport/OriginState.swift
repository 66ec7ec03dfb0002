import Synchronization

/// State that the connections of one origin share.
final class OriginState: Sendable {
    private struct Route: Sendable {
        var host: String?
        /// A final `*` stands for any rest.
        var path: String
        var answer: OriginServer.Answer

        func matches(_ request: OriginRequest) -> Bool {
            guard host == nil || host == request.host else { return false }
            return path.hasSuffix("*")
                ? request.path.hasPrefix(path.dropLast()) : request.path == path
        }
    }

    private struct Watch: Sendable {
        var id: Int
        var isMet: @Sendable (OriginLog) -> Bool
        var waiter: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var log = OriginLog()
        var routes: [Route] = []
        var watches: [Watch] = []
        var watchCount = 0
        var connections: [Int: ConnectionLoop.Remote] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    var log: OriginLog { state.withLock { $0.log } }

    func add(host: String?, path: String, answer: @escaping OriginServer.Answer) {
        state.withLock {
            $0.routes.append(Route(host: host?.lowercased(), path: path, answer: answer))
        }
    }

    /// Returns the reply of the route that was added last. A request between the stop and the close
    /// of its connection gets none.
    func reply(to request: OriginRequest) -> OriginReply {
        let (isStopped, route) = state.withLock { state in
            (state.isStopped, state.routes.last { $0.matches(request) })
        }
        guard !isStopped else { return .nothing }
        return route?.answer(request) ?? .html("<p>no such page</p>", status: 404)
    }

    func change(_ change: (inout OriginLog) -> Void) {
        let met = state.withLock { state in
            change(&state.log)
            let log = state.log
            let met = state.watches.filter { $0.isMet(log) }
            state.watches.removeAll { watch in met.contains { $0.id == watch.id } }
            return met
        }
        met.forEach { $0.waiter.resume() }
        stateChanged()
    }

    /// Returns once the log matches; throws when the task is canceled.
    func wait(until isMet: @escaping @Sendable (OriginLog) -> Bool) async throws {
        let id = state.withLock { state in
            state.watchCount += 1
            return state.watchCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let isDone = state.withLock { state in
                    if isMet(state.log) { return true }
                    state.watches.append(Watch(id: id, isMet: isMet, waiter: waiter))
                    return false
                }
                if isDone { waiter.resume() } else if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: Int) {
        let watch = state.withLock { state in
            state.watches.firstIndex { $0.id == id }.map { state.watches.remove(at: $0) }
        }
        watch?.waiter.resume(throwing: CancellationError())
    }

    /// Counts a connection and returns its number; nil if the origin has stopped.
    func open(_ connection: ConnectionLoop.Remote) -> Int? {
        let number: Int? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.log.connections += 1
            state.connections[state.log.connections] = connection
            return state.log.connections
        }
        if number != nil { change { $0.openConnections += 1 } }
        return number
    }

    /// Notes that a connection is closed.
    func close(_ number: Int) {
        state.withLock { $0.connections[number] = nil }
        change { $0.openConnections -= 1 }
    }

    func closeAll() {
        let connections = state.withLock { state in
            state.isStopped = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.run { $0.abort() } }
    }
}
