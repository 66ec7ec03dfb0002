import App
import ArgumentParser
import Catalog
import Console
import Fleet
import Foundation
import HTTP
import Imaging
import Logging
import Pipeline
import Serve
import Threads

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve thumbnails, originals and catalogs over HTTP.",
        discussion: """
            On SIGTERM or Ctrl-C it accepts no new connections, finishes running requests (for at \
            most server.shutdownTimeout) and closes the index. On SIGHUP it reads the settings \
            again: levels, qualities, sources, rates, keys and the certificate apply at once, and the \
            log names what needs a restart. As a systemd service it takes a listening socket (LISTEN_FDS) and reports when it is ready, \
            alive and stopping (NOTIFY_SOCKET, WATCHDOG_USEC). With OTEL_EXPORTER_OTLP_ENDPOINT it sends \
            traces of misses to a collector of OpenTelemetry; docs/operating.md has its variables.
            """)

    @OptionGroup var listen: ListenOptions

    @OptionGroup var shared: SharedOptions

    private static func identity(_ server: Settings.Server) throws -> TLSIdentity? {
        guard let certificate = server.tlsCertificate, let key = server.tlsKey else { return nil }
        do throws(TLSIdentity.Failure) {
            return try TLSIdentity(certificate: certificate, key: key)
        } catch {
            throw CommandError("\(error)", status: .configuration)
        }
    }

    func run() async throws {
        let flags = listen.flags
        let settings = try shared.start(flags)
        let tls = try await FileThreads.run { try Self.identity(settings.server) }
        let reload = await Reload(settings, tls) { [shared] in
            let loaded = try shared.load(flags)
            loaded.logWarnings()
            return loaded.settings
        }
        let scheme = tls == nil ? "http" : "https"
        let environment = ProcessEnvironment.values
        let socket = try InheritedSocket.take(environment)
        let assembly = try await Assembly.open(settings, as: .serve)
        assembly.startUpkeep(settings)
        do {
            // Before the first request, so that nothing is served that was purged meanwhile.
            try await assembly.fleet?.join(
                assembly.pipeline, recipe: assembly.pipeline.shared.recipe)
        } catch {
            try await assembly.close()
            throw error
        }
        let watch = SystemdWatch(SystemdNotice(environment), environment) {
            !assembly.pipeline.status.renders.isStuck
        }
        StandardError.shared.deferLog()
        let outcome: Result<Void, any Error>
        do {
            try await ServerRun(
                assembly, settings, tls: tls, reload: reload, watch: watch, socket: socket
            ) { ports in
                let place =
                    socket == nil
                    ? "\(scheme)://\(settings.server.host):\(ports.port)"
                    : "port \(ports.port) of the socket it was given, \(scheme)"
                StandardError.shared.line("vitrine: listening on \(place)")
                if socket == nil {
                    StandardError.shared.line("vitrine: the gallery is at \(place)/")
                }
                for missing in assembly.pipeline.sources.all.compactMap(\.missing) {
                    StandardError.shared.line("vitrine: \(missing)")
                }
                let admin = ports.admin.flatMap { port in
                    settings.adminAddress.map { ListenAddress(host: $0.host, port: port) }
                }
                if let admin {
                    StandardError.shared.line("vitrine: metrics at http://\(admin)/metrics")
                }
                await watch.ready(ports.port, asking: admin.map { HealthCheck($0) })
            }.run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await FileThreads.run { StandardError.shared.flushLog() }
        try await assembly.close()
        try outcome.get()
    }
}
