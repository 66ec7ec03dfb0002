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
            server.shutdownTimeout), the index is closed.
            """)

    @Option(help: ArgumentHelp("Address to listen on.", valueName: "address"))
    var host: String?

    @Option(help: ArgumentHelp("Port to listen on; 0 takes any free one.", valueName: "port"))
    var port: String?

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let flags = [("--host", "server.host", host), ("--port", "server.port", port)]
            .compactMap { name, path, text in
                text.map { FlagValue(name: name, path: path, texts: [$0]) }
            }
        let settings = try shared.start(flags)
        let assembly = try await Assembly.open(settings)
        let outcome: Result<Void, any Error>
        do {
            try await ServerRun(assembly, settings) { port in
                StandardError.shared.line(
                    "vitrine: listening on http://\(settings.server.host):\(port)")
            }.run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try await assembly.close()
        try outcome.get()
    }
}
