import App
package import ArgumentParser
import Catalog

/// How the process ends: its last output and its status.
package enum CommandExit: Equatable {
    /// Requested output such as help or the version, for standard output.
    case printed(String)
    /// A status without output.
    case status(Int32)
    case failed(CommandError)

    /// Converts an error of parsing or running.
    package init(_ error: any Error, of command: any ParsableArguments.Type) {
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

    /// Returns whether the two options that the message quotes differ by a slip of the fingers.
    private static func isNear(_ message: String) -> Bool {
        let options = message.split(separator: "'").filter { $0.hasPrefix("-") }
            .map { String($0.drop { $0 == "-" }) }
        guard options.count == 2 else { return true }
        return NearestName.of(options[0], among: [options[1]]) != nil
    }

    /// Lines of the argument parser that begin like this are values to choose from.
    private static let choice = "  - "

    /// Returns the argument parser's message, which may end in a question, with a pointer to the
    /// help.
    private static func sentence(_ command: any ParsableArguments.Type, _ error: any Error)
        -> String
    {
        let lines = command.message(for: error).split(whereSeparator: \.isNewline)
        let choices = lines.filter { $0.hasPrefix(choice) }.map {
            String($0.dropFirst(choice.count))
        }
        var message = lines.filter { !$0.hasPrefix(choice) }.joined(separator: " ")
        if !choices.isEmpty, let request = message.firstRange(of: ". Please provide") {
            message = "\(message[..<request.lowerBound]); choose \(choices.listed(by: "or"))"
        }
        // Few values are in the sentence itself.
        message = message.replacing(". Please provide one of ", with: "; choose ")
        if let guess = message.firstRange(of: ". Did you mean") {
            if isNear(message) {
                message.replaceSubrange(guess, with: "; did you mean")
                return quoted(message)
            }
            message.removeSubrange(guess.lowerBound...)
        }
        if message.hasSuffix(".") { message.removeLast() }
        // The full text ends with "See 'vitrine thumb --help' for more information."
        let hint = command.fullMessage(for: error).split(separator: "'").last {
            $0.hasPrefix("vitrine") && $0.hasSuffix("--help")
        }
        return "\(quoted(message)); see “\(hint ?? "vitrine --help")”."
    }

    /// Returns a message of the argument parser with the quotes of our own.
    private static func quoted(_ message: String) -> String {
        message.replacing(/(^|[ (])'([^']+)'/) { "\($0.1)“\($0.2)”" }
    }
}
