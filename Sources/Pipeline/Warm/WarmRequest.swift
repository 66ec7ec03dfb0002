package import Catalog
package import Imaging

/// What to warm, and how fast.
package struct WarmRequest: Sendable {
    /// Which items go first.
    package enum Priority: String, Sendable, CaseIterable {
        /// As they are listed.
        case list
        /// Items with a missing thumbnail, then those that only expired.
        case missing
        /// Items whose stored picture expired, then those with a missing thumbnail.
        case stale
    }

    /// Which items are asked for although the cache has an answer that is fresh.
    package enum Again: Sendable {
        case none
        /// Those without a picture, whose failure is remembered.
        case placeholders
        /// All of them.
        case all
    }

    package var scope: WarmScope
    /// The source of its items; nil if they are of several.
    package var source: String?
    /// Names the scope for people, and finds its last forecast: `tvmaze shows --pages 0-3`.
    package var name = ""
    /// Names what is warmed, for people who don't know the commands: `TV shows`.
    package var title = ""
    /// Limit of items; nil for no limit.
    package var limit: Int?
    /// The thumbnails of each item.
    package var renditions: Set<Rendition>
    /// Items in flight at once: enough to keep origin and renderer busy at the same time.
    package var concurrency: Int
    /// Items begun per second; nil for no limit.
    package var rate: Double?
    /// Leaves items alone whose thumbnails are all stored, even if they expired.
    package var onlyMissing = false
    package var again = Again.none
    package var priority = Priority.list
    /// Lists whose items show what is made, besides its own: those that have its URLs.
    package var lists: [ListSource] = []
    /// Whether what is made is pinned.
    package var isPinned = false
    /// Whether reports describe the stored picture, which takes two look-ups an item.
    package var isDetailed = false

    /// The list, as in ``ListQuery/list``; nil for items and URLs.
    package var list: String? {
        if case .pages(let queries, _, _) = scope { queries.first?.list } else { nil }
    }

    package init(
        _ scope: WarmScope, limit: Int? = nil, renditions: Set<Rendition>, concurrency: Int
    ) {
        self.scope = scope
        switch scope {
        case .items(let items): source = items.first?.source
        case .pages(let queries, _, _): source = queries.first?.source
        case .stream: break
        }
        self.limit = limit
        self.renditions = renditions
        self.concurrency = concurrency
    }
}

/// The items of a warm run.
package enum WarmScope: Sendable {
    /// Returns the next items of a list, such as those of the next lines of a file; nil after the last.
    package typealias Reader = @Sendable () async throws -> [Item]?

    case items([Item])
    /// Each query is one page. `following` continues with the next pages up to the limit. Only items that
    /// match the filter count.
    case pages([ListQuery], following: Bool, CatalogFilter? = nil)
    /// Opens a list. Opened again it has the same items, unless it can be read once only.
    case stream(@Sendable () async throws -> Reader)
}
