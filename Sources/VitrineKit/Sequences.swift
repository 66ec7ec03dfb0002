/// The pages of a list, each asked for when the one before is used up.
public struct PageSequence: AsyncSequence, Sendable {
    public typealias Element = Page

    let client: VitrineClient
    let path: String

    public struct AsyncIterator: AsyncIteratorProtocol {
        let client: VitrineClient
        var path: String?

        /// - Throws: a ``Problem``, or the error of the connection. Call it again to try once more.
        public mutating func next() async throws -> Page? {
            guard let path else { return nil }
            let page = try await client.page(path)
            self.path = page.next
            return page
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client: client, path: path)
    }
}

/// The items of a list. A page is asked for when the items before it are used up.
public struct ItemSequence: AsyncSequence, Sendable {
    public typealias Element = Item

    let client: VitrineClient
    let path: String

    public struct AsyncIterator: AsyncIteratorProtocol {
        var pages: PageSequence.AsyncIterator
        var items: ArraySlice<Item> = []

        /// - Throws: a ``Problem``, or the error of the connection. Call it again to try once more.
        public mutating func next() async throws -> Item? {
            // A filtered page may be empty, and have another behind it.
            while items.isEmpty {
                guard let page = try await pages.next() else { return nil }
                items = page.items[...]
            }
            return items.popFirst()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages: PageSequence(client: client, path: path).makeAsyncIterator())
    }
}
