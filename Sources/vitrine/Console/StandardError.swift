import Dispatch
import Glibc
import Synchronization

/// Standard error as the one place where log lines, failures and the live progress line meet.
///
/// On a terminal the live line stays last: what else is written goes above it. Any thread.
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

    /// Columns that a line may fill without wrapping.
    var width: Int { max(1, columns() - 1) }

    /// Writes one line for good.
    func line(_ text: String) {
        live.withLock { live in
            write(live.isEmpty ? "\(text)\n" : "\(Self.erase)\(text)\n\(live)")
        }
    }

    /// Writes a line of the log for good, at once or soon.
    func log(_ text: String) {
        guard let deferred = deferred.withLock({ $0 }) else { return line(text) }
        deferred.add(text)
    }

    /// From now on whoever logs waits for no reader, which may stall.
    func deferLog() {
        deferred.withLock { $0 = DeferredLines { [self] text in line(text) } }
    }

    /// Writes what was deferred, as far as it is read within a second, and defers no more. Blocks.
    func flushLog() {
        let deferred = deferred.withLock { deferred in
            defer { deferred = nil }
            return deferred
        }
        deferred?.flush(within: .seconds(1))
    }

    /// Replaces the live line; the empty text takes it away. Only on a terminal.
    func show(_ text: String) {
        guard isTerminal else { return }
        live.withLock { live in
            if text.isEmpty, live.isEmpty { return }
            live = text
            write(Self.erase + text)
        }
    }

    /// Carriage return and "erase to the end of the line" (ECMA-48 EL).
    private static let erase = "\r\u{1b}[K"
}

/// The few system calls that a terminal needs.
enum Terminal {
    /// 80 where the descriptor is no terminal.
    static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Unbuffered; an error has nobody left to be told.
    static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let sent = Glibc.write(
                    descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if sent >= 0 {
                    written += sent
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
