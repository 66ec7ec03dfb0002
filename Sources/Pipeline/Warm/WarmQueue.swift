import Catalog
import Memory
import Synchronization

/// Items between the reader of a list and the run: bounded, so that a list of any length takes the
/// same memory. One producer, one consumer. Any thread.
final class WarmQueue: Sendable {
    private struct State {
        var items: [Item] = []
        /// Index of the next item.
        var head = 0
        var end: Result<Void, any Error>?
        var isClosed = false
        var producer: CheckedContinuation<Void, Never>?
        var consumer: CheckedContinuation<Void, Never>?

        var count: Int { items.count - head }

        mutating func removeFirst() -> Item {
            let item = items[head]
            head += 1
            if head == items.count || head >= 4_096 {
                items.removeFirst(head)
                head = 0
            }
            return item
        }
    }

    private enum Step {
        case item(Item, wake: CheckedContinuation<Void, Never>?)
        case end(Result<Void, any Error>)
        case wait
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: of queued items. One more batch fits.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Number of queued items.
    var count: Int { state.withLock { $0.count } }

    /// Adds items. Returns when there is room for more.
    ///
    /// - Throws: `CancellationError`, also after ``close()``.
    func push(_ batch: [Item]) async throws {
        let consumer = state.withLock { state in
            state.items += batch
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
        StateChange.tell()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasRoom = state.withLock { state in
                    if state.count < limit || state.isClosed { return true }
                    state.producer = continuation
                    return false
                }
                if hasRoom {
                    continuation.resume()
                } else if Task.isCancelled {
                    wakeProducer()
                }
            }
        } onCancel: {
            wakeProducer()
        }
        if state.withLock({ $0.isClosed }) { throw CancellationError() }
        try Task.checkCancellation()
    }

    /// Ends the list. The consumer gets the queued items first, then the error.
    func finish(_ end: Result<Void, any Error>) {
        let consumer = state.withLock { state in
            state.end = state.end ?? end
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
    }

    /// Drops what is queued: the consumer is gone.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.items = []
            state.head = 0
        }
        wakeProducer()
    }

    /// Returns the next item; nil at the end.
    func next() async throws -> Item? {
        while true {
            switch step() {
            case .item(let item, let producer):
                producer?.resume()
                return item
            case .end(let end):
                try end.get()
                return nil
            case .wait: try await wait()
            }
        }
    }

    private func step() -> Step {
        state.withLock { state in
            if state.count > 0 {
                let item = state.removeFirst()
                guard state.count <= limit / 2 else { return .item(item, wake: nil) }
                defer { state.producer = nil }
                return .item(item, wake: state.producer)
            }
            if let end = state.end { return .end(end) }
            return .wait
        }
    }

    private func wait() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count > 0 || state.end != nil { return true }
                    state.consumer = continuation
                    return false
                }
                if isOver {
                    continuation.resume()
                } else if Task.isCancelled {
                    wakeConsumer()
                }
            }
        } onCancel: {
            wakeConsumer()
        }
        try Task.checkCancellation()
    }

    private func wakeProducer() {
        let producer = state.withLock { state in
            defer { state.producer = nil }
            return state.producer
        }
        producer?.resume()
    }

    private func wakeConsumer() {
        let consumer = state.withLock { state in
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
    }
}
