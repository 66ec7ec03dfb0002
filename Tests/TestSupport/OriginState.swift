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

    private struct State {
        var routes: [Route] = []
        var connections: [Int: ConnectionLoop.Remote] = [:]
        var lastConnection = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    let log = Watched(OriginLog())

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
        log.change(change)
        stateChanged()
    }

    /// Counts a connection and returns its number; nil if the origin has stopped.
    func open(_ connection: ConnectionLoop.Remote) -> Int? {
        let number: Int? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.lastConnection += 1
            state.connections[state.lastConnection] = connection
            return state.lastConnection
        }
        if let number {
            change {
                $0.connections = number
                $0.openConnections += 1
            }
        }
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
