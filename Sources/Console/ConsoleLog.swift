package import App
package import FoundationEssentials
package import Logging
import Synchronization

/// Writes log lines to standard error: text for people, or one JSON object per line.
package struct ConsoleLog: LogHandler {
    /// The level of this logger; if `nil`, the threshold's level applies.
    private var ownLevel: Logger.Level?
    private let threshold: LogThreshold
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let format: Settings.Log.Format
    private let output: StandardError
    private let now: @Sendable () -> Date

    package init(
        label: String, settings: Settings.Log, threshold: LogThreshold? = nil,
        output: StandardError = .shared,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.label = label
        self.threshold = threshold ?? LogThreshold(settings.level)
        self.format = settings.format
        self.output = output
        self.now = now
    }

    /// Installs this as the log of the process. Call it once, before the first logger is created.
    package static func bootstrap(_ settings: Settings.Log) {
        LogThreshold.process.level = settings.level
        LoggingSystem.bootstrap(
            { label, provider in
                var log = ConsoleLog(label: label, settings: settings, threshold: .process)
                log.metadataProvider = provider
                return log
            }, metadataProvider: nil)
    }

    /// Makes every sentence on standard error a line of this log, if that is JSON: a service's log is read by a
    /// program from its first line to its last.
    package static func takeSentences(
        _ settings: Settings.Log, of output: StandardError = .shared,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        guard settings.format == .json else { return }
        output.takeForm { sentence, isFailure in
            let text = sentence.hasPrefix(prefix) ? sentence.dropFirst(prefix.count) : sentence[...]
            return json(
                time: now().formatted(timeStyle), isFailure ? .error : .info, label: "vitrine",
                "\(text)", [:])
        }
    }

    /// What sentences for people begin with.
    private static let prefix = "vitrine: "

    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields = metadata
        for extra in [metadataProvider?.get(), event.metadata] {
            fields.merge(extra ?? [:]) { _, latest in latest }
        }
        if let error = event.error { fields["error"] = "\(error)" }
        let time = now().formatted(Self.timeStyle)
        switch format {
        case .text:
            let line = text(event, fields, time: time)
            let isError = event.level >= .error
            output.log(TextColor.red.paint(line, if: isError && output.hasColors))
        case .json:
            output.log(
                Self.json(time: time, event.level, label: label, "\(event.message)", fields))
        }
    }

    private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Formats `2026-01-31T12:00:00.000Z info message key=value`.
    private func text(_ event: LogEvent, _ fields: Logger.Metadata, time: String) -> String {
        var line = "\(time) \(event.level) \(ReadableText.oneLine("\(event.message)"))"
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\(Self.quotedWhereNeeded("\(value)"))"
        }
        return line
    }

    private static func json(
        time: String, _ level: Logger.Level, label: String, _ message: String,
        _ fields: Logger.Metadata
    ) -> String {
        let head = [
            ("time", time), ("level", "\(level)"), ("logger", label), ("message", message),
        ]
        let own = Set(head.map(\.0))
        let rest = fields.sorted { $0.key < $1.key }.map { key, value in
            (own.contains(key) ? "\(key)_" : key, json(value))
        }
        let pairs = (head.map { ($0.0, ReadableText.quoted($0.1)) } + rest).map {
            "\(ReadableText.quoted($0.0)):\($0.1)"
        }
        return "{\(pairs.joined(separator: ","))}"
    }

    /// Returns a number as one, and all else as a text. Digits in a text are a name, such as an id.
    private static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .stringConvertible(let number as any BinaryInteger): "\(number)"
        case .stringConvertible(let number as Double) where number.isFinite: "\(number)"
        default: ReadableText.quoted("\(value)")
        }
    }

    private static func quotedWhereNeeded(_ text: String) -> String {
        let isPlain = !text.isEmpty && !text.contains { " \"=\\".contains($0) || $0.isNewline }
        return isPlain && ReadableText.oneLine(text) == text ? text : ReadableText.quoted(text)
    }
}

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
