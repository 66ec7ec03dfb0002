import Catalog
import FoundationEssentials
import Memory
import Store
import Threads

/// A document and its freshness.
struct Timed<Value: Sendable>: Sendable {
    var value: Value
    var fetchedAt: Date
    var expiresAt: Date
}

extension Timed: Equatable where Value: Equatable {}

extension Timed: Codable where Value: Codable {}

/// Catalog documents with their freshness, in memory and on disk.
///
/// Only a newly read document replaces a stored one. While its source is unreachable, the stored
/// one is used, stale.
struct DocumentCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    struct Answer: Sendable {
        var document: Timed<Value>
        var isStale = false
        /// Whether the source was asked for it.
        var wasAsked = false
        /// Whether the source was asked because the stored document had expired.
        var isRenewed = false
        /// Whether another request had asked the source already.
        var wasJoined = false

        var outcome: CacheOutcome {
            if isStale { return .stale }
            guard wasAsked else { return .hit }
            return wasJoined ? .collapsed : isRenewed ? .renewed : .miss
        }
    }

    /// Why callers don't wait for a call now.
    private struct Pause: Sendable {
        /// Of the last call; nil if that one is too slow, and continues.
        var failure: Failure?
        var until: Date
    }

    private let index: Index
    private let form: DocumentForm<Key, Value>
    private let now: @Sendable () -> Date
    private let memory: MemoryTier<Key, Timed<Value>>
    private let pauses: MemoryTier<Key, Pause>
    /// The order is whether the document must be complete. A read for any document can't be joined
    /// by a caller that needs a complete one.
    private let inFlight = InFlight<Key, Bool, Result<Answer, any Error>> { $0 || !$1 }
    /// Counts calls of ``forget(_:)``. A document that was loaded before one is not put into memory
    /// after it.
    private let epoch = Counter()

    /// - Parameter bytes: Limit of everything that is kept in memory. A document of more than a quarter of
    ///   it is not kept there.
    init(
        index: Index, bytes: Int, form: DocumentForm<Key, Value>,
        now: @escaping @Sendable () -> Date
    ) {
        self.index = index
        self.form = form
        self.now = now
        // What failed is short, and remembered for seconds.
        let failed = bytes / 8
        memory = Self.tier(bytes - failed)
        pauses = Self.tier(failed)
    }

    private static func tier<Kept: Sendable>(_ bytes: Int) -> MemoryTier<Key, Kept> {
        MemoryTier(maxCost: bytes, maxCount: bytes / Self.entryBytes)
    }

    /// Bytes of an entry besides its key and its document: a share of the tables and the order, and dates.
    private static var entryBytes: Int { 256 }

    private func cost(_ key: Key, _ value: Value) -> Int { cost(key) + form.cost(value) }

    private func cost(_ key: Key) -> Int {
        // The key and its name on disk hold the same texts.
        Self.entryBytes + form.diskKey(key).utf8.count
    }

    /// Bytes of what is kept in memory.
    var bytes: Int { memory.cost + pauses.cost }

    /// Returns the fresh document, or a stale one if `read` fails because its source is unavailable
    /// or rejects the credentials. If it must be complete, a fresh incomplete one counts as stale.
    ///
    /// A document that was read is stored once for all callers that wait for it.
    ///
    /// - Parameter parts: stores the documents that are part of a document that was read.
    /// - Throws: what `read` throws if no document is stored; ``StoreError``; `CancellationError`.
    func value(
        for key: Key, complete: Bool = false,
        read: @escaping @Sendable () async throws(Failure) -> Value,
        parts: @escaping @Sendable (Value) async throws -> Void = { _ in }
    ) async throws -> Answer {
        if let known = memory.value(key), isGood(known, key, complete) {
            return Answer(document: known)
        }
        var (answer, joined) = try await inFlight.made(for: key, complete) { [self] _ in
            try await Claims.withPatience {
                // Another process may read the same document. Then it is on disk afterwards.
                let claim = try await index.claims.claim("document:" + form.diskKey(key))
                defer { withExtendedLifetime(claim) {} }
                let answer = try await readThrough(key, complete, read)
                let document = answer.document
                if answer.wasAsked, !answer.isStale, form.isKept(document.value) {
                    try await parts(document.value)
                    try await keep(key, document)
                }
                return answer
            }
        }
        answer.wasJoined = joined
        return answer
    }

    /// Returns a stored document that has expired but can be used instead of a new one. Returns
    /// `nil` if the stored one is good, if none is stored, and if the stored one is not complete
    /// enough.
    func outdated(_ key: Key, complete: Bool = false) async throws -> Timed<Value>? {
        if isAtHand(key, complete: complete) { return nil }
        guard let known = try await known(key), !complete || form.isComplete(known.value),
            !isGood(known, key, complete) || !form.isWhole(known.value)
        else { return nil }
        return known
    }

    /// Returns the stored documents, fresh or not, with one query. No source is asked.
    func stored(_ keys: [Key]) async throws -> [Key: Answer] {
        var found: [Key: Timed<Value>] = [:]
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

    /// Returns whether a failed or slow call is remembered, so that callers shouldn't wait for
    /// another.
    func isGivenUp(_ key: Key) -> Bool {
        pauses.value(key).map { $0.until > now() } ?? false
    }

    /// Remembers that callers shouldn't wait for the call that is under way.
    func giveUp(_ key: Key) { pause(key, nil) }

    private func pause(_ key: Key, _ failure: Failure?) {
        let pause = Pause(
            failure: failure, until: now().addingTimeInterval(form.failureLifetime))
        // A call that has failed meanwhile says more than that it is slow.
        pauses.insert(pause, for: key, cost: cost(key)) { known in
            failure != nil || known?.failure == nil || known.map { $0.until <= now() } ?? true
        }
    }

    /// Returns whether a good document is in memory.
    func isAtHand(_ key: Key, complete: Bool = false) -> Bool {
        memory.value(key).map { isGood($0, key, complete) } ?? false
    }

    /// Stores documents that were part of another document, in one transaction.
    func keep(_ values: [(key: Key, value: Value, onDisk: Bool)]) async throws {
        let at = now()
        var records: [DocumentRecord] = []
        for (key, value, onDisk) in values {
            let timed = Timed(
                value: value, fetchedAt: at,
                expiresAt: at.addingTimeInterval(form.timeToLive(key)))
            memory.insert(timed, for: key, cost: cost(key, value))
            if onDisk, let record = record(key, timed) { records.append(record) }
        }
        try await write(records)
    }

    /// Puts documents that another node read into memory, unless fresh ones are stored.
    func learn(_ documents: [(key: Key, document: Timed<Value>)]) async throws {
        let epoch = self.epoch.value
        let stored = try await stored(documents.map(\.key))
        for (key, document) in documents where isGood(document, key, false) {
            if let known = stored[key]?.document, isGood(known, key, false) { continue }
            memory.insert(document, for: key, cost: cost(key, document.value)) { newer in
                (newer.map { $0.fetchedAt < document.fetchedAt } ?? true)
                    && self.epoch.value == epoch
            }
        }
    }

    /// Changes the expiry of a document, in memory and on disk.
    func renew(_ key: Key, _ known: Timed<Value>, until end: Date) async throws {
        var renewed = known
        renewed.expiresAt = end
        try await keep(key, renewed)
    }

    /// Puts a document into memory and, if its form says so, on disk.
    private func keep(_ key: Key, _ document: Timed<Value>) async throws {
        memory.insert(document, for: key, cost: cost(key, document.value))
        try await write([record(key, document)].compactMap(\.self))
    }

    /// Number of callers that wait for that document now.
    func waiting(for key: Key) -> Int { inFlight.waiting(for: key) }

    /// Removes documents and remembered failures from memory. `isUnwanted` gets the key on disk.
    func forget(_ isUnwanted: (_ diskKey: String) -> Bool) {
        epoch.add()
        memory.removeAll { isUnwanted(form.diskKey($0)) }
        pauses.removeAll { isUnwanted(form.diskKey($0)) }
    }

    private func isGood(_ known: Timed<Value>, _ key: Key, _ complete: Bool) -> Bool {
        known.expiresAt > now() && isCredible(known, key)
            && (!complete || form.isComplete(known.value))
    }

    /// Returns whether the dates are plausible. A clock that was set back since leaves dates in the
    /// future.
    private func isCredible(_ known: Timed<Value>, _ key: Key) -> Bool {
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
            // A newer document or a purge may have come meanwhile.
            memory.insert(known, for: key, cost: cost(key, known.value)) { newer in
                newer == nil && self.epoch.value == epoch
            }
            return Answer(document: known)
        }
        if let pause = pauses.value(key), let failure = pause.failure, pause.until > now() {
            guard let known, form.isUsedStale(key) else { throw failure }
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
            let isRenewed = known.map { $0.expiresAt <= at } ?? false
            return Answer(document: fresh, wasAsked: true, isRenewed: isRenewed)
        } catch {
            guard error.leavesOpen else { throw error }
            pause(key, error)
            guard let known, form.isUsedStale(key) else { throw error }
            return Answer(document: known, isStale: true, wasAsked: true)
        }
    }

    /// Returns the document in memory if it is fresh, else the newer one of memory and disk: another
    /// process may have stored it.
    private func known(_ key: Key) async throws -> Timed<Value>? {
        let inMemory = memory.value(key)
        if let inMemory, isGood(inMemory, key, false) { return inMemory }
        let onDisk = try await index.document(form.diskKey(key)).flatMap(timed)
        guard let inMemory, let onDisk else { return inMemory ?? onDisk }
        return onDisk.fetchedAt > inMemory.fetchedAt ? onDisk : inMemory
    }

    private func timed(_ record: DocumentRecord) -> Timed<Value>? {
        guard let value = form.decode(record.body) else { return nil }
        return Timed(value: value, fetchedAt: record.fetchedAt, expiresAt: record.expiresAt)
    }

    private func record(_ key: Key, _ timed: Timed<Value>) -> DocumentRecord? {
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
