package import Logging
import Synchronization

/// The minimum log level of all loggers without a level of their own. Any thread may change it at
/// any time.
package final class LogThreshold: Sendable {
    /// The threshold of this process.
    package static let process = LogThreshold(.info)

    private let index: Atomic<Int>

    package init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    package var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
