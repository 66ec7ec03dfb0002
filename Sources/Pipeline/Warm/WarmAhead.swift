import Catalog

/// The items of a run, each once, which can be read ahead of their turn.
struct WarmAhead<Items: AsyncSequence> where Items.Element == Item {
    /// Items that are read ahead at most, at about 100 bytes each.
    static var most: Int { 100_000 }

    private var iterator: Items.AsyncIterator
    private var seen = SeenItems()
    private var waiting: [Item] = []
    /// Index of the next one in `waiting`.
    private var head = 0

    init(_ items: Items) { iterator = items.makeAsyncIterator() }

    /// Returns the next item; nil at the end.
    mutating func next() async throws -> Item? {
        if head < waiting.count {
            head += 1
            return waiting[head - 1]
        }
        return try await read()
    }

    /// Reads the rest of the list, or as much as is kept, and returns what waits now.
    mutating func readAhead() async throws -> ArraySlice<Item> {
        while waiting.count - head < Self.most, let item = try await read() { waiting.append(item) }
        return waiting[head...]
    }

    private mutating func read() async throws -> Item? {
        while let item = try await iterator.next() {
            if seen.insert(item) { return item }
        }
        return nil
    }
}
