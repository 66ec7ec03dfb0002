import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// An origin on a loopback port that answers like all five catalogs and their image hosts over TLS,
/// HTTP/2 and HTTP/1.1, with invented contents and drawn pictures.
package final class DemoOrigin: Sendable {
    /// What it shows; known before it starts.
    package let catalog: ShowCatalog
    package let music: MusicCatalog
    package let films: FilmCatalog
    package let objects: ObjectCatalog

    let configuration: DemoOriginConfiguration
    let logger: Logger
    private let state = Mutex(State.idle)

    private enum State {
        case idle, starting
        case running(ServiceGroup, Task<Void, Never>)
        case stopped
    }

    package init(
        _ configuration: DemoOriginConfiguration = .init(),
        logger: Logger = Logger(label: "vitrine.demo-origin")
    ) {
        self.configuration = configuration
        self.logger = logger
        catalog = ShowCatalog(seed: configuration.seed, count: configuration.shows)
        music = MusicCatalog(seed: configuration.seed, artists: configuration.artists)
        films = FilmCatalog(seed: configuration.seed)
        objects = ObjectCatalog(seed: configuration.seed, count: configuration.objects)
    }

    /// Returns once it listens; it then runs until ``stop()``.
    package func start() async throws(DemoOriginError) -> RunningDemo {
        try claim()
        let sites = try sites()
        let hosts = sites.flatMap(\.hosts)
        let certificate = try DemoCertificate(hosts: hosts)
        let log = try configuration.log.map { path throws(DemoOriginError) in try RequestLog(path) }
        let (events, continuation) = AsyncStream<Result<Int, any Error>>.makeStream()
        let group: ServiceGroup
        do {
            group = try serviceGroup(
                certificate,
                DemoResponder(
                    sites: sites, faults: FaultInjector(configuration), log: log)
            ) { port in
                continuation.yield(.success(port))
            }
        } catch {
            throw .certificate(reason: "\(error)")
        }
        let task = Task {
            do {
                try await group.run()
            } catch {
                continuation.yield(.failure(error))
            }
            continuation.finish()
        }
        await adopt(group, task)
        for await event in events {
            switch event {
            case .success(let port):
                return RunningDemo(
                    port: port, hosts: hosts, certificateAuthorityPEM: certificate.authorityPEM,
                    connectTo: hosts.map {
                        "\($0):\(configuration.transport == .plain ? 80 : 443):127.0.0.1:\(port)"
                    },
                    allowNetwork: "127.0.0.0/8", credentials: configuration.credentials,
                    sources: sources)
            case .failure(let error):
                throw .listening(port: configuration.port, reason: "\(error)")
            }
        }
        throw .listening(port: configuration.port, reason: "it was stopped while starting")
    }

    /// Finishes what it is answering, for at most two seconds. Idempotent.
    package func stop() async {
        let running = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        guard case .running(let group, let task) = running else { return }
        await group.triggerGracefulShutdown()
        await task.value
    }

    /// Keeps what runs, unless it was stopped in the meantime.
    private func adopt(_ group: ServiceGroup, _ task: Task<Void, Never>) async {
        let wasStopped = state.withLock { state in
            if case .stopped = state { return true }
            state = .running(group, task)
            return false
        }
        if wasStopped { await group.triggerGracefulShutdown() }
    }

    private func claim() throws(DemoOriginError) {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .starting
            return true
        }
        if !isFirst { throw .startedBefore }
    }

    private func serviceGroup(
        _ certificate: DemoCertificate, _ responder: DemoResponder,
        onListening: @escaping @Sendable (Int) -> Void
    ) throws -> ServiceGroup {
        // The server tells of each connection; only what goes wrong is of interest here.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let server: HTTPServerBuilder =
            switch configuration.transport {
            case .plain: .http1()
            case .tls: try .tls(tlsConfiguration: certificate.serverConfiguration)
            case .http2:
                try .http2Upgrade(
                    tlsConfiguration: certificate.serverConfiguration,
                    configuration: .init(
                        gracefulCloseTimeout: .seconds(1),
                        streamConfiguration: .init(
                            additionalChannelHandlers: [HTTP2ResponseEnd.Installer()])))
            }
        let service = try server.buildServer(
            configuration: .init(address: .hostname("127.0.0.1", port: configuration.port)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet,
            responder: { request, writer, _ in
                let response = try await responder.respond(to: request)
                try await writer.write(response: response.head, body: response.body)
            },
            onServerRunning: { channel in
                onListening(channel.localAddress?.port ?? 0)
            })
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: service)], logger: quiet)
        configuration.maximumGracefulShutdownDuration = .seconds(2)
        return ServiceGroup(configuration: configuration)
    }
}
