package import FoundationEssentials

/// What to purge.
package struct PurgeRequest: Sendable {
    package enum Items: Sendable, Equatable {
        /// One item, `tvmaze/show/1`.
        case item(String)
        /// All items of a source, `tvmaze`.
        case source(String)
        case all
    }

    package enum Mode: Sendable, Equatable {
        /// Stored pictures become stale. They are shown until they are refreshed.
        case soft(Date)
        /// Stored pictures are removed, bytes included.
        case hard
    }

    package var items: Items
    package var mode: Mode
    /// Returns whether a document belongs to it, by its key.
    package var isDocument: @Sendable (String) -> Bool
    /// Returns the name of the record beside that of a URL.
    package var beside: @Sendable (_ url: String) -> String

    package init(
        items: Items, mode: Mode, isDocument: @escaping @Sendable (String) -> Bool,
        beside: @escaping @Sendable (_ url: String) -> String = { $0 }
    ) {
        self.items = items
        self.mode = mode
        self.isDocument = isDocument
        self.beside = beside
    }

    /// Returns whether it names an item.
    func concerns(item name: String) -> Bool {
        switch items {
        case .item(let item): name == item
        case .source(let source): name.hasPrefix(source + "/")
        case .all: true
        }
    }

    /// Returns the names of the records beside those of URLs.
    func besides(_ urls: Set<String>) -> Set<String> { Set(urls.map(beside)).subtracting(urls) }
}
