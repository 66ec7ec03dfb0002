import Synchronization

/// The items whose thumbnails are not evicted: pins and favorites, the oldest first, as long as
/// their thumbnails fit into the part of the budget for pins. Any thread.
///
/// Pins are few, so they are read at once and kept; other processes' pins count after the next
/// ``refresh(_:limit:)``.
package final class PinnedItems: Sendable {
    private struct State {
        /// Bytes of the thumbnails of each item.
        var bytes: [String: Int] = [:]
        var isRead = false
        var total = 0
        /// Items that don't fit.
        var left = 0
        /// Items without a thumbnail.
        var lacking: [String] = []
    }

    private let userData: UserData
    private let state = Mutex(State())
    /// Returns the name under which an item's thumbnails are kept, which changes with the rows of a list.
    private let keptName: @Sendable (String) async -> String

    init(_ userData: UserData, _ keptName: @escaping @Sendable (String) async -> String) {
        self.userData = userData
        self.keptName = keptName
    }

    package var isEmpty: Bool { state.withLock { $0.isRead && $0.bytes.isEmpty } }

    /// Bytes of all pinned thumbnails, the number of pinned items, and of those that don't fit into
    /// the part of the budget for pins.
    package var load: (bytes: Int, items: Int, unprotected: Int) {
        state.withLock { ($0.total, $0.bytes.count, $0.left) }
    }

    /// The items without a thumbnail, as they were pinned, the oldest first. As they were read last.
    var lacking: [String] { state.withLock { $0.lacking } }

    /// Returns which of these items are pinned.
    func pinned(among items: Set<String>) async throws(StoreError) -> Set<String> {
        if !state.withLock({ $0.isRead }) { try await refresh(nil, limit: .max) }
        return state.withLock { state in items.filter { state.bytes[$0] != nil } }
    }

    /// Protects an item at once, unless its thumbnails don't fit. Returns whether they do.
    func add(_ item: String, bytes: Int, limit: Int) -> Bool {
        state.withLock { state in
            let total = state.total - (state.bytes[item] ?? 0) + bytes
            guard total <= limit else { return false }
            state.total = total
            state.bytes[item] = bytes
            assert(
                total == state.bytes.values.reduce(0, +), "pins take other bytes than are counted")
            return true
        }
    }

    /// Reads the pins again, and what their thumbnails take.
    ///
    /// - Parameter limit: bytes of thumbnails that pins may protect.
    func refresh(_ index: Index?, limit: Int) async throws(StoreError) {
        var fresh = State()
        fresh.isRead = true
        for named in try await userData.protectedItems() {
            let item = await keptName(named)
            if fresh.bytes[item] != nil { continue }
            let bytes = try await index?.thumbnailBytes(ofItem: item) ?? 0
            if bytes == 0 { fresh.lacking.append(named) }
            if fresh.total + bytes > limit {
                fresh.left += 1
            } else {
                fresh.bytes[item] = bytes
                fresh.total += bytes
            }
        }
        assert(fresh.total <= limit || fresh.bytes.isEmpty, "pins take more than they may")
        let found = fresh
        state.withLock { $0 = found }
    }
}
