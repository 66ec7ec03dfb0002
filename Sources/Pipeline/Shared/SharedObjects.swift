import FoundationEssentials
import Logging
import Objects
import Store
import Synchronization

/// The shared store as the pipeline uses it: with a breaker, a limit of patience, and metrics.
final class SharedObjects: Sendable {
    typealias State = SharedBreaker.State

    private let objects: any ObjectStore
    private let metrics: PipelineMetrics
    private let logger: Logger
    /// How long a request of a client waits.
    private let patience: Duration
    private let time: @Sendable () -> SharedBreaker.Instant
    private let breaker = Mutex(SharedBreaker())

    /// - Parameter time: the clock of the breaker.
    init(
        _ objects: any ObjectStore, patience: Duration, metrics: PipelineMetrics, logger: Logger,
        time: @escaping @Sendable () -> SharedBreaker.Instant = { .now }
    ) {
        self.objects = objects
        self.patience = patience
        self.metrics = metrics
        self.logger = logger
        self.time = time
    }

    var state: State { breaker.withLock { $0.state(at: time()) } }

    /// What a client's request finds.
    enum Reading: Sendable {
        case found([UInt8])
        case missing
        /// The store is down, slow or resting.
        case unavailable
    }

    /// Reads an object for a request of a client, which doesn't wait for a store that is slow or
    /// down.
    ///
    /// - Throws: `CancellationError`.
    func read(_ key: String, limit: Int) async throws -> Reading {
        guard breaker.withLock({ $0.admit(at: time()) }) else {
            metrics.shared("get", "skipped", .zero)
            return .unavailable
        }
        do throws(ObjectError) {
            let answer = try await withPatience { [self] () throws(ObjectError) in
                try await operation("get") { () throws(ObjectError) in
                    try await objects.get(Self.key(key), limit: limit)
                }
            }
            guard let answer else {
                note(.unavailable(reason: "It didn't answer within \(patience)."))
                return .unavailable
            }
            breaker.withLock { $0.succeeded() }
            return answer.map { .found($0) } ?? .missing
        } catch {
            note(error)
            if case .tooLarge = error { return .found([]) }
            guard !Task.isCancelled else { throw CancellationError() }
            return .unavailable
        }
    }

    /// Reads an object for work that no client waits for.
    func get(_ key: String, limit: Int) async throws(ObjectError) -> [UInt8]? {
        try await noting("get") { () throws(ObjectError) in
            try await objects.get(Self.key(key), limit: limit)
        }
    }

    func head(_ key: String) async throws(ObjectError) -> ObjectHead? {
        try await noting("head") { () throws(ObjectError) in
            try await objects.head(Self.key(key))
        }
    }

    var keepsExisting: Bool { objects.keepsExisting }

    /// Stores an object of which every writer has the same bytes. Replaces one that has others.
    func put(_ object: StoredObject, once key: String) async throws(ObjectError) -> PutOutcome {
        guard try await put(object, key, .ifAbsent) == .existed else { return .stored }
        let known = try await head(key)
        guard let known, known.byteCount == object.bytes.count,
            known.sha256.map({ $0 == object.sha256 }) ?? true
        else {
            metrics.sharedWrong()
            logger.warning(
                "an object of the shared store was wrong and is replaced",
                metadata: [
                    "key": "\(key)"
                ])
            return try await put(object, key, .always)
        }
        return .existed
    }

    func put(
        _ object: StoredObject, _ key: String, _ condition: PutCondition
    ) async throws(ObjectError) -> PutOutcome {
        try await noting("put") { () throws(ObjectError) in
            try await objects.put(object, Self.key(key), condition)
        }
    }

    func delete(_ key: String) async throws(ObjectError) {
        try await noting("delete") { () throws(ObjectError) in
            try await objects.delete(Self.key(key))
        }
    }

    func list(
        _ prefix: String, after: String?, limit: Int = 1_000
    ) async throws(ObjectError) -> ObjectList {
        try await noting("list") { () throws(ObjectError) in
            try await objects.list(prefix: prefix, after: after, limit: limit)
        }
    }

    /// Moves a wrong object aside, so that the next writer finds its key free.
    func quarantine(_ key: String, _ bytes: [UInt8], reason: String) async {
        metrics.sharedWrong()
        logger.warning(
            "an object of the shared store is wrong and is made again",
            metadata: ["key": "\(key)", "reason": "\(reason)"])
        do throws(ObjectError) {
            if !bytes.isEmpty {
                _ = try await put(StoredObject(bytes), SharedKeys.quarantine + key, .always)
            }
            try await delete(key)
        } catch {
            // Its next reader finds it again.
            logger.warning("it could not be moved aside", metadata: ["error": "\(error)"])
        }
    }

    func note(purgeFromTheFuture key: String) {
        logger.warning(
            "a purge has a date from the future and is ignored; correct the clocks, then repeat it",
            metadata: ["key": "\(key)"])
    }

    /// Logs that it is not known whether an upload has put a purged item back.
    func note(late item: String, _ error: ObjectError) {
        logger.warning(
            "the shared store can't be asked whether it has a purged item again; repeat the purge",
            metadata: ["item": "\(item)", "error": "\(error)"])
    }

    private static func key(_ text: String) throws(ObjectError) -> ObjectKey {
        guard let key = ObjectKey(text) else {
            throw .misconfigured(reason: "“\(text)” can't be a key.")
        }
        return key
    }

    private func noting<Value>(
        _ name: String, _ body: () async throws(ObjectError) -> Value
    ) async throws(ObjectError) -> Value {
        do throws(ObjectError) {
            let value = try await operation(name, body)
            breaker.withLock { $0.succeeded() }
            return value
        } catch {
            note(error)
            throw error
        }
    }

    private func note(_ error: ObjectError) {
        let before = state
        switch error {
        case .unavailable, .forbidden, .misconfigured:
            breaker.withLock { $0.failed(at: time()) }
        // The store is fine.
        case .damaged, .tooLarge: breaker.withLock { $0.succeeded() }
        case .canceled: breaker.withLock { $0.canceled() }
        }
        if before == .closed, state != .closed {
            logger.warning(
                "the shared store is not asked for a while; this node works without it",
                metadata: ["error": "\(error)"])
        }
    }

    private func operation<Value>(
        _ name: String, _ body: () async throws(ObjectError) -> Value
    ) async throws(ObjectError) -> Value {
        let start = ContinuousClock.now
        do throws(ObjectError) {
            let value = try await body()
            metrics.shared(name, "ok", start.duration(to: .now))
            return value
        } catch {
            metrics.shared(name, error.word, start.duration(to: .now))
            throw error
        }
    }

    /// Returns nil, and cancels the work, if it takes longer.
    private func withPatience<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(ObjectError) -> Value
    ) async throws(ObjectError) -> Value? {
        let first = await withTaskGroup(of: Result<Value, ObjectError>?.self) { group in
            group.addTask {
                do throws(ObjectError) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [patience] in
                // Canceled when the work was faster.
                try? await Task.sleep(for: patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if Task.isCancelled { throw .canceled }
        return try first?.get()
    }
}
