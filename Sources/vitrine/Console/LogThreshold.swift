import Logging
import Synchronization

/// The least severe level that is written, of all loggers that have none of their own. It can change
/// while they are in use, on any thread.
final class LogThreshold: Sendable {
    /// That of this process.
    static let process = LogThreshold(.info)

    private let index: Atomic<Int>

    init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
