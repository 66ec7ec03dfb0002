import ArgumentParser
import Console

/// Becomes `vitrine-bench`, the program that lies beside this one.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure this machine, or compare two measurements.",
        discussion: "Starts vitrine-bench, installed beside this program.")

    /// Starts it if the arguments name this command or ask for its help. Then it doesn't return.
    static func start(_ arguments: [String]) throws(CommandError) {
        let options: [String]
        switch arguments.first {
        case "bench": options = Array(arguments.dropFirst())
        case "help" where arguments.dropFirst().first == "bench": options = ["--help"]
        default: return
        }
        let path = try SiblingProgram.path("vitrine-bench", "The benchmark")
        try SiblingProgram.become(path, options)
    }
}
