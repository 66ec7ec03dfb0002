import App
import Console
import Glibc
import HitServer
import Logging
import Pipeline
import Serve
import ServiceLifecycle
import UnixSignals

/// One run of the HTTP service until a signal or ``stop()`` ends it.
struct ServerRun: Sendable {
    private let group: ServiceGroup
    private let place: Settings.Server

    /// `onRunning` is called with the port once connections are accepted. `socket` is a listening
    /// socket that replaces the settings' address. The server owns it.
    init(
        _ assembly: Assembly, _ settings: Settings, tls: TLSIdentity? = nil,
        reload: Reload? = nil, watch: SystemdWatch? = nil, socket: CInt? = nil,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        var serving = assembly.serverConfiguration(settings)
        serving.tls = tls
        serving.socket = socket
        let server = Server(
            assembly.pipeline, serving,
            logger: Logger(label: "vitrine.http"),
            onRunning: onRunning)
        var quiet = Logger(label: "vitrine.lifecycle")
        quiet.logLevel = .error
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(
                service: server, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .cancelGroup)
        ]
        // Stopped before the server, which drains afterwards.
        if let watch { services.append(.init(service: watch)) }
        if let reload { services.append(.init(service: reload)) }
        var configuration = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        configuration.maximumGracefulShutdownDuration = settings.server.shutdownTimeout
        group = ServiceGroup(configuration: configuration)
        place = settings.server
    }

    /// Returns when all running requests are finished or exceeded the limit.
    func run() async throws {
        do {
            try await group.run()
        } catch ServingFailure.socket(let code) {
            throw Self.sentence(code, place.host, place.port, option: "--port")
        } catch let error as ServingFailure {
            throw CommandError("\(error)")
        } catch is CancellationError {
            // Running requests took longer than the limit and were cut off as configured.
        }
    }

    /// Accepts no new connections and finishes running requests.
    func stop() async {
        await group.triggerGracefulShutdown()
    }

    /// Returns why listening failed, and what to do.
    ///
    /// - Parameter option: names the place on the command line.
    static func sentence(
        _ code: CInt, _ host: String, _ port: Int, option: String
    ) -> CommandError {
        switch code {
        case EADDRINUSE:
            CommandError(
                "Port \(port) on \(host) is already in use. Choose another with \(option).")
        case EACCES:
            CommandError(
                "Listening on \(host):\(port) is not permitted. Choose a port above 1023 with "
                    + "\(option).")
        case EADDRNOTAVAIL:
            CommandError(
                "\(host) is not an address of this machine. Choose another with "
                    + "\(option == "--port" ? "--host" : option).")
        default:
            CommandError(
                "Listening on \(host):\(port) failed: \(String(cString: strerror(code))).")
        }
    }
}
