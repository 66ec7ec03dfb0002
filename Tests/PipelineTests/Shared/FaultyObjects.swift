import FoundationEssentials
import Objects
import Synchronization
import TestSupport

/// Objects in memory that fail as a test says.
final class FaultyObjects: ObjectStore {
    enum Fault: Sendable {
        /// Every request fails.
        case down
        /// No request is answered.
        case silent
        /// PUTs fail.
        case readOnly
    }

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var fault: Fault?
        var log: [String] = []
        var held: (key: String, operation: String?, gate: Gate)?
        var refused: (key: String, error: ObjectError)?
        var dates: [String: Date] = [:]
    }

    /// The store's clock; nil for a store that doesn't say when its objects were written.
    private let time: (@Sendable () -> Date)?

    let keepsExisting: Bool

    /// - Parameter keepsExisting: whether it knows conditional PUTs.
    init(keepsExisting: Bool = true, time: (@Sendable () -> Date)? = nil) {
        self.keepsExisting = keepsExisting
        self.time = time
    }

    private let state = Mutex(State())

    var objects: [String: [UInt8]] { state.withLock { $0.objects } }
    /// Requests so far, such as `get i/…`.
    var log: [String] { state.withLock { $0.log } }

    func set(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    /// Requests for keys that begin with that wait until the gate opens.
    ///
    /// - Parameter operation: the only one that waits, such as `put`; nil for all.
    func hold(_ key: String, _ operation: String? = nil, until gate: Gate) {
        state.withLock { $0.held = (key, operation, gate) }
    }

    /// PUTs and DELETEs for keys that begin with that fail so.
    func refuse(_ key: String, _ error: ObjectError) {
        state.withLock { $0.refused = (key, error) }
    }

    /// Requests so far that begin with that, such as `put t/`.
    func count(_ request: String) -> Int { log.count { $0.hasPrefix(request) } }

    func change(_ key: String, _ bytes: [UInt8]?) {
        state.withLock { $0.objects[key] = bytes }
    }

    /// The only object whose key begins with that.
    func only(_ prefix: String) -> (key: String, bytes: [UInt8])? {
        let found = objects.filter { $0.key.hasPrefix(prefix) }
        return found.count == 1 ? found.first.map { ($0.key, $0.value) } : nil
    }

    func put(
        _ object: StoredObject, _ key: ObjectKey, _ condition: PutCondition
    ) async throws(ObjectError) -> PutOutcome {
        try await request("put", key.text, isWrite: true) { state in
            state.dates[key.text] = time?()
            if condition == .ifAbsent, keepsExisting, state.objects[key.text] != nil {
                return .existed
            }
            state.objects[key.text] = object.bytes
            return .stored
        }
    }

    func get(_ key: ObjectKey, limit: Int) async throws(ObjectError) -> [UInt8]? {
        let bytes = try await request("get", key.text) { $0.objects[key.text] }
        if let bytes, bytes.count > limit { throw .tooLarge(limit: limit) }
        return bytes
    }

    func head(_ key: ObjectKey) async throws(ObjectError) -> ObjectHead? {
        try await request("head", key.text) { state in
            state.objects[key.text].map { ObjectHead(byteCount: $0.count) }
        }
    }

    func delete(_ key: ObjectKey) async throws(ObjectError) {
        try await request("delete", key.text, isWrite: true) { $0.objects[key.text] = nil }
    }

    func list(
        prefix: String, after: String?, limit: Int
    ) async throws(ObjectError) -> ObjectList {
        try await request("list", prefix) { state in
            let keys = state.objects.keys.filter { $0.hasPrefix(prefix) && $0 > after ?? "" }
                .sorted()
            return ObjectList(
                entries: keys.prefix(limit).map {
                    .init(
                        key: $0, byteCount: state.objects[$0]?.count ?? 0,
                        modifiedAt: state.dates[$0])
                }, isTruncated: keys.count > limit)
        }
    }

    private func request<Value: Sendable>(
        _ name: String, _ key: String, isWrite: Bool = false,
        _ body: @Sendable (inout State) -> Value
    ) async throws(ObjectError) -> Value {
        let (fault, held, refused) = state.withLock { state in
            state.log.append("\(name) \(key)")
            return (state.fault, state.held, state.refused)
        }
        stateChanged()
        if let held, key.hasPrefix(held.key), held.operation ?? name == name {
            await held.gate.wait()
        }
        if let refused, isWrite, key.hasPrefix(refused.key) { throw refused.error }
        switch fault {
        case .down: throw .unavailable(reason: "It is down.")
        case .readOnly where isWrite: throw .unavailable(reason: "It is read-only.")
        case .silent:
            await untilCanceled()
            throw .canceled
        case .readOnly, nil: break
        }
        return state.withLock { body(&$0) }
    }
}
