import Catalog
import FoundationEssentials
import Memory
import Store
import Synchronization

/// Catalog pages and item details. They are fresh for a while, and reading a page renews it. The
/// first items of a list are stored on disk, the rest in memory. Stale ones are used while the
/// source is unreachable.
///
/// What is in memory is counted in bytes, and stays within ``PipelineConfiguration/catalogBytes``.
final class CatalogCache: Sendable {
    private let client: CatalogClient
    private let policy: CatalogPolicy
    private let now: @Sendable () -> Date
    private let details: DocumentCache<Item, ItemDetails>
    private let pages: DocumentCache<ListQuery, StoredPage>
    /// Items as lists described them, if the items' own details contain more.
    private let hints: MemoryTier<Item, ItemDetails>
    /// What a page before it told about a page: the index of its first item, and its link.
    private let starts: MemoryTier<ListQuery, (index: Int, link: String?)>
    /// When this process purged last.
    private let purgedAt = Mutex(Date.distantPast)

    /// Bytes of an entry of a tier besides its key and its value.
    private static let entryBytes = 256

    init(
        client: CatalogClient, index: Index, configuration: PipelineConfiguration,
        now: @escaping @Sendable () -> Date
    ) {
        self.client = client
        self.now = now
        let policy = configuration.catalog
        self.policy = policy
        let bytes = configuration.catalogBytes
        var detailsForm = DocumentForm<Item, ItemDetails>.json(
            timeToLive: policy.timeToLive, failureLifetime: configuration.freshness.unavailable,
            cost: \.bytes
        ) { Self.detailsKey($0) }
        detailsForm.isComplete = \.isComplete
        details = DocumentCache(
            index: index, bytes: bytes / 8 * 3, form: detailsForm, now: now)
        var pageForm = DocumentForm<ListQuery, StoredPage>.json(
            timeToLive: policy.timeToLive, failureLifetime: configuration.freshness.unavailable,
            cost: \.bytes, onDisk: { $0.persisted(policy) }
        ) { "page:\($0.key)" }
        pageForm.isWhole = \.isWhole
        pages = DocumentCache(
            index: index, bytes: bytes / 16 * 5, form: pageForm, now: now)
        let rest = bytes / 32
        hints = MemoryTier(maxCost: rest, maxCount: rest / Self.entryBytes)
        starts = MemoryTier(maxCost: rest, maxCount: rest / Self.entryBytes)
    }

    /// The key of an item's details in the index.
    static func detailsKey(_ item: Item) -> String { "item:\(item)" }

    /// Bytes in memory.
    var bytes: Int {
        client.bytes + details.bytes + pages.bytes + hints.cost + starts.cost
    }

    /// Reads the sources' APIs without a cache of items and pages.
    var api: any APIReading { client }

    /// Returns whether a good answer is in memory, so that the source isn't asked.
    func isAtHand(_ item: Item) -> Bool { details.isAtHand(item, complete: true) }
    func isAtHand(_ query: ListQuery) -> Bool { pages.isAtHand(query) }

    /// Returns one item's details. Concurrent callers share one API call.
    ///
    /// - Parameter complete: Whether the parts that lists omit are needed. A picture doesn't need
    ///   them.
    func details(
        of item: Item, source: any Source, complete: Bool = false
    ) async throws -> DocumentCache<Item, ItemDetails>.Answer {
        if !complete, let free = source.freeDetails(of: item) {
            let at = now()
            return .init(
                document: .init(
                    value: free, fetchedAt: at, expiresAt: at.addingTimeInterval(policy.timeToLive))
            )
        }
        if source.isLocal {
            let details = try await source.details(of: item, api: client)
            return .init(document: .init(value: details, fetchedAt: now(), expiresAt: now()))
        }
        return try await details.value(for: item, complete: complete) {
            [client] () throws(Failure) in
            try await client.reading { () throws(Failure) in
                complete
                    ? try await source.completeDetails(of: item, api: client)
                    : try await source.details(of: item, api: client)
            }
        }
    }

    /// Returns the stored details of items. No source is asked.
    func storedDetails(
        of items: [Item]
    ) async throws -> [Item: DocumentCache<Item, ItemDetails>.Answer] {
        try await details.stored(items)
    }

    /// Returns whether an item's source was asked for it moments ago, and failed or was slow.
    func hasFailed(_ item: Item) -> Bool { details.isGivenUp(item) }

    /// Takes over what another node learned about items. It counts until a page that is read again and
    /// again would expire. What was fetched before a purge of this process is ignored.
    func learn(_ descriptions: [ItemDescription]) async throws {
        let (now, purgedAt) = (now(), purgedAt.withLock { $0 })
        let known = descriptions.filter { $0.fetchedAt > purgedAt }.map { description in
            let end = min(
                now.addingTimeInterval(policy.timeToLive),
                description.fetchedAt.addingTimeInterval(policy.maximumAge))
            return (
                key: description.item,
                document: Timed(
                    value: description.details, fetchedAt: description.fetchedAt, expiresAt: end)
            )
        }
        try await details.learn(known)
    }

    /// Returns one item's complete details for a client. If old details are stored, the client
    /// waits no longer than ``CatalogPolicy/patience``.
    func detailsSoon(
        of item: Item, source: any Source
    ) async throws -> DocumentCache<Item, ItemDetails>.Answer {
        try await soon(details, item, complete: true) { [self] in
            try await details(of: item, source: source, complete: true)
        }
    }

    /// Returns the old document if the new one takes too long. The call for the new one continues.
    private func soon<Key, Value>(
        _ cache: DocumentCache<Key, Value>, _ key: Key, complete: Bool = false,
        _ read: @escaping @Sendable () async throws -> DocumentCache<Key, Value>.Answer
    ) async throws -> DocumentCache<Key, Value>.Answer {
        guard let old = try await cache.outdated(key, complete: complete) else {
            return try await read()
        }
        if !cache.isGivenUp(key) {
            if let answer = try await withTimeout(.seconds(policy.patience), read) {
                return answer
            }
            cache.giveUp(key)
        }
        return .init(document: old, isStale: true)
    }

    /// Returns the chain to use if the item's details are unavailable: what a list told about it,
    /// then what its source knows without a call.
    func remainder(of item: Item, source: any Source, for box: PictureBox) -> [ChainStep] {
        (hints.value(item)?.orderedChain(for: box) ?? [])
            + source.remainder(of: item).ordered(for: box)
    }

    /// Returns one page of a list. Past the end of the list it has no items and is marked so.
    ///
    /// - Parameter isSoon: Whether the caller waits no longer than ``CatalogPolicy/patience`` if an
    ///   old page is stored.
    func page(
        _ query: ListQuery, source: any Source, soon isSoon: Bool = false
    ) async throws -> PageAnswer {
        if source.isLocal { return try await unkept(query, source) }
        let answer =
            isSoon
            ? try await soon(pages, query) { [self] in try await read(query, source) }
            : try await read(query, source)
        let stored = answer.document.value
        var expiresAt = answer.document.expiresAt
        if !answer.wasAsked,
            let renewed = policy.renewed(
                fetchedAt: answer.document.fetchedAt, expiresAt: expiresAt, now: now())
        {
            // Renewals of under a minute are skipped, because a write for every read costs too
            // much.
            if renewed.timeIntervalSince(expiresAt) >= min(60, policy.timeToLive / 15) {
                try await pages.renew(query, answer.document, until: renewed)
            }
            expiresAt = renewed
        }
        return PageAnswer(
            query: query, items: stored.page?.items ?? [], next: stored.page?.next,
            total: stored.page?.total, isPastEnd: stored.page == nil, outcome: answer.outcome,
            fetchedAt: answer.document.fetchedAt, expiresAt: expiresAt)
    }

    /// Reads a page of a source that is read whenever it is needed.
    private func unkept(_ query: ListQuery, _ source: any Source) async throws -> PageAnswer {
        let page = try await source.page(query, api: client)
        return PageAnswer(
            query: query, items: page?.items ?? [], next: page?.next, total: page?.total,
            directories: page?.directories, isPastEnd: page == nil, outcome: .miss,
            fetchedAt: now(), expiresAt: now())
    }

    /// Reads the page before it is requested, without renewing it.
    func prefetch(_ query: ListQuery, source: any Source) async throws {
        if source.isLocal { return }
        _ = try await read(query, source)
    }

    /// Removes documents from memory. `isDocument` gets the key on disk.
    func forget(_ scope: PurgeScope, _ isDocument: @Sendable (String) -> Bool) {
        let now = now()
        purgedAt.withLock { $0 = max($0, now) }
        details.forget(isDocument)
        pages.forget(isDocument)
        hints.removeAll { item in
            switch scope {
            case .item(let wanted): item == wanted
            case .source(let name): item.source == name
            case .all: true
            }
        }
        client.forget(isDocument)
    }

    private func read(
        _ query: ListQuery, _ source: any Source
    ) async throws -> DocumentCache<ListQuery, StoredPage>.Answer {
        let answer = try await pages.value(for: query) { [client, starts] () throws(Failure) in
            let start = starts.value(query)
            var linked = query
            linked.link = start?.link
            let page = try await client.reading { [linked] () throws(Failure) in
                try await source.page(linked, api: client)
            }
            let first = start?.index ?? page?.firstIndex ?? 0
            return StoredPage(page: page, firstIndex: first, isWhole: true)
        } parts: { [self] in
            try await keepItems(of: $0)
        }
        noteNext(of: answer.document.value)
        return answer
    }

    /// Stores what a page says about its items, so that they need no calls of their own.
    private func keepItems(of stored: StoredPage) async throws {
        let items = stored.page?.items ?? []
        let onDisk = policy.persistedCount(firstIndex: stored.firstIndex, count: items.count)
        try await details.keep(
            items.enumerated().filter(\.element.isResolved)
                .map { ($1.entry.item, $1, $0 < onDisk) })
        for item in items where !item.isResolved && !item.chain.isEmpty {
            hints.insert(
                item, for: item.entry.item,
                cost: Self.entryBytes + item.entry.item.bytesOutside + item.bytes)
        }
    }

    private func noteNext(of stored: StoredPage) {
        guard let page = stored.page, let next = page.next, stored.isWhole else { return }
        starts.insert(
            (stored.firstIndex + page.items.count, next.link), for: next,
            cost: Self.entryBytes + next.bytes)
    }
}

/// A page as it is stored.
struct StoredPage: Sendable, Codable {
    /// `nil` past the end of the list.
    var page: CatalogPage?
    /// Index of the first item within its list.
    var firstIndex: Int
    /// Whether it has all items. On disk it has only those that the policy keeps there.
    var isWhole: Bool

    func persisted(_ policy: CatalogPolicy) -> StoredPage? {
        guard var part = page else { return nil }
        let count = policy.persistedCount(firstIndex: firstIndex, count: part.items.count)
        guard count > 0 || part.items.isEmpty else { return nil }
        let isWhole = count == part.items.count
        part.items = Array(part.items.prefix(count))
        return StoredPage(page: part, firstIndex: firstIndex, isWhole: isWhole)
    }
}
