package import Catalog
package import FoundationEssentials
import Memory
import Synchronization

/// The items of a warm run.
package enum WarmScope: Sendable {
    case items([Item])
    /// Each query is one page. `following` continues with the next pages up to the limit. Only items that
    /// match the filter count.
    case pages([ListQuery], following: Bool, CatalogFilter? = nil)
    /// Returns the next items, such as those of the next lines of a file; nil after the last.
    case stream(@Sendable () async throws -> [Item]?)
}

/// A page that was read from the store because its source could not be read.
package struct StalePage: Sendable, Equatable, Codable {
    /// As in the URL of the page: `tvmaze/shows?page=0`.
    package var page: String
    package var fetchedAt: Date
}

/// The items of a run as they become known: pages are read while earlier items are warmed, and the
/// reader waits when enough items are queued.
final class WarmItems: AsyncSequence, Sendable {
    typealias Element = Item
    typealias Failure = any Error

    /// Several pages of the longest list.
    private static let queued = 1_000

    private struct Known {
        var count = 0
        var isAll = false
        var stalePages: [StalePage] = []
    }

    /// Shared with the reading task, which must not keep the items alive.
    private final class Reading: Sendable {
        let queue: WarmQueue
        let known = Mutex(Known())

        init(limit: Int) { queue = WarmQueue(limit: limit) }
    }

    private let reading: Reading
    private let task: Task<Void, Never>

    /// Number of items; nil until all pages are read.
    var total: Int? { reading.known.withLock { $0.isAll ? $0.count : nil } }
    /// Number of items that are known so far, and of those that the run did not take yet.
    var listed: (count: Int, waiting: Int) {
        (reading.known.withLock { $0.count }, reading.queue.count)
    }
    var stalePages: [StalePage] { reading.known.withLock { $0.stalePages } }

    /// - Parameter limit: limit of items; nil for no limit.
    init(_ scope: WarmScope, limit: Int?, of catalog: CatalogReader) {
        let reading = Reading(limit: Self.queued)
        self.reading = reading
        task = Task {
            do {
                try await Self.read(scope, limit ?? .max, catalog, reading)
                reading.known.withLock { $0.isAll = true }
                reading.queue.finish(.success(()))
            } catch {
                reading.queue.finish(.failure(error))
            }
        }
    }

    deinit { close() }

    /// Stops reading.
    func close() {
        task.cancel()
        reading.queue.close()
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let queue: WarmQueue

        func next() async throws -> Item? { try await queue.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: reading.queue) }

    /// Reads the items. An item on several pages counts once.
    private static func read(
        _ scope: WarmScope, _ limit: Int, _ catalog: CatalogReader, _ reading: Reading
    ) async throws {
        var seen = SeenItems()
        var count = 0
        func add(_ items: [Item]) async throws {
            var new: [Item] = []
            for item in items where count < limit && seen.insert(item) {
                new.append(item)
                count += 1
            }
            let added = new.count
            reading.known.withLock { $0.count += added }
            try await reading.queue.push(new)
        }
        switch scope {
        case .items(let items):
            for start in stride(from: 0, to: items.count, by: queued) {
                try await add(Array(items[start..<Swift.min(start + queued, items.count)]))
            }
        case .stream(let next):
            while count < limit, let items = try await next() {
                try Task.checkCancellation()
                try await add(items)
            }
        case .pages(var queries, let following, let filter):
            while !queries.isEmpty, count < limit {
                try Task.checkCancellation()
                let query = queries.removeFirst()
                // Clients' calls of the same host go first.
                let page = try await Urgency.$current.withValue(Urgency()) {
                    try await catalog.page(query)
                }
                if page.isStale {
                    let stale = StalePage(page: page.query.key, fetchedAt: page.fetchedAt)
                    reading.known.withLock { $0.stalePages.append(stale) }
                }
                if page.isPastEnd { return }
                let entries = page.items.map(\.entry)
                try await add(
                    (filter.map { entries.filter($0.matches) } ?? entries).map(\.item))
                if following, queries.isEmpty, let next = page.next { queries.append(next) }
            }
        }
    }
}
