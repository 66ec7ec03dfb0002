package import Catalog
import Synchronization
import Threads

/// The items of a run, each once, as they become known: pages are read while earlier items are made, and
/// the reading waits when enough items are ahead.
package final class WarmItems: AsyncSequence, Sendable {
    package typealias Element = Item
    package typealias Failure = any Error

    /// Several pages of the longest list.
    private static let most = 1_000

    private struct Known {
        var count = 0
        var taken = 0
        /// Items that are read and not in the iterator yet.
        var ahead = 0
        var isAll = false
        var stalePages: [StalePage] = []
    }

    private let scope: WarmScope
    private let limit: Int
    private let catalog: CatalogReader
    private let known = Mutex(Known())
    private let (batches, batch) = AsyncThrowingStream<[Item], any Error>.makeStream()
    /// Wakes the reading when items were taken.
    private let (turns, turn) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Number of items; nil until all pages are read.
    var total: Int? { known.withLock { $0.isAll ? $0.count : nil } }
    /// Number of items that are known so far, and of those that were not taken yet.
    var listed: (count: Int, waiting: Int) {
        known.withLock { ($0.count, $0.count - $0.taken) }
    }
    var stalePages: [StalePage] { known.withLock { $0.stalePages } }

    private init(_ scope: WarmScope, limit: Int?, _ catalog: CatalogReader) {
        self.scope = scope
        self.limit = limit ?? .max
        self.catalog = catalog
    }

    /// Calls `body` with the items of a request, which are read until it returns.
    static func with<Value>(
        _ request: WarmRequest, of catalog: CatalogReader,
        _ body: (WarmItems) async throws -> Value
    ) async throws -> Value {
        let items = WarmItems(request.scope, limit: request.limit, catalog)
        async let _ = items.read()
        return try await body(items)
    }

    private func read() async {
        do {
            try await readAll()
            known.withLock { $0.isAll = true }
            batch.finish()
        } catch {
            batch.finish(throwing: error)
        }
    }

    private func readAll() async throws {
        var seen = SeenItems()
        switch scope {
        case .items(let items):
            for start in stride(from: 0, to: items.count, by: Self.most) {
                let end = Swift.min(start + Self.most, items.count)
                guard try await add(items[start..<end], &seen) else { return }
            }
        case .stream(let open):
            let next = try await open()
            while let items = try await next() {
                guard try await add(items, &seen) else { return }
            }
        case .pages(var queries, let following, let filter):
            while !queries.isEmpty {
                let query = queries.removeFirst()
                // Clients' calls of the same host go first.
                let page = try await Urgency.$current.withValue(Urgency()) {
                    try await catalog.page(query)
                }
                if page.isStale {
                    let stale = StalePage(page: page.query.key, fetchedAt: page.fetchedAt)
                    known.withLock { $0.stalePages.append(stale) }
                }
                if page.isPastEnd { return }
                let entries = page.items.map(\.entry).filter { filter?.matches($0) ?? true }
                guard try await add(entries.map(\.item), &seen) else { return }
                if following, queries.isEmpty, let next = page.next { queries.append(next) }
            }
        }
    }

    /// Adds items that are new. Returns whether there may be more, when the run is near enough.
    private func add(
        _ items: some Sequence<Item>, _ seen: inout SeenItems
    ) async throws -> Bool {
        var left = limit - known.withLock { $0.count }
        var new: [Item] = []
        for item in items where left > 0 && seen.insert(item) {
            new.append(item)
            left -= 1
        }
        let added = new.count
        known.withLock { known in
            known.count += added
            known.ahead += added
        }
        batch.yield(new)
        StateChange.tell()
        while left > 0, known.withLock({ $0.ahead >= Self.most }) {
            for await _ in turns { break }
            try Task.checkCancellation()
        }
        try Task.checkCancellation()
        return left > 0
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let items: WarmItems
        fileprivate var batches: AsyncThrowingStream<[Item], any Error>.Iterator
        private var waiting: [Item] = []
        /// Index of the next one in `waiting`.
        private var head = 0

        fileprivate init(_ items: WarmItems) {
            self.items = items
            batches = items.batches.makeAsyncIterator()
        }

        package mutating func next() async throws -> Item? {
            while head == waiting.count {
                guard let batch = try await batch() else { return nil }
                (waiting, head) = (batch, 0)
            }
            head += 1
            items.known.withLock { $0.taken += 1 }
            return waiting[head - 1]
        }

        /// Reads the rest of the list, or as much as is said, and returns what waits now.
        mutating func readAhead(_ most: Int) async throws -> ArraySlice<Item> {
            while waiting.count - head < most, let batch = try await batch() { waiting += batch }
            return waiting[head...]
        }

        private mutating func batch() async throws -> [Item]? {
            let batch = try await batches.next()
            // A canceled stream ends like one that was read to its end.
            try Task.checkCancellation()
            items.known.withLock { $0.ahead -= batch?.count ?? 0 }
            items.turn.yield()
            return batch
        }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// The items of a run so far, numbered from 0 in the order of their first rows, by 64 bits of their hash: a
/// list of any length takes some tens of megabytes. Of a longer list the oldest are forgotten. A repeated
/// item is then found fresh in the store.
package struct SeenItems {
    private let limit: Int
    private var newer: [Int: Int] = [:]
    private var older: [Int: Int] = [:]
    /// Number of items.
    private var count = 0

    /// - Parameter limit: of the items of one generation; two are kept.
    package init(limit: Int = 1 << 19) { self.limit = max(1, limit) }

    /// Returns whether the item is new, and remembers it.
    package mutating func insert(_ item: Item) -> Bool { number(item).isNew }

    /// Returns the number of an item, and whether it is new. Remembers it.
    package mutating func number(_ item: Item) -> (number: Int, isNew: Bool) {
        let hash = item.hashValue
        if let known = newer[hash] ?? older[hash] { return (known, false) }
        newer[hash] = count
        count += 1
        if newer.count >= limit {
            older = newer
            newer = [:]
        }
        return (count - 1, true)
    }
}
