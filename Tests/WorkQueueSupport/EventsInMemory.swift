import FoundationEssentials
import Synchronization

@testable import WorkQueue

/// Events in memory.
final class EventsInMemory: EventLog {
    private struct State {
        var last: UInt64 = 0
        var events: [UInt64: (bytes: [UInt8], at: Date)] = [:]
    }

    private let retention: Duration
    private let now: @Sendable () -> Date
    private let identity = "\(UInt64.random(in: .min ... .max))"
    private let state = Mutex(State())

    init(retention: Duration, _ now: @escaping @Sendable () -> Date) {
        self.retention = retention
        self.now = now
    }

    func append(_ bytes: [UInt8]) async throws(QueueError) -> UInt64 {
        kept { state, now in
            state.last += 1
            state.events[state.last] = (bytes, now)
            return state.last
        }
    }

    func extent() async throws(QueueError) -> EventExtent {
        kept { state, _ in
            EventExtent(
                identity: identity, first: state.events.keys.min() ?? state.last + 1,
                last: state.last)
        }
    }

    func event(_ number: UInt64) async throws(QueueError) -> [UInt8]? {
        kept { state, _ in state.events[number]?.bytes }
    }

    /// Drops what is too old before.
    private func kept<Value>(_ body: (inout State, _ now: Date) -> Value) -> Value {
        let now = now()
        return state.withLock { state in
            state.events = state.events.filter { $0.value.at + retention > now }
            return body(&state, now)
        }
    }
}
