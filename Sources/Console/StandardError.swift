import Dispatch
import Glibc
import Synchronization

/// Standard error, shared by log lines, failures and the live progress lines.
///
/// On a terminal the live lines stay last, and other lines appear above it. Thread-safe.
package final class StandardError: Sendable {
    package static let shared = StandardError(
        isTerminal: isatty(STDERR_FILENO) == 1, hasColors: Terminal.showsColors(STDERR_FILENO),
        columns: { Terminal.columns(of: STDERR_FILENO) },
        write: { text in Terminal.write(text, to: STDERR_FILENO) })

    package let isTerminal: Bool
    package let hasColors: Bool
    private let columns: @Sendable () -> Int
    private let write: @Sendable (String) -> Void
    /// The live lines.
    private let live = Mutex<[String]>([])
    private let deferred = Mutex<DeferredLines?>(nil)
    private let form = Mutex<LineForm?>(nil)

    /// Makes a line of the log of a sentence. Any thread.
    package typealias LineForm = @Sendable (_ sentence: String, _ isFailure: Bool) -> String

    package init(
        isTerminal: Bool, hasColors: Bool = false, columns: @escaping @Sendable () -> Int,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.hasColors = hasColors
        self.columns = columns
        self.write = write
    }

    /// Columns that a line can fill without wrapping.
    package var width: Int { max(1, columns() - 1) }

    /// From now on sentences are lines of the log, too, for a program that reads every line in its form.
    package func takeForm(_ form: @escaping LineForm) { self.form.withLock { $0 = form } }

    /// Returns a sentence in the form of the log; nil if it has none of its own.
    private func formed(_ text: String, isFailure: Bool) -> String? {
        form.withLock { $0 }.map { $0(text, isFailure) }
    }

    /// Writes one permanent line, without control characters.
    package func line(_ text: String) {
        writeLine(formed(text, isFailure: false) ?? ReadableText.oneLine(text))
    }

    private func writeLine(_ text: String) {
        live.withLock { live in
            let after = live.joined(separator: "\n")
            write(live.isEmpty ? "\(text)\n" : "\(Self.erase(live))\(text)\n\(after)")
        }
    }

    /// Writes one permanent line that says why something failed, in red where colors are shown.
    package func failure(_ text: String) {
        writeLine(
            formed(text, isFailure: true)
                ?? TextColor.red.paint(ReadableText.oneLine(text), if: hasColors))
    }

    /// Writes one permanent log line as it is, at once or deferred.
    package func log(_ text: String) {
        guard let deferred = deferred.withLock({ $0 }) else { return writeLine(text) }
        deferred.add(text)
    }

    /// From now on log lines are deferred, so that a stalled reader never blocks a logger.
    package func deferLog() {
        deferred.withLock {
            $0 = DeferredLines(
                write: { [self] text in writeLine(text) },
                dropped: { [self] count in
                    let text = DeferredLines.dropped(count)
                    return formed(text, isFailure: false) ?? text
                })
        }
    }

    /// Writes the deferred lines and ends deferring. Blocks for at most one second.
    package func flushLog() {
        let deferred = deferred.withLock { deferred in
            defer { deferred = nil }
            return deferred
        }
        deferred?.flush(within: .seconds(1))
    }

    /// Replaces the live line; an empty text removes it. Does nothing without a terminal.
    package func show(_ text: String) { show(text.isEmpty ? [] : [text]) }

    /// Replaces the live lines; none removes them. Does nothing without a terminal.
    package func show(_ lines: [String]) {
        guard isTerminal else { return }
        live.withLock { live in
            if lines.isEmpty, live.isEmpty { return }
            defer { live = lines }
            // Each line is erased just before it is written again, in one write, so that nothing
            // flickers. Only fewer lines need the rest of the screen erased.
            guard lines.count >= live.count else {
                return write(Self.erase(live) + lines.joined(separator: "\n"))
            }
            write(
                Self.up(live) + lines.map { Self.eraseLine + $0 }.joined(separator: "\n"))
        }
    }

    /// Moves to the begin of the first of these lines: carriage return, "cursor up" (ECMA-48 CUU).
    private static func up(_ lines: [String]) -> String {
        "\r" + (lines.count > 1 ? "\u{1b}[\(lines.count - 1)A" : "")
    }

    /// Moves there and erases these lines ("erase to the end of the screen", ECMA-48 ED).
    private static func erase(_ lines: [String]) -> String {
        up(lines) + (lines.count > 1 ? "\u{1b}[J" : eraseLine)
    }

    /// "Erase to the end of the line" (ECMA-48 EL).
    private static let eraseLine = "\u{1b}[K"
}
