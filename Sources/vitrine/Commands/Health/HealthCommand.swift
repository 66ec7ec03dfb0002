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

    @Flag(
        help:
            "Print one JSON object: whether it works, its URL, and what it says or why it doesn't.")
    var json = false

    @OptionGroup var listen: ListenOptions

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let check = try HealthCheck(try shared.start(listen.flags))
        do throws(CommandError) {
            let answer = try await check.ask(ready: ready)
            print(json ? jsonLine(Line(works: true, url: check.url, answer: answer)) : answer)
        } catch {
            if json { print(jsonLine(Line(works: false, url: check.url, reason: "\(error)"))) }
            throw error
        }
    }

    /// What `--json` prints.
    private struct Line: Encodable {
        var works: Bool
        var url: String
        var answer: String?
        var reason: String?
    }
}
