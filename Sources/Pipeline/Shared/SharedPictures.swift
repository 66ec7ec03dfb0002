package import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Objects
import Store

/// Pictures that several nodes share: makes sure that they are in the shared store, and says which
/// are missing. On a machine without a shared store, its own cache takes the place.
package struct SharedPictures: Sendable {
    let pictures: Pictures
    let store: SharedStore?

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
    /// It has no picture, or one that can't be used. That is remembered for a time.
    case noPicture(Failure)
    case missing
    /// An object is there and can't be right.
    case wrong(reason: String)

    init(_ lack: ItemLack) {
        if let failure = lack.failure {
            self = .noPicture(failure)
            return
        }
        switch lack.state {
        case .missing: self = .missing
        case .stale: self = .stale
        case .fresh: self = .stored
        }
    }

    fileprivate var isMissing: Bool { self == .missing }

    /// Whether a worker has nothing to do.
    package var isDone: Bool {
        switch self {
        case .stored, .noPicture: true
        case .stale, .missing, .wrong: false
        }
    }
}

/// An item as it is stored where all nodes find it.
package struct SharedItem: Sendable, Equatable {
    package var state: SharedState
    /// Why its picture is not the first choice; nil if it is.
    package var fallback: String?
    /// What is known of its picture without the thumbnails.
    package var picture: WarmedPicture?

    package init(_ state: SharedState) { self.state = state }

    /// How a run ends for it.
    package var ending: WarmedItem.Ending {
        switch state {
        case .stored: fallback.map { .fallback(reason: $0) } ?? .picture
        case .noPicture(let failure): .placeholder(reason: failure.reason)
        case .stale: .failed(reason: "Its picture in the shared store has expired.")
        case .missing: .failed(reason: "The shared store lacks it.")
        case .wrong(let reason): .failed(reason: reason)
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

    package init(_ ending: Ending, isKnown: Bool = false, result: MissResult? = nil) {
        self.ending = ending
        self.isKnown = isKnown
        self.result = result
    }

    /// What a run counts of it.
    package var summary: WarmSummary {
        var summary = WarmSummary()
        switch ending {
        case .picture:
            let reason = result?.trace.fallback
            summary.count(reason.map { .fallback(reason: $0) } ?? .picture, result)
        case .noPicture(let failure): summary.count(.placeholder(reason: failure.reason), result)
        case .unavailable(let failure): summary.count(.failed(reason: failure.reason), result)
        }
        return summary
    }
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
        let read = try await Failure.catching { try await store?.read(item) }
        if !again {
            switch try await check(item, read).state {
            case .stored: return PublishedItem(.picture, isKnown: true)
            case .noPicture(let failure):
                return PublishedItem(.noPicture(failure), isKnown: true)
            case .stale, .missing, .wrong: break
            }
        }
        guard let store, let read else { return try await make(item) }
        // The background would upload it, too.
        return try await Failure.catching {
            try await store.waiting.owning("\(item)") {
                var published = try await SharedStore.$read.withValue(read) {
                    try await make(item)
                }
                if case .unavailable = published.ending { return published }
                let made = published.result?.pictures ?? [:]
                guard let upload = try await store.upload(item, read, made) else {
                    throw Failure(
                        .unavailable,
                        "\(item) was removed while it was made, or its origin allows only private "
                            + "caches (cache.honorPrivate).", retryAfter: 1)
                }
                published.objects = upload.files
                published.bytes = upload.bytes
                return published
            }
        }
    }

    /// Makes the thumbnails on the disk of this node.
    private func make(_ item: Item) async throws(Failure) -> PublishedItem {
        let result = try await pictures.ensure(item, renditions)
        if let failure = result.failure, !failure.isLasting, !failure.isOfBlock {
            return PublishedItem(.unavailable(failure), result: result)
        }
        return PublishedItem(result.failure.map { .noPicture($0) } ?? .picture, result: result)
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
    ) async throws(Failure) -> [Item: SharedItem] {
        try await Failure.catching {
            try await withThrowingTaskGroup(of: (Item, SharedItem).self) { group in
                var states: [Item: SharedItem] = [:]
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

    /// - Parameter read: the item's reference, if it was read just now.
    private func check(
        _ item: Item, _ read: SharedStore.Read? = nil
    ) async throws(Failure) -> SharedItem {
        try await Failure.catching {
            if let store {
                let read = if let read { read } else { try await store.read(item) }
                return try await store.check(read, renditions, at: pictures.now())
            }
            let (lack, blobs) = try await pictures.need(item, renditions)
            var found = SharedItem(SharedState(lack))
            if !found.state.isMissing, try await !pictures.areStored(blobs) {
                found.state = .missing
            }
            found.fallback = lack.fallback
            return found
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
        _ read: Read, _ needed: Set<Rendition>, at now: Date
    ) async throws -> SharedItem {
        let item = read.item
        let keys = keys(of: item)
        if read.bytes == nil { return SharedItem(.missing) }
        guard var reference = read.reference else {
            return SharedItem(.wrong(reason: "Its reference can't be read."))
        }
        if let purged = try await voids.date(of: item, objects) {
            reference.remove(purgedAt: purged, now: now)
        }
        let record = reference.record
        let bundles = Dictionary(
            reference.originals.compactMap { original in
                original.bundles[keys.recipe].map { (original.digest, $0) }
            }, uniquingKeysWith: { first, _ in first })
        let lack = record.lacks(needed, thumbnails.freshness, at: now) { original, _ in
            bundles[original] != nil
        }
        var found = SharedItem(SharedState(lack))
        found.fallback = lack.fallback
        let levels = Set(needed.map(\.level.key))
        let shown = record.keeping { level, _ in levels.contains(level) }
        found.picture =
            shown.resolutions.lazy.compactMap(\.original).first
            .flatMap { first in reference.originals.first { $0.digest == first }?.picture }
        if found.state.isMissing { return found }
        for original in shown.originals {
            guard let bundle = bundles[original],
                let head = try await objects.head(keys.bundle(original))
            else {
                found.state = .missing
                return found
            }
            if head.byteCount != bundle.byteCount || head.sha256 ?? bundle.sha256 != bundle.sha256 {
                found.state = .wrong(reason: "Its bundle is not the one that was stored.")
                return found
            }
        }
        return found
    }
}

extension ItemReference.Original {
    /// What a run says of it.
    fileprivate var picture: WarmedPicture {
        WarmedPicture(
            digest: digest, byteCount: byteCount, summary: summary.flatMap(PictureSummary.init),
            thumbnails: [:])
    }
}
