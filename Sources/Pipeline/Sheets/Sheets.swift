package import Catalog
package import FoundationEssentials
package import Hashing
package import Imaging
package import Store
import Synchronization

/// The tiles of a contact sheet and their positions.
package struct SheetPlan: Sendable {
    package struct Tile: Sendable, Equatable {
        package var item: Item
        package var frame: SheetLayout.Frame
        package var isPlaceholder: Bool
        /// The thumbnail's digest.
        package var digest: Digest
        /// Why the placeholder is shown.
        var failure: Failure?
    }

    package var layout: SheetLayout
    package var tiles: [Tile]
    /// The earliest expiry of a tile.
    package var freshUntil: Date
    /// Whether only private caches may keep one of the pictures.
    package var isPrivate = false
    /// Whether a tile has expired.
    package var isStale: Bool
    /// Whether a tile was rendered for it.
    package var wasMade: Bool
}

/// A contact sheet, and how it was obtained.
package struct SheetAnswer: Sendable {
    package var plan: SheetPlan
    package var blob: OpenBlob
    package var renderedAt: Date
    package var outcome: CacheOutcome
}

/// The key of a sheet. Equal requests in flight are coalesced, if they began with the same settings.
struct SheetRequest: Hashable, Sendable {
    var items: [Item]
    var rendition: Rendition
    /// ``Edition/number``
    var edition: Int
}

/// Contact sheets of items.
package final class Sheets: Sendable {
    /// Limit of concurrent pictures for one sheet, because most of them come from one host.
    private static let concurrency = 16
    /// Limit of sheets that are drawn or wait for it, each with the bytes of its thumbnails.
    private static let drawingLimit = 8

    private let pictures: Pictures
    private var edition: Edition { pictures.context.editions.current }
    private var renderer: Renderer { edition.renderer }
    private var levels: [Level] { edition.configuration.levels }
    private let inFlight = InFlight<SheetRequest, Void, Result<SheetAnswer, any Error>> {
        _, _ in true
    }
    private let drawing = Mutex(0)

    private var thumbnails: StoredThumbnails { pictures.thumbnails }
    private var now: @Sendable () -> Date { pictures.now }

    init(_ pictures: Pictures) { self.pictures = pictures }

    /// Returns the plan of a sheet of these items. Makes the thumbnails that are missing.
    ///
    /// - Throws: ``Failure`` of kind `sheetTooLarge`, and as
    ///   ``Pictures/picture(of:level:format:)``.
    package func plan(
        of items: [Item], level: Level, format: ThumbnailFormat
    ) async throws(Failure) -> SheetPlan {
        let layout = try layout(count: items.count, level)
        return try await Failure.catching { [self] in
            try await plan(request(items, level, format), layout)
        }
    }

    /// Returns the contact sheet of these items in their order, stored or drawn. Concurrent callers
    /// share one drawing.
    ///
    /// It is stored like a thumbnail whose original is the list of its tiles. If a tile changes, it
    /// is a different sheet.
    ///
    /// - Throws: as ``plan(of:level:format:)``; `overloaded` also if too many sheets are drawn.
    package func sheet(
        of items: [Item], level: Level, format: ThumbnailFormat
    ) async throws(Failure) -> SheetAnswer {
        let layout = try layout(count: items.count, level)
        let order = request(items, level, format)
        return try await Failure.catching { [self] in
            var (answer, joined) = try await inFlight.made(for: order) { [self] in
                try await sheet(order, layout)
            }
            if joined, answer.outcome == .miss { answer.outcome = .collapsed }
            return answer
        }
    }

    /// Returns the sheet if it and all its thumbnails are stored and fresh. Makes nothing.
    ///
    /// - Throws: as ``plan(of:level:format:)``.
    package func storedSheet(
        of items: [Item], level: Level, format: ThumbnailFormat
    ) async throws(Failure) -> SheetAnswer? {
        let layout = try layout(count: items.count, level)
        let order = request(items, level, format)
        return try await Failure.catching { [self] in
            let shown = try await stored(order)
            guard order.items.allSatisfy({ shown[$0] != nil }) else { return nil }
            return try await stored(plan(order, layout, shown, wasMade: false), order)
        }
    }

    /// Returns the request of a sheet of items, which all are of one source.
    private func request(
        _ items: [Item], _ level: Level, _ format: ThumbnailFormat
    ) -> SheetRequest {
        let level = items.first.map { pictures.context.sources.level(level, of: $0) } ?? level
        return SheetRequest(
            items: items, rendition: Rendition(level: level, format: format),
            edition: edition.number)
    }

    private func layout(count: Int, _ level: Level) throws(Failure) -> SheetLayout {
        let policy = renderer.sheets
        let layout = SheetLayout(count: count, level: level)
        if policy.allows(layout) { return layout }
        let smaller = levels.last { other in
            other.width * other.height < level.width * level.height
                && policy.allows(SheetLayout(count: count, level: other))
        }
        let advice = smaller.map { "take level “\($0.name)”, or filter the list." }
        throw Failure(
            .sheetTooLarge,
            "A sheet of \(count) thumbnails of level “\(level.name)” has more than "
                + "\(policy.maxPixels / 1_000_000) million pixels; \(advice ?? "filter the list.")")
    }

    private func sheet(_ order: SheetRequest, _ layout: SheetLayout) async throws -> SheetAnswer {
        let plan = try await plan(order, layout)
        if let stored = try await stored(plan, order) { return stored }
        let key = key(of: plan, order.rendition)
        return try await bounded { [self] in
            var thumbnails: [[UInt8]] = []
            for tile in plan.tiles {
                thumbnails.append(try await bytes(of: tile, order.rendition))
            }
            let bytes = try await renderer.sheet(
                thumbnails, layout, order.rendition.format)
            let facts = PictureFacts(
                digest: try await self.thumbnails.blobs.keep(bytes), byteCount: bytes.count,
                width: layout.width, height: layout.height, renderedAt: now())
            try await self.thumbnails.index.record(thumbnails: [ThumbnailRecord(key, facts)])
            guard let blob = try await self.thumbnails.blobs.open(facts.digest) else {
                throw pictures.context.originals.failure(.unavailable, "The sheet was lost.")
            }
            return SheetAnswer(
                plan: plan, blob: blob, renderedAt: facts.renderedAt, outcome: .miss)
        }
    }

    /// Returns the sheet of a plan if it is stored.
    private func stored(_ plan: SheetPlan, _ order: SheetRequest) async throws -> SheetAnswer? {
        guard let record = try await thumbnails.index.thumbnail(key(of: plan, order.rendition)),
            let blob = try await thumbnails.blobs.open(record.facts.digest)
        else { return nil }
        return SheetAnswer(
            plan: plan, blob: blob, renderedAt: record.facts.renderedAt,
            outcome: plan.isStale ? .stale : .hit)
    }

    /// Draws unless too many sheets are drawn already.
    private func bounded<Value>(_ draw: () async throws -> Value) async throws -> Value {
        let isFull = drawing.withLock { count in
            if count == Self.drawingLimit { return true }
            count += 1
            return false
        }
        if isFull { throw Failure.overloaded(retryAfter: 1) }
        defer { drawing.withLock { $0 -= 1 } }
        return try await draw()
    }

    private func key(of plan: SheetPlan, _ rendition: Rendition) -> ThumbnailKey {
        let list = (["sheet"] + plan.tiles.map(\.digest.hex)).joined(separator: "\n")
        var key = thumbnails.key(Digest(of: Array(list.utf8)), rendition)
        key.level = "sheet-\(key.level)"
        key.recipe +=
            "-\(plan.layout.columns)-\(plan.layout.gutter)"
            + "-\(renderer.sheets.background.hex)"
        return key
    }

    private func plan(_ order: SheetRequest, _ layout: SheetLayout) async throws -> SheetPlan {
        let (shown, wasMade) = try await shown(order)
        return plan(order, layout, shown, wasMade: wasMade)
    }

    private func plan(
        _ order: SheetRequest, _ layout: SheetLayout, _ shown: [Item: Picture], wasMade: Bool
    ) -> SheetPlan {
        var plan = SheetPlan(
            layout: layout, tiles: [], freshUntil: .distantFuture, isStale: false,
            wasMade: wasMade)
        for (index, item) in order.items.enumerated() {
            guard let one = shown[item] else { continue }
            plan.tiles.append(
                .init(
                    item: item,
                    frame: layout.frame(
                        index, width: one.facts.width, height: one.facts.height),
                    isPlaceholder: one.isPlaceholder, digest: one.facts.digest,
                    failure: one.isPlaceholder ? one.failure : nil))
            plan.freshUntil = min(plan.freshUntil, one.freshUntil)
            if one.isPrivate { plan.isPrivate = true }
            if !one.isPlaceholder, one.freshUntil <= now() { plan.isStale = true }
        }
        return plan
    }

    /// Returns the pictures of the items without their bytes, and whether one of them was rendered for this. Stored
    /// ones need one query; the others are made like single thumbnails.
    private func shown(_ order: SheetRequest) async throws -> ([Item: Picture], wasMade: Bool) {
        let rendition = order.rendition
        var shown = try await stored(order)
        var wasMade = false
        var waiting = order.items.filter { shown[$0] == nil }.makeIterator()
        try await withThrowingTaskGroup(of: (Item, PictureAnswer).self) { group in
            func startNext() {
                guard let item = waiting.next() else { return }
                group.addTask { [self] in
                    (
                        item,
                        try await pictures.picture(
                            of: item, level: rendition.level, format: rendition.format)
                    )
                }
            }
            for _ in 0..<Self.concurrency { startNext() }
            for try await (item, answer) in group {
                shown[item] = answer.picture.withoutBytes
                wasMade = wasMade || [.miss, .collapsed].contains(answer.outcome)
                startNext()
            }
        }
        return (shown, wasMade)
    }

    /// Returns the pictures of the items that are stored, with one query.
    private func stored(_ order: SheetRequest) async throws -> [Item: Picture] {
        let rendition = order.rendition
        let records = try await thumbnails.index.tiles(
            items: order.items.map(\.description), level: rendition.level.key,
            format: rendition.format.rawValue,
            recipe: renderer.recipe(for: rendition))
        var shown: [Item: Picture] = [:]
        for record in records {
            // A file or a list may have changed since, which only looking at it tells.
            guard let item = Item(record.item), !pictures.isFile(item), !pictures.isListed(item)
            else { continue }
            shown[item] = try await known(record, rendition)
        }
        return shown
    }

    /// Returns `nil` if a miss is needed: nothing is stored, or it has expired and no failure is
    /// remembered.
    private func known(_ record: TileRecord, _ rendition: Rendition) async throws -> Picture? {
        let known = record.resolution.believed(thumbnails.freshness, at: now())
            .unlessBlocked(thumbnails.blocks)
        if let thumbnail = record.thumbnail, known.original != nil {
            guard known.freshUntil > now() || known.isRemembered else { return nil }
            return Picture(thumbnail, rendition.format, known)
        }
        guard known.original == nil, let failure = known.failure, known.isRemembered else {
            return nil
        }
        return try await thumbnails.placeholder(rendition, failure).withoutBytes
    }

    /// Returns the bytes of a tile. They are rendered again if the blob is gone.
    private func bytes(
        of tile: SheetPlan.Tile, _ rendition: Rendition
    ) async throws -> [UInt8] {
        if let failure = tile.failure {
            let bytes = try await thumbnails.placeholder(rendition, failure).bytes
            if bytes.isEmpty { throw failure }
            return bytes
        }
        if let bytes = try await thumbnails.blobs.load(tile.digest) { return bytes }
        return try await pictures.picture(
            of: tile.item, level: rendition.level, format: rendition.format
        ).picture.bytes
    }
}
