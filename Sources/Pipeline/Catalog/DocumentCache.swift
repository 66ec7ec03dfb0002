import Catalog
import FoundationEssentials
import Store
import Synchronization

/// Documents of the catalogs with a clock: in memory, and on disk where wanted. A document is replaced
/// only by one that arrived; while its source can't be asked the old one is used, stale.
struct DocumentCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A document and its clock.
    struct Timed: Sendable {
        var value: Value
        var fetchedAt: Date
        var expiresAt: Date
    }

    struct Answer: Sendable {
        var document: Timed
        var isStale = false
        /// Whether the source was asked for it.
        var wasAsked = false
        /// Whether that was because the one before was too old.
        var isRenewed = false
        /// Whether it was asked for another request.
        var wasJoined = false

        var outcome: CacheOutcome {
            if isStale { return .stale }
            guard wasAsked else { return .hit }
            return wasJoined ? .collapsed : isRenewed ? .renewed : .miss
        }
    }

    private struct Remembered: Sendable {
        var error: Failure
        var until: Date
    }

    private let index: Index
    private let form: DocumentForm<Key, Value>
    private let now: @Sendable () -> Date
    private let memory: MemoryTier<Key, Timed>
    private let failures: MemoryTier<Key, Remembered>
    /// The order is whether the document has to be complete; a call that only looks for any can't
    /// promise that.
    private let inFlight = InFlight<Key, Bool, Result<Answer, any Error>> { $0 || !$1 }
    /// Counts calls of ``forget(_:)``: what was read before one is not kept in memory after it.
    private let epoch = Epoch()

    private final class Epoch: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .acquiring) }
        func advance() { count.add(1, ordering: .acquiringAndReleasing) }
    }

    /// - Parameters:
    ///   - maxCost: bounds the documents in memory by their cost. One that costs over a quarter of it
    ///     is not kept there.
    ///   - maxCount: bounds their number.
    init(
        index: Index, maxCost: Int, maxCount: Int, form: DocumentForm<Key, Value>,
        now: @escaping @Sendable () -> Date
    ) {
        self.index = index
        self.form = form
        self.now = now
        memory = MemoryTier(maxCost: maxCost, maxCount: maxCount)
        failures = MemoryTier(maxCost: 4_096, maxCount: 4_096)
    }

    /// The same for documents that cost 1 each: `count` bounds those in memory.
    init(
        index: Index, count: Int, form: DocumentForm<Key, Value>,
        now: @escaping @Sendable () -> Date
    ) {
        // Nothing that costs over a quarter of the bound is kept.
        self.init(
            index: index, maxCost: max(count, 4), maxCount: max(count, 4), form: form, now: now)
    }

    /// The fresh document, or a stale one where `read` says that its source is unavailable or refuses
    /// the credentials. Where it has to be complete, a fresh one that isn't counts as stale.
    ///
    /// `arrived` keeps what came, once for all that wait for it.
    func value(
        for key: Key, complete: Bool = false,
        read: @escaping @Sendable () async throws(Failure) -> Value,
        arrived: @escaping @Sendable (Value) async throws -> Void = { _ in }
    ) async throws -> Answer {
        if let known = memory.value(key), isGood(known, key, complete) {
            return Answer(document: known)
        }
        let landing = await inFlight.value(for: key, complete) { [self] _ in
            do {
                let answer = try await readThrough(key, complete, read)
                let value = answer.document.value
                if answer.wasAsked, !answer.isStale, form.isKept(value) { try await arrived(value) }
                return .success(answer)
            } catch {
                return .failure(error)
            }
        }
        guard let landing else { throw CancellationError() }
        var answer = try landing.value.get()
        answer.wasJoined = landing.joined
        return answer
    }

    /// A stored document that is no longer good, but could stand in for a new one; `nil` where the
    /// stored one is good, where there is none, and where it would leave out what is asked for.
    func outdated(_ key: Key, complete: Bool = false) async throws -> Timed? {
        if isAtHand(key, complete: complete) { return nil }
        guard let known = try await known(key), !complete || form.isComplete(known.value),
            !isGood(known, key, complete) || !form.isWhole(known.value)
        else { return nil }
        return known
    }

    /// The documents that are stored, good or not, by one query; the source is not asked.
    func stored(_ keys: [Key]) async throws -> [Key: Answer] {
        var found: [Key: Timed] = [:]
        var onDisk: [String: Key] = [:]
        for key in keys {
            if let known = memory.value(key) {
                found[key] = known
            } else {
                onDisk[form.diskKey(key)] = key
            }
        }
        for record in try await index.documents(Array(onDisk.keys)) {
            guard let key = onDisk[record.key] else { continue }
            found[key] = timed(record)
        }
        return found.mapValues { Answer(document: $0, isStale: $0.expiresAt <= now()) }
    }

    /// Whether a failed or slow call is remembered, so that asking again is not worth waiting for.
    func isGivenUp(_ key: Key) -> Bool {
        failures.value(key).map { $0.until > now() } ?? false
    }

    /// Remembers that the source was too slow to be waited for.
    func giveUp(_ key: Key) {
        let error = Failure.unavailable(reason: "The source is too slow.", timedOut: true)
        failures.insert(
            Remembered(error: error, until: now().addingTimeInterval(form.failureLifetime)),
            for: key, cost: 1)
    }

    /// Whether a good document is in memory.
    func isAtHand(_ key: Key, complete: Bool = false) -> Bool {
        memory.value(key).map { isGood($0, key, complete) } ?? false
    }

    /// Keeps documents that came with others, in one transaction.
    func keep(_ values: [(key: Key, value: Value, onDisk: Bool)]) async throws {
        let at = now()
        var records: [DocumentRecord] = []
        for (key, value, onDisk) in values {
            let timed = Timed(
                value: value, fetchedAt: at,
                expiresAt: at.addingTimeInterval(form.timeToLive(key)))
            memory.insert(timed, for: key, cost: form.cost(value))
            if onDisk, let record = record(key, timed) { records.append(record) }
        }
        try await write(records)
    }

    /// Moves the end of life of a document, in memory and, where it is kept there, on disk.
    func renew(_ key: Key, _ known: Timed, until end: Date) async throws {
        var renewed = known
        renewed.expiresAt = end
        memory.insert(renewed, for: key, cost: form.cost(renewed.value))
        try await write([record(key, renewed)].compactMap(\.self))
    }

    /// Callers that wait for that document now.
    func waiting(for key: Key) -> Int { inFlight.waiting(for: key) }

    /// Lets go of what is in memory of those documents, failures included; `isUnwanted` is asked by
    /// the key on disk.
    func forget(_ isUnwanted: (_ diskKey: String) -> Bool) {
        epoch.advance()
        memory.removeAll { isUnwanted(form.diskKey($0)) }
        failures.removeAll { isUnwanted(form.diskKey($0)) }
    }

    private func isGood(_ known: Timed, _ key: Key, _ complete: Bool) -> Bool {
        known.expiresAt > now() && isCredible(known, key)
            && (!complete || form.isComplete(known.value))
    }

    /// Whether its clock can be that of now: one that was ahead gives dates of the future.
    private func isCredible(_ known: Timed, _ key: Key) -> Bool {
        let soon = now().addingTimeInterval(FreshnessPolicy.tolerance)
        return known.fetchedAt <= soon
            && known.expiresAt <= soon.addingTimeInterval(form.timeToLive(key))
    }

    private func readThrough(
        _ key: Key, _ complete: Bool, _ read: @Sendable () async throws(Failure) -> Value
    ) async throws -> Answer {
        let epoch = self.epoch.value
        let known = try await known(key)
        if let known, isGood(known, key, complete), form.isWhole(known.value) {
            // A newer one, or a purge, may have come meanwhile.
            memory.insert(known, for: key, cost: form.cost(known.value)) { newer in
                newer == nil && self.epoch.value == epoch
            }
            return Answer(document: known)
        }
        if let remembered = failures.value(key), remembered.until > now() {
            guard let known else { throw remembered.error }
            return Answer(document: known, isStale: true)
        }
        do throws(Failure) {
            let value = try await read()
            let at = now()
            guard form.isKept(value) else {
                let passing = Timed(value: value, fetchedAt: at, expiresAt: at)
                return Answer(document: passing, wasAsked: true)
            }
            let fresh = Timed(
                value: value, fetchedAt: at, expiresAt: at.addingTimeInterval(form.timeToLive(key)))
            memory.insert(fresh, for: key, cost: form.cost(value))
            let isRenewed = known.map { $0.expiresAt <= at } ?? false
            return Answer(document: fresh, wasAsked: true, isRenewed: isRenewed)
        } catch {
            guard error.leavesOpen else { throw error }
            failures.insert(
                Remembered(error: error, until: now().addingTimeInterval(form.failureLifetime)),
                for: key, cost: 1)
            guard let known else { throw error }
            return Answer(document: known, isStale: true, wasAsked: true)
        }
    }

    private func known(_ key: Key) async throws -> Timed? {
        if let known = memory.value(key) { return known }
        return try await index.document(form.diskKey(key)).flatMap(timed)
    }

    private func timed(_ record: DocumentRecord) -> Timed? {
        guard let value = form.decode(record.body) else { return nil }
        return Timed(value: value, fetchedAt: record.fetchedAt, expiresAt: record.expiresAt)
    }

    private func record(_ key: Key, _ timed: Timed) -> DocumentRecord? {
        guard let body = form.encode(timed.value) else { return nil }
        return DocumentRecord(
            key: form.diskKey(key), body: body, fetchedAt: timed.fetchedAt,
            expiresAt: timed.expiresAt)
    }

    private func write(_ records: [DocumentRecord]) async throws {
        guard !records.isEmpty else { return }
        try await index.record(documents: records)
    }
}
