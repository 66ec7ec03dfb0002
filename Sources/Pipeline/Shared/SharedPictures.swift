package import Catalog
package import FoundationEssentials
import Hashing
import Imaging
import Objects
import Store

/// Pictures that several nodes share: makes sure that they are in the shared store, and says which
/// are missing. On a machine without a shared store, its own cache takes the place.
package struct SharedPictures: Sendable {
    private let pictures: Pictures
    private let store: SharedStore?

    init(_ pictures: Pictures, _ store: SharedStore?) {
        self.pictures = pictures
        self.store = store
    }

    private var renditions: Set<Rendition> {
        let edition = pictures.context.editions.current
        return Set(edition.renditions(in: edition.configuration.warm.formats))
    }

    /// Whether there is a shared store.
    package var isConfigured: Bool { store != nil }

    /// Names everything that decides the bytes of thumbnails besides their originals. Nodes with
    /// another recipe make other objects.
    package var recipe: String {
        store?.keys.recipe
            ?? Digest(
                of: Array(
                    renditions.map {
                        SharedKeys.name($0)
                            + pictures.context.editions.current.renderer.recipe(for: $0)
                    }.sorted().joined(separator: "\n").utf8)
            ).hex.prefix(16).description
    }
}

/// How an item is stored where all nodes find it.
package enum SharedState: Sendable, Equatable {
    /// All its thumbnails are there, and fresh.
    case stored
    /// All its thumbnails are there, and one expired.
    case stale
    /// It has no picture, or one that can't be used. It is asked for again at this date.
    case noPicture(reason: String, until: Date)
    case missing
    /// An object is there and can't be right.
    case wrong(reason: String)

    /// Whether a worker has nothing to do.
    package var isDone: Bool {
        switch self {
        case .stored, .noPicture: true
        case .stale, .missing, .wrong: false
        }
    }
}

/// What became of an item.
package struct PublishedItem: Sendable {
    package enum Ending: Sendable, Equatable {
        /// The shared store has confirmed the picture.
        case picture
        /// The source says that the item has no picture, or the picture can't be used. The shared
        /// store has confirmed that.
        case noPicture(Failure)
        /// The origin can't be reached now. Nothing was stored. A later try may succeed.
        case unavailable(Failure)
    }

    package var ending: Ending
    /// Whether everything was there before.
    package var isKnown = false
    /// What was fetched and rendered; nil if everything was there before.
    package var result: MissResult?
    /// Objects that this call stored, and their bytes.
    package var objects = 0
    package var bytes = 0
}

extension SharedPictures {
    /// Makes the thumbnails of an item in all levels and the formats of warm runs, and returns when
    /// the shared store has confirmed their bundle and the item's reference. Without a shared store
    /// they are on the disk of this node then.
    ///
    /// Running it twice does no harm: it writes the same bytes under the same key.
    ///
    /// - Parameter again: makes sure of everything although the shared store has a fresh reference.
    /// - Throws: ``Failure``: `storeUnusable` with `retryAfter` while the shared store can't be
    ///   reached; else as ``Pictures/ensure(_:_:)``.
    package func publish(
        _ item: Item, again: Bool = false
    ) async throws(Failure) -> PublishedItem {
        if !again {
            switch try await check(item) {
            case .stored: return PublishedItem(ending: .picture, isKnown: true)
            case .noPicture(let reason, let until):
                return PublishedItem(
                    ending: .noPicture(Failure(.absent, reason, until: until)), isKnown: true)
            case .stale, .missing, .wrong: break
            }
        }
        guard let store else { return try await make(item) }
        // The background would upload it, too.
        return try await Failure.catching {
            try await store.waiting.owning(SharedStore.mark(item)) {
                var published = try await make(item)
                if case .unavailable = published.ending { return published }
                guard let upload = try await store.upload(item) else {
                    throw Failure(
                        .unavailable,
                        "\(item) was removed while it was made, or its origin allows only private "
                            + "caches (cache.honorPrivate).", retryAfter: 1)
                }
                published.objects = upload.stored
                published.bytes = upload.bytes
                return published
            }
        }
    }

    /// Makes the thumbnails on the disk of this node.
    private func make(_ item: Item) async throws(Failure) -> PublishedItem {
        let result = try await pictures.ensure(item, renditions)
        if let failure = result.failure, !failure.isLasting {
            return PublishedItem(ending: .unavailable(failure), result: result)
        }
        return PublishedItem(
            ending: result.failure.map { .noPicture($0) } ?? .picture, result: result)
    }

    /// Takes over what another node was told about items, so that their catalogs are not asked again.
    ///
    /// - Throws: ``Failure`` of the kinds of a failed store.
    package func learn(_ descriptions: [ItemDescription]) async throws(Failure) {
        try await Failure.catching {
            try await pictures.context.catalog.learn(descriptions)
        }
    }

    /// Returns which of the items are missing or wrong where all nodes find them. Asks for each item
    /// of the shared store one GET and one HEAD for each of its originals.
    ///
    /// - Parameter concurrency: items at the same time.
    /// - Throws: ``Failure`` of kind `storeUnusable` if the shared store can't be reached.
    package func check(
        _ items: [Item], concurrency: Int = 16
    ) async throws(Failure) -> [Item: SharedState] {
        try await Failure.catching {
            try await withThrowingTaskGroup(of: (Item, SharedState).self) { group in
                var states: [Item: SharedState] = [:]
                var rest = items.makeIterator()
                func begin() {
                    guard let item = rest.next() else { return }
                    group.addTask { (item, try await check(item)) }
                }
                for _ in 0..<max(1, concurrency) { begin() }
                while let (item, state) = try await group.next() {
                    states[item] = state
                    begin()
                }
                return states
            }
        }
    }

    /// Returns which of the items have no reference in the shared store, by listing it. For lists of
    /// which most are there: a LIST shows 1,000 references and costs as much as 12 HEADs. It doesn't
    /// see what expired or is wrong; ``check(_:concurrency:)`` does.
    ///
    /// - Throws: ``Failure`` of kind `storeUnusable` if the shared store can't be reached.
    package func unlisted(_ items: [Item]) async throws(Failure) -> [Item] {
        try await Failure.catching {
            guard let store else {
                let states = try await check(items)
                return items.filter { states[$0] == .missing }
            }
            return try await store.unlisted(items)
        }
    }

    private func check(_ item: Item) async throws(Failure) -> SharedState {
        try await Failure.catching {
            if let store { return try await store.check(item, renditions, at: pictures.now()) }
            let (need, blobs) = try await pictures.need(item, renditions)
            if need.isPlaceholder {
                let binding = try await pictures.thumbnails.bindings(of: item)
                    .first { $0.original == nil && $0.failure != nil }
                return .noPicture(
                    reason: binding?.failure?.reason ?? "\(item) has no picture.",
                    until: binding?.freshUntil ?? pictures.now())
            }
            guard need.state != .missing, try await pictures.areStored(blobs) else {
                return .missing
            }
            return need.state == .stale ? .stale : .stored
        }
    }
}

extension Failure {
    /// Whether the item is at fault, and not the network: another node would find the same.
    package var isLasting: Bool {
        switch kind {
        case .absent, .rejected: true
        default: false
        }
    }
}

extension SharedStore {
    /// Returns how an item is stored.
    ///
    /// - Throws: `ObjectError`.
    func check(
        _ item: Item, _ needed: Set<Rendition>, at now: Date
    ) async throws -> SharedState {
        let keys = keys(of: item)
        let key = SharedKeys.reference(item)
        guard let bytes = try await objects.get(key, limit: ItemReference.maxBytes) else {
            return .missing
        }
        guard var reference = ItemReference(bytes, of: item) else {
            return .wrong(reason: "Its reference can't be read.")
        }
        if let purged = try await voids.date(of: item, objects) {
            reference.remove(purgedAt: purged, now: now)
        }
        var isStale = false
        var failure: (reason: String, until: Date)?
        var found: Set<Digest> = []
        for level in Set(needed.map(\.level.key)) {
            guard let resolution = reference.resolution(of: level) else { return .missing }
            let until = thumbnails.freshness.believed(
                resolution.freshUntil, since: resolution.resolvedAt, now: now)
            if until <= now { isStale = true }
            if let original = resolution.original {
                found.insert(original)
            } else {
                failure = (resolution.failure?.reason ?? "It has no picture.", until)
            }
        }
        for original in found {
            let bundle = reference.originals.lazy.filter { $0.digest == original }
                .compactMap { $0.bundles[keys.recipe] }.first
            guard let bundle, let head = try await objects.head(keys.bundle(original)) else {
                return .missing
            }
            if head.byteCount != bundle.byteCount || head.sha256 ?? bundle.sha256 != bundle.sha256 {
                return .wrong(reason: "Its bundle is not the one that was stored.")
            }
        }
        if found.isEmpty, let failure {
            return isStale ? .missing : .noPicture(reason: failure.reason, until: failure.until)
        }
        return isStale ? .stale : .stored
    }

    /// Returns the items without a reference. Skips the parts of the list in which no item is.
    func unlisted(_ items: [Item]) async throws -> [Item] {
        var wanted = items.map { (key: SharedKeys.reference($0), item: $0) }
            .sorted { $0.key < $1.key }[...]
        var missing: [Item] = []
        while let next = wanted.first {
            // Just before the next key, because the list begins after it.
            let list = try await objects.list(
                SharedKeys.references, after: String(next.key.dropLast()))
            let known = Set(list.entries.map(\.key))
            let end = list.isTruncated ? list.entries.last?.key : nil
            while let next = wanted.first, end.map({ next.key <= $0 }) ?? true {
                if !known.contains(next.key) { missing.append(next.item) }
                wanted = wanted.dropFirst()
            }
        }
        return missing
    }
}
