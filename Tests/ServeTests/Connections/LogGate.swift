import Dispatch
import Logging
import Synchronization

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
