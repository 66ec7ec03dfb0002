import Catalog
import Hashing
import Imaging
import Store

/// Warms many items at the same time. All levels of an item come from one decode.
///
/// Idempotent: fresh pictures are neither fetched nor rendered again, so an interrupted run
/// continues where it stopped.
struct Warmer: Sendable {
    /// Items that wait for those that go before them. Of more, further ones go at once.
    static let maxDeferred = 100_000

    private let pictures: Pictures
    private let purge: Purge
    private let storage: @Sendable () -> StoreStatus
    private let disk: @Sendable () -> UpkeepStatus
    private let request: WarmRequest
    private let monitor: WarmMonitor
    private let watch: WarmWatch
    private let clock = ContinuousClock()

    init(
        _ pictures: Pictures, _ purge: Purge, _ request: WarmRequest, _ monitor: WarmMonitor,
        storage: @escaping @Sendable () -> StoreStatus,
        disk: @escaping @Sendable () -> UpkeepStatus
    ) {
        self.pictures = pictures
        self.purge = purge
        self.storage = storage
        self.disk = disk
        self.request = request
        self.monitor = monitor
        watch = WarmWatch(pictures, request.renditions, disk: disk)
    }

    private struct Flight {
        var underWay = 0
        var pace: WarmPace
        var begun = 0
        /// Items that were taken from the list.
        var taken = 0
        /// Whether it is known that the rest fits, or that it doesn't.
        var isJudged = false
        /// Limit of those under way.
        var most = Int.max

        mutating func judge(_ shortage: WarmShortage) {
            isJudged = true
            if !shortage.replacesOlder { most = WarmRoom.mostUnderWay }
        }
    }

    /// Warms all items and calls `report` for each. On cancellation the items in flight end first.
    /// Begins no item once the cache evicts what the run has made.
    ///
    /// - Parameters:
    ///   - sizes: of its pictures; nil if that is only known from the first ones.
    ///   - agrees: called if not all items fit into what is free of the cache's limits: before the first one
    ///     begins where `sizes` are known, else before most do. Returns whether the run continues.
    /// - Throws: as ``Warm/run(_:_:report:agrees:)``.
    func run(
        _ items: some AsyncSequence<Item, any Error>, sizes: WarmSizes? = nil,
        report: @escaping @Sendable (WarmedItem) async throws -> Void,
        agrees: @Sendable (WarmShortage) async -> Bool = { _ in true }
    ) async throws -> WarmSummary {
        monitor.begin()
        var items = WarmAhead(items)
        var flight = Flight(pace: WarmPace(rate: request.rate))
        try await withThrowingTaskGroup(of: Void.self) { group in
            var broken: (any Error)?
            var deferred: [(item: Item, number: Int)] = []
            var isOpen = true
            do {
                if let sizes, let shortage = try await shortage(&items, sizes, &flight) {
                    monitor.note(shortage)
                    isOpen = await agrees(shortage)
                }
                while isOpen, !watch.isEvicting, let item = try await items.next() {
                    let number = flight.taken
                    flight.taken += 1
                    if deferred.count < Self.maxDeferred, try await waits(item) {
                        deferred.append((item, number))
                        continue
                    }
                    try await begin(item, number, &flight, &group, report)
                    if let shortage = try await shortage(&items, deferred, &flight, &group) {
                        monitor.note(shortage)
                        isOpen = await agrees(shortage)
                    }
                }
                for (item, number) in deferred where isOpen && !watch.isEvicting {
                    try await begin(item, number, &flight, &group, report)
                }
            } catch {
                // Finish the items in flight before reporting that the list can't be read.
                broken = error
            }
            try await group.waitForAll()
            if let broken { throw broken }
        }
        monitor.ended(evicted: try await watch.evicted(), begun: flight.begun)
        return monitor.summary
    }

    /// Returns what the whole run takes, by what is stored, if that is more than what is free; nil if it fits.
    /// Reads the list ahead for it, no further than it fits.
    private func shortage<Items>(
        _ items: inout WarmAhead<Items>, _ sizes: WarmSizes, _ flight: inout Flight
    ) async throws -> WarmShortage? {
        let room = WarmRoom(disk(), made: DiskUsage())
        let thumbnails = request.renditions.count
        let whole = { (count: Int) in
            sizes.usage(originals: count, thumbnails: count * thumbnails)
        }
        // If all that is read ahead fits, the first pictures decide about the rest.
        let most = WarmAhead<Items>.most
        guard room.shortage(of: most, whole(most), .stored) != nil else { return nil }
        let ahead = try await items.readAhead()
        guard room.shortage(of: ahead.count, whole(ahead.count), .stored) != nil else {
            return nil
        }
        // Some of the items may be stored.
        var forecast = WarmForecast()
        for item in ahead {
            forecast.add(try await need(item), onlyMissing: request.onlyMissing)
        }
        let usage = sizes.usage(originals: forecast.originals, thumbnails: forecast.thumbnails)
        let shortage = room.shortage(of: forecast.missing, usage, .stored)
        if let shortage { flight.judge(shortage) }
        return shortage
    }

    /// Returns what the rest of the run takes if that is more than what is free; nil if it fits, or if that
    /// was decided before. While it is in doubt, the first items end before others begin.
    private func shortage<Items>(
        _ items: inout WarmAhead<Items>, _ deferred: [(item: Item, number: Int)],
        _ flight: inout Flight, _ group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws -> WarmShortage? {
        if flight.isJudged { return nil }
        let waiting = monitor.listed - flight.begun
        let isSampled = monitor.made.pictures >= WarmRoom.sample
        if !isSampled, flight.begun % WarmRoom.sample == 0,
            !WarmRoom(disk(), made: monitor.made.stored).isAmple(for: waiting)
        {
            try await group.waitForAll()
            flight.underWay = 0
        }
        let made = monitor.made
        guard made.pictures >= WarmRoom.sample else { return nil }
        let room = WarmRoom(disk(), made: made.stored)
        guard room.shortage(of: waiting, by: made.pictures, made.stored) != nil else { return nil }
        // Some of the items may be stored.
        flight.isJudged = true
        var missing = 0
        for item in try await items.readAhead() where try await need(item).state == .missing {
            missing += 1
        }
        for (item, _) in deferred where try await need(item).state == .missing { missing += 1 }
        let shortage = room.shortage(of: missing, by: made.pictures, made.stored)
        if let shortage { flight.judge(shortage) }
        return shortage
    }

    /// Returns whether other items go before this one.
    private func waits(_ item: Item) async throws -> Bool {
        switch request.priority {
        case .list: false
        case .missing: try await need(item).state == .stale
        case .stale: try await need(item).state == .missing
        }
    }

    private func need(_ item: Item) async throws(Failure) -> WarmNeed {
        try await pictures.need(item, request.renditions).need.asked(request.again)
    }

    private func begin(
        _ item: Item, _ number: Int, _ flight: inout Flight,
        _ group: inout ThrowingTaskGroup<Void, any Error>,
        _ report: @escaping @Sendable (WarmedItem) async throws -> Void
    ) async throws {
        if flight.underWay >= min(max(1, request.concurrency), flight.most) {
            try await group.next()
            flight.underWay -= 1
        }
        try Task.checkCancellation()
        await pictures.visitors.gone()
        if let turn = flight.pace.turn(at: clock.now) { try await clock.sleep(until: turn) }
        try Task.checkCancellation()
        flight.underWay += 1
        flight.begun += 1
        group.addTask {
            var (warmed, result) = try await monitor.meter.during { try await ensure(item) }
            warmed.number = number
            monitor.count(warmed, result)
            if warmed.ending.isPicture { try await watch.add(item) }
            try await report(warmed)
        }
    }

    private func ensure(_ item: Item) async throws -> (WarmedItem, MissResult?) {
        do throws(Failure) {
            if let known = try await known(item) { return known }
            if request.again == .all { try await purge.forget(item, soft: true) }
            var result = try await pictures.ensure(item, request.renditions)
            if request.again != .none, result.isRemembered {
                // It may be remembered of other levels only.
                try await purge.forget(item, soft: false)
                result = try await pictures.ensure(item, request.renditions)
            }
            // Thumbnails that are only in memory are lost when the run ends.
            if let trouble = storage().trouble, trouble.isLasting {
                throw Failure(trouble)
            }
            let warmed = WarmedItem(item: item, ending: Self.ending(result))
            return (try await described(warmed), result)
        } catch {
            // A full or unusable store, or credentials that are missing, stop the run: every
            // further item would fail alike.
            switch error.kind {
            case .diskFull, .storeUnusable, .unconfigured: throw error
            case .canceled: throw CancellationError()
            default: break
            }
            return (WarmedItem(item: item, ending: .failed(reason: "\(error)")), nil)
        }
    }

    /// Returns what is stored of an item that needs nothing; nil if there is something to do, or to
    /// find out. Neither its catalog nor an origin is asked.
    private func known(_ item: Item) async throws(Failure) -> (WarmedItem, MissResult?)? {
        if request.again == .all { return nil }
        let (need, blobs) = try await pictures.need(item, request.renditions)
        let isDone = need.state == .fresh || request.onlyMissing && need.state == .stale
        guard isDone, !need.isPlaceholder, try await pictures.areStored(blobs) else { return nil }
        var result = MissResult(trace: Trace(resolvedAt: pictures.now()))
        result.reused = need.reused
        let ending = need.fallback.map { WarmedItem.Ending.fallback(reason: $0) } ?? .picture
        return (try await described(WarmedItem(item: item, ending: ending)), result)
    }

    private func described(_ warmed: WarmedItem) async throws(Failure) -> WarmedItem {
        guard request.isDetailed else { return warmed }
        var warmed = warmed
        warmed.stored = try await pictures.described(warmed.item, request.renditions)
        return warmed
    }

    private static func ending(_ result: MissResult) -> WarmedItem.Ending {
        guard let failure = result.failure else {
            return result.trace.fallback.map { .fallback(reason: $0) } ?? .picture
        }
        return failure.isTransient || failure.kind == .refused
            ? .failed(reason: failure.reason) : .placeholder(reason: failure.reason)
    }
}

extension Pictures {
    /// Returns what a warm run has to do for an item, by the index, and the blobs of the thumbnails
    /// that are stored.
    func need(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(Failure) -> (need: WarmNeed, blobs: [Digest]) {
        try await Failure.catching { [self] in
            let item = await pictured(item)
            let now = now()
            let renditions = adapted(renditions, to: item)
            let bindings = try await thumbnails.bindings(of: item).map { record in
                (
                    record: record,
                    until: thumbnails.freshness.believed(
                        record.freshUntil, since: record.resolvedAt, now: now)
                )
            }
            var stored: [Digest: [ThumbnailKey: Digest]] = [:]
            for original in Set(bindings.compactMap(\.record.original)) {
                for record in try await thumbnails.index.thumbnails(of: original) {
                    stored[original, default: [:]][record.key] = record.digest
                }
            }
            var blobs: [Digest] = []
            let need = WarmNeed(renditions, bindings, at: now) { original, rendition in
                guard let blob = stored[original]?[thumbnails.key(original, rendition)] else {
                    return false
                }
                blobs.append(blob)
                return true
            }
            return (need, blobs)
        }
    }

    /// Returns whether the files of all these blobs are there.
    func areStored(_ digests: [Digest]) async throws(Failure) -> Bool {
        try await Failure.catching { [self] in
            for digest in digests where try await !thumbnails.blobs.contains(digest) {
                return false
            }
            return true
        }
    }

    /// Returns what is stored of an item's picture; nil if it has none.
    func described(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(Failure) -> WarmedPicture? {
        try await Failure.catching { [self] in
            let item = await pictured(item)
            let renditions = adapted(renditions, to: item)
            let wanted = Set(renditions.map(\.level.key))
            let bindings = try await thumbnails.bindings(of: item)
            guard
                let binding = bindings.first(where: {
                    wanted.contains($0.level) && $0.original != nil
                }), let digest = binding.original
            else { return nil }
            var picture = WarmedPicture(digest: digest, thumbnails: [:])
            picture.summary = try await thumbnails.index.summary(of: digest)
                .flatMap(PictureSummary.init)
            if let url = binding.url {
                picture.byteCount = try await thumbnails.index.original(url: url)?.byteCount
            }
            let stored = try await thumbnails.index.thumbnails(of: digest)
            for rendition in renditions {
                let key = thumbnails.key(digest, rendition)
                guard let record = stored.first(where: { $0.key == key }) else { continue }
                let name = "\(rendition.level.name).\(rendition.format.fileExtension)"
                picture.thumbnails[name] = record.digest
            }
            return picture
        }
    }
}
