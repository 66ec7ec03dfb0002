package import Logging
import Synchronization

/// An origin on a loopback port that answers like all five catalogs and their image hosts over TLS,
/// HTTP/2 and HTTP/1.1, with invented contents and drawn pictures.
package final class DemoOrigin: Sendable {
    /// What it shows; known before it starts.
    package let shows: ShowCatalog
    package let music: MusicCatalog
    package let films: FilmCatalog
    package let objects: ObjectCatalog

    let configuration: DemoOriginConfiguration
    let logger: Logger
    private let state = Mutex(State.idle)

    private enum State {
        case idle, starting
        case running(DemoServer)
        case stopped
    }

    package init(
        _ configuration: DemoOriginConfiguration = .init(),
        logger: Logger = Logger(label: "vitrine.demo-origin")
    ) {
        self.configuration = configuration
        self.logger = logger
        shows = ShowCatalog(seed: configuration.seed, count: configuration.shows)
        music = MusicCatalog(seed: configuration.seed, artists: configuration.artists)
        films = FilmCatalog(seed: configuration.seed)
        objects = ObjectCatalog(seed: configuration.seed, count: configuration.objects)
    }

    /// Returns once it listens; it then runs until ``stop()``.
    package func start() async throws(DemoOriginError) -> RunningDemo {
        try claim()
        let routes = Routes(try routes())
        let hosts = routes.hosts
        let certificate = try DemoIdentity(hosts: hosts)
        let isPlain = configuration.transport == .plain
        let log = try configuration.log.map { path throws(DemoOriginError) in try RequestLog(path) }
        let responder = DemoResponder(
            routes: routes, faults: FaultInjector(configuration), log: log)
        let server: DemoServer
        do {
            server = try DemoServer(
                port: configuration.port,
                isPlain ? nil : certificate.tls(offersHTTP2: configuration.transport == .http2),
                responder)
        } catch {
            throw .listening(port: configuration.port, reason: "\(error)")
        }
        let port = server.port
        await adopt(server)
        return RunningDemo(
            port: port, hosts: hosts, certificateAuthorityPEM: certificate.authority,
            connectTo: hosts.map {
                "\($0):\(isPlain ? 80 : 443):127.0.0.1:\(port)"
            },
            allowNetwork: "127.0.0.0/8", credentials: configuration.credentials,
            sources: sources)
    }

    /// Finishes what it is answering, for at most two seconds. Idempotent.
    package func stop() async {
        let running = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        if case .running(let server) = running { await server.stop() }
    }

    /// Keeps what runs, unless it was stopped in the meantime.
    private func adopt(_ server: DemoServer) async {
        let wasStopped = state.withLock { state in
            if case .stopped = state { return true }
            state = .running(server)
            return false
        }
        if wasStopped { await server.stop() }
    }

    private func claim() throws(DemoOriginError) {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .starting
            return true
        }
        if !isFirst { throw .startedBefore }
    }
}
