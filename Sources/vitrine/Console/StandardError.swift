import Dispatch
import Glibc
import Synchronization

/// Standard error, shared by log lines, failures and the live progress line.
///
/// On a terminal the live line stays last, and other lines appear above it. Thread-safe.
final class StandardError: Sendable {
    static let shared = StandardError(
        isTerminal: isatty(STDERR_FILENO) == 1,
        columns: { Terminal.columns(of: STDERR_FILENO) },
        write: { text in Terminal.write(text, to: STDERR_FILENO) })

    let isTerminal: Bool
    private let columns: @Sendable () -> Int
    private let write: @Sendable (String) -> Void
    private let live = Mutex("")
    private let deferred = Mutex<DeferredLines?>(nil)

    init(
        isTerminal: Bool, columns: @escaping @Sendable () -> Int,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.columns = columns
        self.write = write
    }

    /// Columns that a line can fill without wrapping.
    var width: Int { max(1, columns() - 1) }

    /// Writes one permanent line.
    func line(_ text: String) {
        live.withLock { live in
            write(live.isEmpty ? "\(text)\n" : "\(Self.erase)\(text)\n\(live)")
        }
    }

    /// Writes one permanent log line, at once or deferred.
    func log(_ text: String) {
        guard let deferred = deferred.withLock({ $0 }) else { return line(text) }
        deferred.add(text)
    }

    /// From now on log lines are deferred, so that a stalled reader never blocks a logger.
    func deferLog() {
        deferred.withLock { $0 = DeferredLines { [self] text in line(text) } }
    }

    /// Writes the deferred lines and ends deferring. Blocks for at most one second.
    func flushLog() {
        let deferred = deferred.withLock { deferred in
            defer { deferred = nil }
            return deferred
        }
        deferred?.flush(within: .seconds(1))
    }

    /// Replaces the live line; an empty text removes it. Does nothing without a terminal.
    func show(_ text: String) {
        guard isTerminal else { return }
        live.withLock { live in
            if text.isEmpty, live.isEmpty { return }
            live = text
            write(Self.erase + text)
        }
    }

    /// Carriage return, then "erase to the end of the line" (ECMA-48 EL).
    private static let erase = "\r\u{1b}[K"
}
