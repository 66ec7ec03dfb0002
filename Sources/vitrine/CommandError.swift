import App
import ArgumentParser
import Catalog
import Fetch
import Pipeline

/// Why a command failed: one sentence that says what happened and what to do, and the exit status.
struct CommandError: Error, Equatable, CustomStringConvertible {
    /// Exit statuses of `sysexits.h`, which scripts check.
    enum Status: Int32, Sendable {
        case failure = 1
        case usage = 64
        case configuration = 78
    }

    let description: String
    let status: Status

    init(_ description: String, status: Status = .failure) {
        self.description = description
        self.status = status
    }

    static func usage(_ description: String) -> Self {
        Self(description, status: .usage)
    }

    /// Converts any error that a command threw.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError:
            self = error
        case let error as ConfigurationError:
            self.init(error.description, status: error.isUsage ? .usage : .configuration)
        case FetchError.configuration:
            self.init("\(error)", status: .configuration)
        case let failure as Failure:
            self.init(
                failure.reason,
                status: failure.kind == .unconfigured ? .configuration : .failure)
        case is CancellationError:
            self.init("Interrupted.")
        default:
            self.init("\(error)")
        }
    }
}

/// How the process ends: its last output and its status.
enum CommandExit: Equatable {
    /// Requested output such as help or the version, for standard output.
    case printed(String)
    /// A status without output.
    case status(Int32)
    case failed(CommandError)

    /// Converts an error of parsing or running.
    init(_ error: any Error, of command: any ParsableArguments.Type) {
        let code = command.exitCode(for: error)
        if let exit = error as? ExitCode {
            self = .status(exit.rawValue)
        } else if code.isSuccess {
            self = .printed(command.fullMessage(for: error))
        } else if code == .validationFailure {
            self = .failed(.usage(Self.sentence(command, error)))
        } else {
            self = .failed(CommandError(error))
        }
    }

    /// Returns the argument parser's message, which may end in a question, with a pointer to the
    /// help.
    private static func sentence(_ command: any ParsableArguments.Type, _ error: any Error)
        -> String
    {
        var message = command.message(for: error).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
        if let guess = message.firstRange(of: ". Did you mean") {
            message.replaceSubrange(guess, with: "; did you mean")
            return message
        }
        if message.hasSuffix(".") { message.removeLast() }
        // The full text ends with "See 'vitrine thumb --help' for more information."
        let hint = command.fullMessage(for: error).split(separator: "'").last {
            $0.hasPrefix("vitrine") && $0.hasSuffix("--help")
        }
        return "\(message); see \"\(hint ?? "vitrine --help")\"."
    }
}
