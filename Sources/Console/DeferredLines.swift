package import Dispatch
import Synchronization

/// Writes lines on a thread of its own, so that a stalled reader never blocks logging. Thread-safe.
///
/// The number of pending lines is bounded. Further lines are dropped, and the next batch reports
/// how many.
package final class DeferredLines: Sendable {
    private struct State {
        var lines: [String] = []
        var dropped = 0
        var isWriting = false
    }

    private let limit: Int
    private let write: @Sendable (String) -> Void
    private let dropped: @Sendable (Int) -> String
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "vitrine.log")

    /// - Parameter dropped: returns the line that says how many were dropped.
    package init(
        limit: Int = 10_000, write: @escaping @Sendable (String) -> Void,
        dropped: @escaping @Sendable (Int) -> String = DeferredLines.dropped
    ) {
        self.limit = limit
        self.write = write
        self.dropped = dropped
    }

    /// Returns the sentence that says how many lines were dropped.
    package static func dropped(_ count: Int) -> String { "… \(count) log lines were dropped" }

    package func add(_ line: String) {
        let isFirst = state.withLock { state in
            guard state.lines.count < limit else {
                state.dropped += 1
                return false
            }
            state.lines.append(line)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { queue.async { [self] in drain() } }
    }

    /// Blocks until the lines added so far are written, at most for the given time.
    package func flush(within limit: DispatchTimeInterval) {
        let written = DispatchSemaphore(value: 0)
        queue.async { written.signal() }
        _ = written.wait(timeout: .now() + limit)
    }

    private func drain() {
        while let lines = take() { write(lines.joined(separator: "\n")) }
    }

    private func take() -> [String]? {
        state.withLock { state in
            var lines = state.lines
            if state.dropped > 0 { lines.append(dropped(state.dropped)) }
            state.isWriting = !lines.isEmpty
            state.lines = []
            state.dropped = 0
            return lines.isEmpty ? nil : lines
        }
    }
}
