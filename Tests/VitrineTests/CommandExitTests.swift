import App
import ArgumentParser
import Fetch
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct CommandExitTests {
    @Test(arguments: [
        ("frob", "Unknown command “frob”; choose "),
        ("thum", "Unknown command “thum”; did you mean “thumb”?"),
        ("thumb", "Missing expected argument “--output <dir>”; see “vitrine thumb --help”."),
        ("thumb a", "Missing expected argument “--output <dir>”; see “vitrine thumb --help”."),
        ("thumb a -o b --conurrency 1", "Unknown option “--conurrency”; did you mean “--concurren"),
        ("thumb a -o b --concurrency 0", "--concurrency is 0; expected 1 to 10000; see “vitrine "),
        ("thumb a -o b --concurrency q", "The value “q” is invalid for “--concurrency <n>”; see "),
        ("config --json --defaults", "Choose one of --json, --defaults and --check; see “vitrine "),
        ("config extra", "Unexpected argument “extra”; see “vitrine config --help”."),
        (
            "cache stats --cache",
            "Missing value for “--cache”; see “vitrine cache stats --help”."
        ),
        ("--nonsense", "Unknown option “--nonsense”; see “vitrine --help”."),
        ("thumb a -o b --sheet-level m", "--sheet-level is for a sheet; add --sheet"),
        ("warm tvmaze shows --nope", "Unknown option “--nope”; see “vitrine warm --help”."),
        ("warm tvmaze shows --typ x", "Unknown option “--typ”; did you mean “--type”?"),
        ("warm tvmaze shows --limit -1", "--limit is -1; expected 1 or more; see “vitrine warm"),
    ])
    func `a mistake on the command line is one sentence and status 64`(
        line: String, begin: String
    ) async throws {
        let arguments = ProgramRun.joiningNegativeNumbers(
            line.split(separator: " ").map(String.init))
        var end: CommandExit?
        do {
            try Vitrine.checkName(arguments)
            _ = try await Vitrine.asyncParseAsRoot(arguments)
        } catch {
            end = CommandExit(error, of: Vitrine.self)
        }
        guard case .failed(let error) = end else {
            Issue.record("\(line) ended as \(String(describing: end))")
            return
        }
        #expect(error.status == .usage)
        #expect(error.description.hasPrefix(begin), "\(error)")
        #expect(!error.description.contains("\n"))
    }

    @Test func `an unknown command is answered with those that people use`() {
        #expect(
            throws: CommandError.usage(
                "Unknown command “frob”; choose serve, health, config, demo, warm, explain, thumb, sign, "
                    + "source, cache, block, unblock, worker, reconcile, cluster, bench, completion, "
                    + "version or help."
            )
        ) { try Vitrine.checkName(["frob"]) }
    }

    @Test func `each kind of error has its exit status`() {
        let errors: [(any Error, CommandExit)] = [
            (ConfigurationError("c"), .failed(CommandError("c", status: .configuration))),
            (ConfigurationError("u", isUsage: true), .failed(CommandError("u", status: .usage))),
            (
                FetchError(.configuration(reason: "No CA file.")),
                .failed(
                    CommandError(
                        "\(FetchError(.configuration(reason: "No CA file.")))",
                        status: .configuration))
            ),
            (LocalFileError(reason: "l"), .failed(CommandError("l", status: .failure))),
            (CommandError.usage("x"), .failed(CommandError("x", status: .usage))),
            (CancellationError(), .failed(CommandError("Interrupted.", status: .failure))),
            (ExitCode(3), .status(3)),
            (CleanExit.message("done"), .printed("done")),
        ]
        for (error, end) in errors {
            #expect(CommandExit(error, of: Vitrine.self) == end)
        }
    }

    private static let shared = [
        "--help", "--config", "--cache", "--log-level", "--connect-to", "--ca-file", "--proxy",
        "--allow-network",
    ]

    @Test func `every command has help and the shared options`() {
        // `bench` is a program of its own, and two need no settings.
        let others: [any ParsableCommand.Type] = [
            BenchCommand.self, CompletionCommand.self, VersionCommand.self,
        ]
        var pending = Vitrine.configuration.subcommands
            .filter { command in !others.contains { $0 == command } }
            .map { ($0, [$0._commandName]) }
        #expect(!pending.isEmpty)
        while let (command, path) = pending.popLast() {
            let deeper = command.configuration.subcommands
            pending += deeper.map { ($0, path + [$0._commandName]) }
            guard deeper.isEmpty, command.configuration.shouldDisplay else { continue }
            let help = Vitrine.helpMessage(for: command, includeHidden: true)
            for option in Self.shared {
                #expect(help.contains(option), "\(path)")
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct HelpTests {
    /// Every command, with those below it.
    private static func all(
        of command: any ParsableCommand.Type = Vitrine.self
    ) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(all)
    }

    private static func help(
        _ command: any ParsableCommand.Type, withHidden: Bool = false
    ) -> [Substring] {
        Vitrine.helpMessage(for: command, includeHidden: withHidden, columns: 80)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func `help fits 80 columns, and its tables are as they were written`() {
        #expect(Self.all().count > 20)
        for command in Self.all() {
            let help = Self.help(command)
            for line in help + Self.help(command, withHidden: true) {
                #expect(line.count <= 80, "\(command): \(line)")
            }
            // Lines of examples and tables are indented.
            for row in command.configuration.discussion.split(separator: "\n")
            where row.hasPrefix("  ") {
                #expect(help.contains(row), "\(command): \(row)")
            }
        }
    }

    @Test func `help lists a command's own options before those of every command`() {
        // That of the program describes those of every command.
        for command in Self.all().dropFirst() {
            let help = Self.help(command)
            let options = help.filter { $0.hasPrefix("  -") }.map { $0.split(separator: " ")[0] }
            guard let common = options.firstIndex(of: "--config") else { continue }
            #expect(options[common...] == ["--config", "--version", "-h,"], "\(command)")
            // A heading would come before them.
            let headings = help.filter { $0.hasSuffix(":") && $0 == $0.uppercased()[...] }
            #expect(Set(headings).isSubset(of: ["ARGUMENTS:", "OPTIONS:"]), "\(command)")
        }
    }
}
