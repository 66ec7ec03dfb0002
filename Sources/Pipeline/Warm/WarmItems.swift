package import Catalog
import Synchronization

/// The items of a warm run.
package enum WarmScope: Sendable {
    case items([Item])
    /// Each query is one page. `following` continues with the next pages up to the limit.
    case pages([ListQuery], following: Bool)
}

/// The items of a run as they become known: pages are read while earlier items are warmed.
final class WarmItems: AsyncSequence, Sendable {
    typealias Element = Item
    typealias Failure = any Error

    private let stream: AsyncThrowingStream<Item, any Error>
    private let known = Mutex((count: 0, isAll: false))

    /// Number of items; nil until all pages are read.
    var total: Int? { known.withLock { $0.isAll ? $0.count : nil } }

    /// - Parameter limit: limit of items; nil for no limit.
    init(_ scope: WarmScope, limit: Int?, of catalog: CatalogReader) {
        let (stream, continuation) = AsyncThrowingStream<Item, any Error>.makeStream()
        self.stream = stream
        let reading = Task { [weak self] in
            do {
                try await Self.read(scope, limit ?? .max, catalog) { item in
                    self?.known.withLock { $0.count += 1 }
                    continuation.yield(item)
                }
                self?.known.withLock { $0.isAll = true }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in reading.cancel() }
    }

    func makeAsyncIterator() -> AsyncThrowingStream<Item, any Error>.Iterator {
        stream.makeAsyncIterator()
    }

    /// Reads the items. An item on several pages counts once.
    private static func read(
        _ scope: WarmScope, _ limit: Int, _ catalog: CatalogReader, found: (Item) -> Void
    ) async throws {
        var seen: Set<Item> = []
        func add(_ item: Item) {
            if seen.count < limit, seen.insert(item).inserted { found(item) }
        }
        switch scope {
        case .items(let items):
            items.forEach(add)
        case .pages(var queries, let following):
            while !queries.isEmpty, seen.count < limit {
                try Task.checkCancellation()
                let page = try await catalog.page(queries.removeFirst())
                if page.isPastEnd { return }
                page.items.forEach { add($0.entry.item) }
                if following, queries.isEmpty, let next = page.next { queries.append(next) }
            }
        }
    }
}
