import Catalog
import Console
import Synchronization

/// Names the lines of a list that can't be read on standard error, and counts them. The first ones are
/// named. Thread-safe.
final class BadLines: Sendable {
    /// Lines that are named.
    private static let most = 20

    private let file: String
    private let errors: StandardError
    private let seen = Mutex(0)

    /// - Parameter file: `-` is standard input.
    init(_ file: String, errors: StandardError = .shared) {
        self.file = file
        self.errors = errors
    }

    var count: Int { seen.withLock { $0 } }

    func report(_ bad: BadLine) {
        let number = seen.withLock { seen in
            seen += 1
            return seen
        }
        if number <= Self.most { errors.line("\(name):\(bad.line): \(Self.sentence(bad.reason))") }
    }

    /// Says how many lines were not named. Call it at the end.
    func finish() {
        let further = count - Self.most
        guard further > 0 else { return }
        errors.line("\(name): \(ReadableText.counted(further, "further line")) can't be read.")
    }

    /// Returns the error of a list that can't be read as a whole.
    func error(_ list: UnreadableList) -> CommandError {
        CommandError("\(name): \(Self.sentence(list.reason))")
    }

    private var name: String { file == "-" ? "standard input" : file }

    private static func sentence(_ reason: String) -> String {
        "\(reason)\(reason.hasSuffix(".") ? "" : ".")"
    }
}
