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
        usage: "vitrine serve [<options>]",
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

    /// Returns the certificate that the settings name; nil if they name none. Blocks.
    static func identity(_ settings: Settings) throws -> TLSIdentity? {
        guard let certificate = settings.tlsCertificate, let key = settings.tlsKey else {
            return nil
        }
        do throws(TLSIdentity.Failure) {
            return try TLSIdentity(certificate: certificate, key: key)
        } catch {
            throw CommandError("\(error)", status: .configuration)
        }
    }

    /// Ends a start whose list has a wrong path. A list that was read before is shown as it was then. Blocks.
    private static func checkLists(_ settings: Settings) throws(CommandError) {
        for list in settings.lists {
            guard let reason = ListFile.shortcoming(of: list) else { continue }
            guard ListFile.isIndexed(list, in: Assembly.listDirectory(settings)) else {
                throw CommandError(reason, status: .configuration)
            }
            Logger(label: "vitrine").warning("\(reason) It is shown as it was read before.")
        }
    }

    func run() async throws {
        let flags = listen.flags
        let settings = try shared.start(flags, isService: true)
        let tls = try await FileThreads.run {
            try Self.checkLists(settings)
            return try Self.identity(settings)
        }
        let reload = await Reload(settings, tls) { [shared] in
            let loaded = try shared.load(flags)
            loaded.logWarnings()
            return loaded.settings
        }
        let environment = ProcessEnvironment.values
        let socket = try InheritedSocket.take(environment)
        try await Assembly.during(settings, as: .serve) { assembly in
            assembly.startUpkeep(settings)
            // Before the first request, so that nothing is served that was purged meanwhile.
            try await assembly.fleet?.join(
                assembly.pipeline, recipe: assembly.pipeline.shared.recipe)
            do throws(Failure) {
                try await assembly.takeBlocks(settings)
            } catch {
                // They are in force here, and are recorded by the next start.
                Logger(label: "vitrine").error(
                    "What the file of blocks names can't be removed everywhere.",
                    metadata: ["reason": "\(error)"])
            }
            let watch = SystemdWatch(SystemdNotice(environment), environment) {
                !assembly.pipeline.status.renders.isStuck
            }
            StandardError.shared.deferLog()
            try await withEnd({ await FileThreads.run { StandardError.shared.flushLog() } }) {
                try await ServerRun(
                    assembly, settings, tls: tls, reload: reload, watch: watch, socket: socket
                ) { port, adminPort in
                    let admin = adminPort.flatMap { port in
                        settings.adminAddress.map { ListenAddress(host: $0.host, port: port) }
                    }
                    Self.announce(
                        settings, port, admin, isInherited: socket != nil,
                        missing: assembly.pipeline.sources.offered.compactMap(\.missing))
                    await watch.ready(port, asking: admin.map { HealthCheck($0) })
                }.run()
            }
        }
    }

    /// Says where the service listens, and what it lacks.
    private static func announce(
        _ settings: Settings, _ port: Int, _ admin: ListenAddress?, isInherited: Bool,
        missing: [String]
    ) {
        let scheme = settings.tlsCertificate == nil ? "http" : "https"
        let place = "\(scheme)://\(settings.server.host):\(port)"
        let lines =
            isInherited
            ? ["listening on port \(port) of the socket it was given, \(scheme)"]
            : ["listening on \(place)", "the gallery is at \(place)/"]
        let metrics = admin.map { ["metrics at http://\($0)/metrics"] } ?? []
        for line in lines + missing + metrics { StandardError.shared.line("vitrine: \(line)") }
    }
}
