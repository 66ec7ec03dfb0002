package import Catalog
import Fetch
import FoundationEssentials
import Imaging
import Memory
import Objects
import Store
import Threads

/// Removes stored pictures and documents for the operator. Follows the purges of other processes.
package final class Purge: Sendable {
    private let pictures: Pictures
    private let upkeep: Upkeep
    private let zoom: Zoom
    /// Nil for a single machine.
    private let broadcast: (any PurgeBroadcast)?
    /// Nil without caches in front that are told.
    private let hook: (any PurgeHook)?
    /// Items of one purge that are forgotten one by one. With more, all pictures on disk are.
    private static let mostListedItems = 1_000
    private let count: PurgeCount
    /// Purges that this process knows of.
    let changes = Counter()
    private let following = BackgroundTask()

    init(
        _ pictures: Pictures, upkeep: Upkeep, zoom: Zoom,
        broadcast: (any PurgeBroadcast)?, hook: (any PurgeHook)?
    ) {
        self.pictures = pictures
        self.upkeep = upkeep
        self.zoom = zoom
        self.broadcast = broadcast
        self.hook = hook
        count = PurgeCount(of: pictures.thumbnails.index)
    }

    /// Whether caches in front are told of each purge. They are told after it has ended here.
    package var tellsCaches: Bool { hook != nil }

    var index: Index { pictures.thumbnails.index }
    private var cache: CatalogCache { pictures.context.catalog }
    private var memory: HitMemory { pictures.memory }
    private var shared: SharedStore? { pictures.context.shared }
    private var sources: Sources { pictures.context.sources }

    /// Does the same as ``run(_:soft:isLocal:)`` here and on all nodes of the fleet, if there is one. Then
    /// the caches in front are told, once for the whole fleet.
    ///
    /// - Throws: as ``run(_:soft:isLocal:)``, and ``Failure`` if the other nodes can't be told.
    package func everywhere(
        _ scope: PurgeScope, soft: Bool = false
    ) async throws(Failure) -> PurgeReceipt {
        var (receipt, items) = try await purge(scope, soft: soft, isLocal: false)
        for kept in await kept(scope) {
            let more = try await purge(.item(kept), soft: soft, isLocal: false)
            receipt.add(more.receipt)
            items.formUnion(more.items)
        }
        if let broadcast {
            let told = try await broadcast.tell(scope, soft: soft)
            receipt.sequence = told.sequence
            receipt.nodes = told.nodes
        }
        // Last, so that no node answers a cache with what it has not purged yet.
        hook?.purged(CacheTag.purged(scope, items), soft: soft)
        return receipt
    }

    /// Removes pictures in every level and format, remembered failures and catalog documents, on
    /// this node.
    ///
    /// A removed picture disappears from all items that show it. Favorites stay favorites. A miss
    /// in flight may store its picture again.
    ///
    /// - Parameters:
    ///   - soft: Whether the data only expires, so that it is shown until it is refreshed.
    ///   - isLocal: Whether the shared store keeps what it has, because another node has purged it
    ///     there. What was purged may be in it again.
    /// - Throws: ``Failure`` of kind `unknownSource`, and of the kinds of a failed store. A shared
    ///   store that can't be reached is `storeUnusable`, and nothing is purged.
    package func run(
        _ scope: PurgeScope, soft: Bool = false, isLocal: Bool = false
    ) async throws(Failure) -> PurgeReceipt {
        try await purge(scope, soft: soft, isLocal: isLocal).receipt
    }

    /// Forgets an item for a caller that asks its origin again at once: its pictures expire, or all that is
    /// known of it goes. Neither other nodes nor caches in front are told.
    func forget(_ item: Item, soft: Bool) async throws(Failure) {
        try await Failure.catching { [self] in
            for kept in await kept(.item(item)) { try await forget(kept, soft: soft) }
            let scope = PurgeScope.item(item)
            let request = try await request(scope, expiry: soft ? pictures.now() : nil)
            let claim = soft ? nil : try await shared?.purge(scope)
            defer { withExtendedLifetime(claim) {} }
            let purge = try await index.purge(request)
            try forget(scope, request)
            memory.removeAll(names(scope, purge.items)) { $0.item == item }
            _ = try await upkeep.orphans.remove(purge.orphans)
        }
    }

    /// Returns the other names under which pictures of lists are kept: that of a row's picture, and those of
    /// a URL's.
    private func kept(_ scope: PurgeScope) async -> [Item] {
        guard case .item(let item) = scope else { return [] }
        if let url = SignedURL.url(of: item) { return sources.pictureLists.map { $0.named(url) } }
        guard item.kind == ListSource.kind, let list = sources.list(item.source),
            let kept = try? await list.pictured(item, api: cache.api)
        else { return [] }
        return [kept]
    }

    private func purge(
        _ scope: PurgeScope, soft: Bool, isLocal: Bool
    ) async throws(Failure) -> (receipt: PurgeReceipt, items: Set<String>) {
        try await Failure.catching { [self] in
            // What a client has seen goes, even if its miss is still writing.
            await pictures.settled()
            let request = try await request(scope, expiry: soft ? pictures.now() : nil)
            if isLocal, !soft { self.shared?.purged(scope) }
            let shared = soft || isLocal ? nil : shared
            // Before the cache, which would be filled again from there.
            let claim = try await shared?.purge(scope)
            defer { withExtendedLifetime(claim) {} }
            let dropped = soft ? nil : try await record(scope)
            let purge = try await index.purge(request)
            try await shared?.removeReferences(of: purge.items, after: scope)
            if !soft { try await removeLate(scope, dropped, isLocal: isLocal) }
            var receipt = PurgeReceipt(soft: soft)
            receipt.items = purge.items.count
            receipt.originals = purge.originals
            receipt.thumbnails = purge.thumbnails
            receipt.documents = purge.documents
            // Memory comes after the index, because a load from the index puts its records into
            // memory.
            try forget(scope, request)
            memory.removeAll(names(scope, purge.items)) { key in
                switch scope {
                case .all: true
                case .source(let name):
                    key.item.source == name || purge.items.contains("\(key.item)")
                case .item(let item):
                    key.item == item || purge.items.contains("\(key.item)")
                }
            }
            zoom.closePurged()
            changes.add()
            await count.add()
            let orphans = try await upkeep.orphans.remove(purge.orphans)
            receipt.blobs += orphans.files
            receipt.bytes += orphans.bytes
            if scope == .all, !soft {
                // Also blobs that no row referred to.
                let removed = try await upkeep.removeAllBlobs()
                receipt.blobs += removed.files
                receipt.bytes += removed.bytes
            }
            return (receipt, purge.items)
        }
    }

    /// Removes what blocks name. They are in force already, so that nothing of it comes back.
    ///
    /// - Parameter isLocal: as for ``run(_:soft:isLocal:)``.
    /// - Throws: ``Failure`` of the kinds of a failed store.
    func remove(
        _ targets: [BlockTarget], isLocal: Bool
    ) async throws(Failure) -> (receipt: PurgeReceipt, items: Set<String>) {
        try await Failure.catching { [self] in
            await pictures.settled()
            let requests = await requests(targets)
            var named: Set<String> = []
            var claims: [Claims.Claim] = []
            if let shared, !isLocal {
                for request in requests { named.formUnion(try await index.concerned(by: request)) }
                for case .item(let item) in targets { named.insert(item.description) }
                for item in named.compactMap({ Item($0) }) {
                    if let claim = try await shared.purge(.item(item)) { claims.append(claim) }
                }
            }
            defer { withExtendedLifetime(claims) {} }
            var purge = IndexPurge()
            for request in requests { purge.add(try await index.purge(request)) }
            if let shared, !isLocal {
                try await shared.removeReferences(of: purge.items.subtracting(named))
            }
            var receipt = PurgeReceipt(soft: false)
            receipt.items = purge.items.count
            receipt.originals = purge.originals
            receipt.thumbnails = purge.thumbnails
            let blocks = pictures.context.blocks
            memory.removeAll(nil) { key in
                purge.items.contains("\(key.item)") || blocks.block(of: key.item) != nil
            }
            zoom.closePurged()
            changes.add()
            await count.add()
            let orphans = try await upkeep.orphans.remove(purge.orphans)
            receipt.blobs = orphans.files
            receipt.bytes = orphans.bytes
            return (receipt, purge.items)
        }
    }

    /// Returns the items that show what a block names, as far as the index has them.
    func items(showing target: BlockTarget) async throws -> [Item] {
        var names: Set<String> = []
        for request in await requests([target]) {
            names.formUnion(try await index.concerned(by: request))
        }
        return names.sorted().compactMap { Item($0) }
    }

    private func requests(_ targets: [BlockTarget]) async -> [PurgeRequest] {
        var requests: [PurgeRequest] = []
        for target in targets {
            requests += await rows(of: target).map {
                PurgeRequest(
                    items: $0, expiry: nil, documents: .none, besideMark: Originals.arrivedMark)
            }
        }
        return requests
    }

    /// Returns the rows that a block concerns.
    private func rows(of target: BlockTarget) async -> [PurgeRequest.Items] {
        switch target {
        case .item(let item):
            return [.item(item.description)]
                + (await kept(.item(item))).map { .item($0.description) }
        case .url(let url):
            return [.address(url)] + names(ofURL: url).map { .item($0.description) }
        case .prefix(let prefix): return [.prefix(prefix)]
        case .digest(let digest): return [.picture(digest)]
        }
    }

    /// Returns the items under which the picture at a URL is kept.
    private func names(ofURL url: String) -> [Item] {
        [try? SignedURL.item(of: url)].compactMap(\.self)
            + sources.pictureLists.map { $0.named(url) }
    }

    /// Forgets that pictures were blocked, here. They are fetched when they are requested.
    func forgetBlocked() async {
        pictures.context.originals.forgetBlocked()
        memory.removeAll(nil) { _ in true }
        zoom.closePurged()
        changes.add()
        await count.add()
    }

    /// Tells caches in front about new blocks and ended ones.
    ///
    /// - Parameter items: those that showed it.
    func tellCaches(of targets: [BlockTarget], _ items: Set<String> = []) {
        guard let hook else { return }
        var items = items
        var tags: Set<String> = []
        for target in targets {
            switch target {
            case .item(let item): items.insert(item.description)
            case .url(let url): items.formUnion(names(ofURL: url).map(\.description))
            // A cache may have items of which nothing is stored here.
            case .prefix(let prefix):
                let source = String(prefix.prefix { $0 != "/" })
                tags.formUnion(CacheTag.purged(.source(source), []))
            case .digest: break
            }
        }
        for item in items.compactMap({ Item($0) }) {
            tags.formUnion(CacheTag.purged(.item(item), []))
        }
        if !tags.isEmpty { hook.purged(tags.sorted(), soft: false) }
    }

    /// Returns what this node shows of an item that is purged.
    private func record(_ scope: PurgeScope) async throws -> ItemRecord? {
        guard shared != nil, case .item(let item) = scope else { return nil }
        return try await index.item(item.description)
    }

    /// Removes what uploads that began before the purge have put into the shared store since.
    private func removeLate(
        _ scope: PurgeScope, _ dropped: ItemRecord?, isLocal: Bool
    ) async throws {
        guard let shared, let dropped, case .item(let item) = scope else { return }
        do {
            try await shared.removeLate(item, dropped, isLocal: isLocal)
        } catch let error as ObjectError where isLocal {
            // The other node's purge is done here, and must not wait for the shared store.
            shared.objects.note(late: item.description, error)
        }
    }

    /// Returns the names of all pictures that a purge concerns; nil if they are too many to be listed.
    private func names(_ scope: PurgeScope, _ items: Set<String>) -> [Fingerprint]? {
        guard case .item(let item) = scope, items.count <= Self.mostListedItems else { return nil }
        let all = items.compactMap { Item($0) } + [item]
        let renditions = pictures.context.editions.current.renditions(in: ThumbnailFormat.allCases)
        return all.flatMap { item in
            renditions.map {
                Fingerprint(
                    PictureKey(item: item, rendition: sources.rendition($0, of: item)))
            }
        }
    }

    /// Looks for purges of other processes from now on, in the background.
    ///
    /// - Parameter more: looks for what else other processes have done.
    package func startFollowing(
        every pause: Duration = .seconds(1), _ more: @escaping @Sendable () async -> Void = {}
    ) {
        following.start { [weak self] in
            while let self, (try? await Task.sleep(for: pause)) != nil {
                await self.follow()
                await more()
            }
        }
    }

    package func stopFollowing() async { await following.stop() }

    /// Drops everything from memory if another process has purged. What was not purged comes back
    /// from disk.
    package func follow() async {
        guard await count.hasGrown() else { return }
        // Before memory is emptied, so that nothing comes back into it.
        await pictures.context.blocks.reload()
        pictures.context.originals.forgetBlocked()
        cache.forget(.all) { _ in true }
        memory.removeAll(nil) { _ in true }
        zoom.closePurged()
        changes.add()
    }

    /// Parses `all`, a source's name, `source/kind/id`, or a URL.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource`, `notFound` for an unknown kind, or `invalid`.
    package func scope(_ text: String) throws(Failure) -> PurgeScope {
        if text == "all" { return .all }
        guard text.contains("/") else { return .source(try sources.named(text).name) }
        return .item(try sources.item(text))
    }

    private func request(_ scope: PurgeScope, expiry: Date?) async throws -> PurgeRequest {
        var request = PurgeRequest(
            items: .all, expiry: expiry, documents: .all, besideMark: Originals.arrivedMark)
        switch scope {
        case .item(let item):
            request.items = .item("\(item)")
            request.documents = DocumentKeys(["item:\(item)"])
        case .source(let name):
            let source = try sources.named(name)
            request.items = .source(name)
            request.documents = DocumentKeys(
                Set(try await index.documentKeys(beginning: "api:").filter(source.owns(document:))),
                beginnings: Self.beginnings(of: name))
        case .all: break
        }
        return request
    }

    /// What the keys of a source's items and pages begin with.
    private static func beginnings(of source: String) -> [String] {
        ["item:\(source)/", "page:\(source)/"]
    }

    /// Drops documents from memory, also those that have not reached the index.
    private func forget(_ scope: PurgeScope, _ request: PurgeRequest) throws {
        guard case .source(let name) = scope else {
            return cache.forget(scope, request.documents.contains)
        }
        let source = try sources.named(name)
        cache.forget(scope) { request.documents.contains($0) || source.owns(document: $0) }
    }
}

extension Source {
    /// Returns whether an API response, stored under `api:` and its URL, came from one of the
    /// source's hosts.
    fileprivate func owns(document key: String) -> Bool {
        guard key.hasPrefix("api:"), let host = URL(string: String(key.dropFirst(4)))?.host()
        else { return false }
        return hostPolicies.contains { $0.pattern.matches(host) }
    }
}
