import App
import ArgumentParser
import Console

struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Ask the running service or worker on this machine whether it works.",
        usage: "vitrine health [<options>]",
        discussion: """
            For health checks of containers. It reads the same settings as the service, and asks \
            server.adminAddress if that is set. Give it the flags for addresses that you gave to the \
            service.

            Exit status: 0 if it works, 1 if it doesn't.
            """)

    @Flag(help: "Ask whether it is ready: a picture must go through its render threads.")
    var ready = false

    @OptionGroup var listen: ListenOptions

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        print(try await HealthCheck(try shared.start(listen.flags)).ask(ready: ready))
    }
}
