import Dispatch
import Synchronization

/// Lines that a thread of its own writes, so that a reader that stalls holds up nobody who logs. Of a
/// bounded number; how many more there were is said when there is room again. Any thread.
final class DeferredLines: Sendable {
    private struct State {
        var lines: [String] = []
        var dropped = 0
        var isWriting = false
    }

    private let limit: Int
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "vitrine.log")

    init(limit: Int = 10_000, write: @escaping @Sendable (String) -> Void) {
        self.limit = limit
        self.write = write
    }

    func add(_ line: String) {
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

    /// Blocks until what was added is written, or nobody has read it for so long.
    func flush(within limit: DispatchTimeInterval) {
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
            if state.dropped > 0 { lines.append("… \(state.dropped) lines of the log were lost") }
            state.isWriting = !lines.isEmpty
            state.lines = []
            state.dropped = 0
            return lines.isEmpty ? nil : lines
        }
    }
}
