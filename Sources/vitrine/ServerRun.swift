import Glibc
import Logging
import NIOCore
import Pipeline
import Serve
import ServiceLifecycle
import UnixSignals

/// Runs the HTTP service until a signal ends it.
enum ServerRun {
    /// `onRunning` is told the port once connections are accepted.
    static func run(
        _ pipeline: MediaPipeline, _ settings: Settings,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void
    ) async throws {
        let server = Server(
            pipeline, Assembly.serverConfiguration(settings), logger: Logger(label: "vitrine.http"),
            onRunning: onRunning)
        var quiet = Logger(label: "vitrine.lifecycle")
        quiet.logLevel = .error
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(
                    service: server, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .cancelGroup)
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        configuration.maximumGracefulShutdownDuration = settings.server.shutdownTimeout
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as IOError {
            throw sentence(error, settings.server)
        } catch is CancellationError {
            // What was running took longer than the bound; it was cut off as configured.
            return
        }
    }

    private static func sentence(_ error: IOError, _ server: ServerSettings) -> CommandError {
        let place = "\(server.host):\(server.port)"
        return switch error.errnoCode {
        case EADDRINUSE:
            CommandError(
                "Port \(server.port) on \(server.host) is in use; choose another with --port.")
        case EACCES:
            CommandError(
                "Listening on \(place) is not permitted; choose a port over 1023 with --port.")
        case EADDRNOTAVAIL:
            CommandError(
                "\(server.host) is no address of this machine; choose another with --host.")
        default:
            CommandError(
                "Listening on \(place) failed: \(String(cString: strerror(error.errnoCode))).")
        }
    }
}
