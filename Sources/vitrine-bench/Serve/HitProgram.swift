/// A program that serves what the rows request, with a server for each kind of them.
struct HitProgram: Sendable {
    /// Nil for this program.
    let peer: Peer.Installed?
    let servers: [ServeRow.Server: ServerProcess]
    /// What it serves.
    var served = Served()
    /// Starts another server.
    let start: @Sendable (ServeRow.Server) async throws -> ServerProcess

    /// Of the server with everything in memory.
    var port: Int { servers[.memory]?.port ?? 0 }

    /// Starts the servers, which the closers stop.
    init(
        _ peer: Peer.Installed?, _ closers: BenchClosers,
        start: @escaping @Sendable (ServeRow.Server) async throws -> ServerProcess
    ) async throws {
        (self.peer, self.start) = (peer, start)
        var servers: [ServeRow.Server: ServerProcess] = [:]
        for kind in ServeRow.Server.allCases {
            let server = try await start(kind)
            closers.add { await server.stop() }
            servers[kind] = server
        }
        self.servers = servers
    }
}
