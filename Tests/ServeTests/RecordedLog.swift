import Dispatch
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

/// Hands each line to a test.
struct PlayedLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    let take: @Sendable (LogEvent) -> Void

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { take(event) }
}

/// A log that blocks its writers while it is closed: a thread of connections, for which no other thread waits.
final class LogGate: Sendable {
    private let isClosed = Atomic(false)
    private let opened = DispatchSemaphore(value: 0)
    private let (reached, reaches) = AsyncStream<Void>.makeStream()

    var logger: Logger { Logger(label: "test") { _ in PlayedLogHandler { _ in self.pass() } } }

    func close() { isClosed.store(true, ordering: .sequentiallyConsistent) }

    /// Returns when a writer is blocked.
    func isReached() async { for await _ in reached { return } }

    func open() {
        isClosed.store(false, ordering: .sequentiallyConsistent)
        opened.signal()
    }

    private func pass() {
        guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
        reaches.yield()
        opened.wait()
    }
}
