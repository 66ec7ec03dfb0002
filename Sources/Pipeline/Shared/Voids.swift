import Catalog
import FoundationEssentials
import Objects
import Synchronization

/// When sources were purged from the shared store. What was resolved before counts as missing, so
/// that a purge of a billion items is one object. Nodes look once a minute, and when they follow such
/// a purge.
///
/// The objects are `p/SCOPE/MILLISECONDS` without content; the scope is a source or `all`. Their dates are
/// those of the store. The milliseconds are by the clock of the node that purged, which may be wrong.
final class Voids: Sendable {
    private struct State {
        var dates: [String: Date] = [:]
        var readAt: ContinuousClock.Instant?
        /// Purges by this node. A list that was read before one of them doesn't have it.
        var added = 0
        /// Keys whose dates are not believed, of which each was told once.
        var doubted: Set<String> = []
    }

    private static let prefix = "p/"
    private static let all = "all"
    static let life: Duration = .seconds(60)
    /// Seconds by which a node's clock may differ from that of the store. Within them its milliseconds count,
    /// because stores have whole seconds.
    private static let tolerance: TimeInterval = 5
    /// Seconds by which a purge may be later than this node's clock.
    private static let longestAhead: TimeInterval = 3_600

    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// Returns the last purge that concerns an item; nil without one.
    func date(of item: Item, _ objects: SharedObjects) async throws -> Date? {
        let isOld = state.withLock { state in
            let now = ContinuousClock.now
            guard state.readAt.map({ $0.duration(to: now) > Self.life }) ?? true else {
                return false
            }
            // Concurrent callers use what is known.
            state.readAt = now
            return true
        }
        if isOld {
            do throws(ObjectError) {
                try await read(objects)
            } catch {
                state.withLock { $0.readAt = nil }
                if case .canceled = error { throw CancellationError() }
            }
        }
        return state.withLock { state in
            [state.dates[item.source], state.dates[Self.all]].compactMap(\.self).max()
        }
    }

    /// Adds a purge of a source, or of everything, and removes the earlier ones, and those with a date that
    /// the store hasn't reached.
    func add(_ source: String?, at date: Date, _ objects: SharedObjects) async throws {
        let scope = source ?? Self.all
        let number = Int((date.timeIntervalSince1970 * 1_000).rounded(.up))
        let key = "\(Self.prefix)\(scope)/\(number)"
        _ = try await objects.put(StoredObject([]), key, .always)
        let entries = try await objects.list("\(Self.prefix)\(scope)/", after: nil).entries
        let own = entries.first { $0.key == key }.flatMap(Self.date) ?? date
        for entry in entries where entry.key != key {
            guard let other = Self.date(entry) else { continue }
            if other <= own || other > own.addingTimeInterval(Self.longestAhead) {
                try await objects.delete(entry.key)
            }
        }
        state.withLock { state in
            state.added += 1
            state.dates[scope] = own
        }
    }

    /// Another node has purged a source, or everything: the next look reads the purges again, and not
    /// a minute later.
    func expire() { state.withLock { $0.readAt = nil } }

    /// Returns when a purge was made; nil if its key names no date.
    private static func date(_ entry: ObjectList.Entry) -> Date? {
        let parts = entry.key.split(separator: "/")
        guard parts.count == 3, let number = Double(parts[2]) else { return nil }
        let named = Date(timeIntervalSince1970: number / 1_000)
        guard let stored = entry.modifiedAt, abs(named.timeIntervalSince(stored)) > tolerance
        else { return named }
        // What was resolved in the same second may be older.
        return stored.addingTimeInterval(1)
    }

    private func read(_ objects: SharedObjects) async throws(ObjectError) {
        let added = state.withLock { $0.added }
        let entries = try await objects.list(Self.prefix, after: nil).entries
        let latest = now().addingTimeInterval(Self.longestAhead)
        var dates: [String: Date] = [:]
        for entry in entries {
            guard let date = Self.date(entry) else { continue }
            if date > latest {
                doubt(entry, objects)
                continue
            }
            let scope = String(entry.key.split(separator: "/")[1])
            dates[scope] = max(dates[scope] ?? .distantPast, date)
        }
        state.withLock { [dates] state in
            state.dates =
                state.added == added ? dates : state.dates.merging(dates) { max($0, $1) }
        }
    }

    private func doubt(_ entry: ObjectList.Entry, _ objects: SharedObjects) {
        let isNew = state.withLock {
            $0.doubted.count < 1_000 && $0.doubted.insert(entry.key).inserted
        }
        if isNew { objects.note(purgeFromTheFuture: entry.key) }
    }
}
