import ArgumentParser
import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct HelpTests {
    /// Every command, with those below it.
    private static func all(
        of command: any ParsableCommand.Type = Vitrine.self
    ) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(all)
    }

    private static func help(_ command: any ParsableCommand.Type) -> [Substring] {
        Vitrine.helpMessage(for: command, columns: 80)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func `help fits 80 columns, and its tables are as they were written`() {
        #expect(Self.all().count > 20)
        for command in Self.all() {
            let help = Self.help(command)
            for line in help {
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
        for command in Self.all() {
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
