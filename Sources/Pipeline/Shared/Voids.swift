import Catalog
import FoundationEssentials
import Objects
import Synchronization

/// When sources were purged from the shared store. What was resolved before counts as missing, so
/// that a purge of a billion items is one object. Nodes look once a minute, and when they follow such
/// a purge.
///
/// The objects are `p/SCOPE/MILLISECONDS` without content; the scope is a source or `all`.
final class Voids: Sendable {
    private struct State {
        var dates: [String: Date] = [:]
        var readAt: ContinuousClock.Instant?
    }

    private static let prefix = "p/"
    private static let all = "all"
    static let life: Duration = .seconds(60)

    private let state = Mutex(State())

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

    /// Adds a purge of a source, or of everything, and removes the earlier ones.
    func add(_ source: String?, at date: Date, _ objects: SharedObjects) async throws {
        let scope = source ?? Self.all
        let number = Int((date.timeIntervalSince1970 * 1_000).rounded(.up))
        let key = "\(Self.prefix)\(scope)/\(number)"
        _ = try await objects.put(StoredObject([]), key, .always)
        note(source, at: date)
        for entry in try await objects.list("\(Self.prefix)\(scope)/", after: nil).entries
        where entry.key < key {
            try await objects.delete(entry.key)
        }
    }

    /// Another node has purged a source, or everything: the next look reads the purges again, and not
    /// a minute later.
    func expire() { state.withLock { $0.readAt = nil } }

    private func note(_ source: String?, at date: Date) {
        state.withLock { state in
            let known = state.dates[source ?? Self.all] ?? .distantPast
            state.dates[source ?? Self.all] = max(known, date)
        }
    }

    private func read(_ objects: SharedObjects) async throws(ObjectError) {
        for entry in try await objects.list(Self.prefix, after: nil).entries {
            let parts = entry.key.split(separator: "/")
            guard parts.count == 3, let number = Double(parts[2]) else { continue }
            note(
                parts[1] == Self.all ? nil : String(parts[1]),
                at: Date(timeIntervalSince1970: number / 1_000))
        }
    }
}
