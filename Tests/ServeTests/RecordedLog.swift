import Logging
import Synchronization

/// Records log lines.
final class RecordedLog: Sendable {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        /// As text, by key.
        var fields: [String: String]
    }

    private let lines = Mutex<[Line]>([])

    var all: [Line] { lines.withLock { $0 } }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in PlayedLogHandler { self.add($0) } }
        logger.logLevel = level
        return logger
    }

    private func add(_ event: LogEvent) {
        let line = Line(
            level: event.level, message: "\(event.message)",
            fields: (event.metadata ?? [:]).mapValues { "\($0)" })
        lines.withLock { $0.append(line) }
    }
}
