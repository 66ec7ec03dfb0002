import FoundationEssentials
import Synchronization

@testable import WorkQueue

/// Values in memory.
final class ValuesInMemory: SharedValues {
    private struct State {
        var revision: UInt64 = 0
        var values: [String: (value: SharedValue, until: Date)] = [:]
    }

    private let life: Duration
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(life: Duration, _ now: @escaping @Sendable () -> Date) {
        self.life = life
        self.now = now
    }

    func value(_ key: String) async throws(QueueError) -> SharedValue? {
        living { $0.values[key]?.value }
    }

    func set(_ key: String, _ bytes: [UInt8]) async throws(QueueError) -> UInt64 {
        living { write(key, bytes, &$0) }
    }

    func exchange(
        _ key: String, _ bytes: [UInt8], for revision: UInt64?
    ) async throws(QueueError) -> UInt64? {
        living { state in
            guard state.values[key]?.value.revision == revision else { return nil }
            return write(key, bytes, &state)
        }
    }

    func remove(_ key: String) async throws(QueueError) {
        living { $0.values[key] = nil }
    }

    func all(_ prefix: String) async throws(QueueError) -> [String: SharedValue] {
        living { $0.values.filter { $0.key.hasPrefix(prefix) }.mapValues(\.value) }
    }

    private func write(_ key: String, _ bytes: [UInt8], _ state: inout State) -> UInt64 {
        state.revision += 1
        state.values[key] = (SharedValue(bytes: bytes, revision: state.revision), now() + life)
        return state.revision
    }

    /// Removes what has vanished before.
    private func living<Value>(_ body: (inout State) -> Value) -> Value {
        let now = now()
        return state.withLock { state in
            state.values = state.values.filter { $0.value.until > now }
            return body(&state)
        }
    }
}
