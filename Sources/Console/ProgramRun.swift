import App
package import ArgumentParser
import Glibc
import Imaging
import Memory

/// The main function of the programs, from their arguments to their exit status.
package enum ProgramRun {
    /// The hidden command with which a program starts itself, to render in a process without rights.
    private static let renderChild = "render-child"

    /// What must happen while the process has only one thread. Call it before anything is awaited: the
    /// first `await` starts threads.
    ///
    /// - Parameter begin: called with the arguments while the environment has its secrets.
    package static func prepare(
        _ arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        begin: ([String]) throws(CommandError) -> Void = { _ in }
    ) {
        Allocator.boundArenas()
        // A child drops its rights while it has only one thread.
        if arguments.first == renderChild {
            RenderChild.run()
            Glibc.exit(0)
        }
        do throws(CommandError) {
            try begin(arguments)
        } catch {
            end(.failed(error))
        }
        // Secrets are overwritten in the environment.
        _ = ProcessEnvironment.values
        OwnMemory.hide()
    }

    /// Runs the command that the arguments name, after ``prepare(_:begin:)``.
    package static func run<Root: AsyncParsableCommand>(
        _ root: Root.Type, _ arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) async {
        do {
            try checkProc()
            OpenFileLimit.raise()
            // A file over RLIMIT_FSIZE is an error of its write, not the end of the process.
            signal(SIGXFSZ, SIG_IGN)
            var command = try await root.asyncParseAsRoot(joiningNegativeNumbers(arguments))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(CommandExit(error, of: root))
        }
    }

    private static func end(_ end: CommandExit) -> Never {
        switch end {
        case .printed(let text):
            // The libraries are opened only for a request that names them.
            print(text == Version.number ? Version.report() : text)
            Glibc.exit(0)
        case .status(let status):
            Glibc.exit(status)
        case .failed(let error):
            let sentence = error.description.split(whereSeparator: \.isNewline)
                .joined(separator: " ")
            StandardError.shared.failure("vitrine: \(sentence)")
            Glibc.exit(error.status.rawValue)
        }
    }

    /// Without `/proc` the program has no arguments, and its blobs can't get their names.
    private static func checkProc() throws(CommandError) {
        guard access("/proc/self/fd", X_OK) == 0 else {
            throw CommandError(
                "/proc is missing, and this program reads its arguments and its open files there. "
                    + "Mount it: mount -t proc proc /proc.")
        }
    }

    /// Writes `--limit -1` as `--limit=-1`, so that the number is not taken for an option.
    package static func joiningNegativeNumbers(_ arguments: [String]) -> [String] {
        arguments.reduce(into: []) { joined, argument in
            let isNumber = argument.hasPrefix("-") && Double(argument) != nil
            if isNumber, let option = joined.last, option.hasPrefix("--"), option.count > 2,
                !option.contains("=")
            {
                joined[joined.count - 1] = "\(option)=\(argument)"
            } else {
                joined.append(argument)
            }
        }
    }
}
