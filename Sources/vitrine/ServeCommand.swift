import ArgumentParser
import Logging
import Pipeline
import Serve

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve thumbnails, originals and catalogues over HTTP.",
        discussion: """
            Stops on SIGTERM or Ctrl-C: no new connections, what is running is finished (at most \
            server.shutdownTimeout), the index is closed. On SIGHUP the settings are read again: \
            log.level and the certificate count at once, the rest after a restart.
            """)

    @Option(help: ArgumentHelp("Address to listen on.", valueName: "address"))
    var host: String?

    @Option(help: ArgumentHelp("Port to listen on; 0 takes any free one.", valueName: "port"))
    var port: String?

    @OptionGroup var shared: SharedOptions

    private static func identity(_ server: ServerSettings) throws -> TLSIdentity? {
        guard let certificate = server.tlsCertificate, let key = server.tlsKey else { return nil }
        do throws(TLSIdentity.Failure) {
            return try TLSIdentity(certificate: certificate, key: key)
        } catch {
            throw CommandError("\(error)", status: .configuration)
        }
    }

    func run() async throws {
        let flags = [("--host", "server.host", host), ("--port", "server.port", port)]
            .compactMap { name, path, text in
                text.map { FlagValue(name: name, path: path, texts: [$0]) }
            }
        let settings = try shared.start(flags)
        let tls = try await FileThreads.run { try Self.identity(settings.server) }
        let reload = await Reload(settings, tls) { [shared] in try shared.load(flags).settings }
        let scheme = tls == nil ? "http" : "https"
        let assembly = try await Assembly.open(settings)
        let outcome: Result<Void, any Error>
        do {
            try await ServerRun(assembly, settings, tls: tls, reload: reload) { port in
                StandardError.shared.line(
                    "vitrine: listening on \(scheme)://\(settings.server.host):\(port)")
            }.run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try await assembly.close()
        try outcome.get()
    }
}
