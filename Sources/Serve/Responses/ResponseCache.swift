import Catalog
import FoundationEssentials
import Memory
import Pipeline
import Threads

/// Responses that were made before, and are sent again as long as they live (``ResponseLife``). Any thread.
final class ResponseCache<Key: Hashable & Sendable, Content: Sendable>: Sendable {
    /// A response that has just been made.
    struct Made: Sendable {
        var content: Content
        /// Bytes that it takes in memory; nil if it is not kept.
        var cost: Int?
        /// Until when it may be sent on after its first second.
        var lastAt = Date.distantPast
        var isStale = false
        /// Returns false once it must not be sent. Takes no lock and doesn't wait.
        var holds: @Sendable () -> Bool = { true }
    }

    /// Gets the content that was made last, whether or not it may be sent. Kept with what it makes, so it
    /// must not own the cache.
    typealias Make = @Sendable (_ last: Content?) async throws(Failure) -> Made

    final class Entry: Sendable {
        let content: Content
        let life: ResponseLife
        fileprivate let key: Key

        fileprivate init(_ key: Key, _ content: Content, _ life: ResponseLife) {
            self.key = key
            self.content = content
            self.life = life
        }
    }

    /// Requests that come after a change of the generation don't join.
    private struct Making: Hashable {
        var key: Key
        var generation: Int
    }

    private let present: ResponseLife.Present
    private let tier: MemoryTier<Key, Entry>
    private let removals = Counter()
    private let underway = InFlight<Making, Void, Result<Entry, any Error>> { _, _ in true }

    init(_ present: ResponseLife.Present, bytes: Int, count: Int) {
        self.present = present
        tier = MemoryTier(
            maxCost: bytes, maxCount: count,
            onRemoval: { [removals] entry in
                entry.life.remove()
                removals.add()
            })
    }

    /// Responses that were removed or replaced since the start.
    var removed: Int { removals.value }

    /// Returns the response if it may be sent. Renews nothing and doesn't wait.
    func current(_ key: Key) -> Entry? {
        tier.value(key).flatMap { $0.life.isCurrent(present) ? $0 : nil }
    }

    /// Returns the response, and whether it is new. If no response can be sent, `make` makes one, and
    /// requests for the same response share one call.
    ///
    /// - Throws: ``Failure`` of `make`; of kind `canceled` if the request was canceled.
    func entry(
        _ key: Key, _ make: @escaping Make
    ) async throws(Failure) -> (entry: Entry, isNew: Bool) {
        if let entry = tier.value(key) {
            let isToSend =
                entry.life.beginsRenewal(at: present.now())
                ? entry.life.confirm(present) : entry.life.isCurrent(present)
            if isToSend { return (entry, false) }
        }
        return (try await made(key, make), true)
    }

    private func made(_ key: Key, _ make: @escaping Make) async throws(Failure) -> Entry {
        let making = Making(key: key, generation: present.generation())
        return try await Failure.catching { [self] in
            try await underway.made(for: making) { [self] in
                try await newEntry(making, make)
            }.value
        }
    }

    private func newEntry(
        _ making: Making, _ make: @escaping Make
    ) async throws(Failure) -> Entry {
        let (key, mark) = (making.key, present.mark())
        let made = try await make(tier.value(key)?.content)
        let life = ResponseLife(
            // Its age counts from here, or a busy machine would never send one twice.
            .init(generation: making.generation, mark: mark, madeAt: present.now()),
            until: made.lastAt, isStale: made.isStale, holds: made.holds
        ) { [weak self] life in
            // Unstructured, because the thread answers other requests meanwhile. If it fails, the next
            // request that finds none to send gets the reason.
            Task { try? await self?.renew(life, key, make) }
        }
        let entry = Entry(key, made.content, life)
        if let cost = made.cost { tier.insert(entry, for: key, cost: cost) }
        return entry
    }

    private func renew(
        _ life: ResponseLife, _ key: Key, _ make: @escaping Make
    ) async throws(Failure) {
        if !life.confirm(present) { _ = try await made(key, make) }
    }

    /// Requests that wait for a response that is being made.
    func waiting(for key: Key) -> Int {
        underway.waiting(for: Making(key: key, generation: present.generation()))
    }

    /// Removes the responses that are not sent any more. O(n).
    func removeExpired() {
        let now = present.now()
        for entry in tier.allValues where entry.life.isExpired(at: now) { tier.remove(entry.key) }
    }
}
