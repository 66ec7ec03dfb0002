import Catalog
import Hashing
import Imaging
import Store

/// Warms many items at the same time. All levels of an item come from one decode.
///
/// Idempotent: fresh pictures are neither fetched nor rendered again, so an interrupted run
/// continues where it stopped.
struct Warmer: WarmSink {
    /// Items that wait for those that go before them. Of more, further ones go at once.
    static let maxDeferred = 100_000
    /// Items that are read ahead at most to tell whether all fit, at about 100 bytes each.
    private static let mostAhead = 100_000

    let request: WarmRequest
    let pictures: Pictures
    let purge: Purge
    let pins: Pins
    /// Returns the state of the store.
    let storage: @Sendable () -> StoreStatus
    /// Returns what the cache takes on disk.
    let disk: @Sendable () -> UpkeepStatus
    /// What pictures of the run take on disk; nil if too little is stored to tell.
    let sizes: WarmSizes?
    /// See ``Warm/run(_:_:in:report:agrees:)``.
    let agrees: @Sendable (WarmShortage) async -> Bool

    /// The state of a run: where it is in its list, and what is under way.
    private struct Flight {
        var items: WarmItems.AsyncIterator
        var pace: WarmPace
        let monitor: WarmMonitor
        let watch: WarmWatch
        let pins: WarmPins?
        let report: @Sendable (WarmedItem) async throws -> Void
        /// Items that wait for those that go before them, with their numbers.
        var deferred: [(item: Item, number: Int)] = []
        var underWay = 0
        var begun = 0
        /// Items that were taken from the list.
        var taken = 0
        /// Whether it is known that the rest fits, or that it doesn't.
        var isJudged = false
        /// Limit of those under way.
        var most: Int

        mutating func judge(_ shortage: WarmShortage) {
            isJudged = true
            if !shortage.replacesOlder { most = min(most, WarmRoom.mostUnderWay) }
            monitor.note { $0.shortage = shortage }
        }
    }

    func make(
        _ items: WarmItems, _ monitor: WarmMonitor,
        report: @escaping @Sendable (WarmedItem) async throws -> Void
    ) async throws {
        var flight = Flight(
            items: items.makeAsyncIterator(), pace: WarmPace(rate: request.rate), monitor: monitor,
            watch: WarmWatch(pictures, request.renditions, disk: disk),
            pins: request.isPinned ? WarmPins(pins) : nil, report: report,
            most: max(1, request.concurrency))
        try await withThrowingTaskGroup(of: Void.self) { group in
            var broken: (any Error)?
            do {
                try await begin(&flight, &group)
            } catch {
                // Finish the items in flight before reporting that the list can't be read.
                broken = error
            }
            try await group.waitForAll()
            if let broken { throw broken }
        }
        let evicted = try await flight.watch.evicted()
        let left = max(0, monitor.listed - flight.begun)
        let pins = try await flight.pins?.finish()
        monitor.note { ($0.evicted, $0.left, $0.pins) = (evicted, left, pins) }
    }

    /// Begins the items until there are none, the cache evicts what was made, or the operator doesn't agree.
    private func begin(
        _ flight: inout Flight, _ group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        if let sizes, let shortage = try await shortage(sizes, &flight), await !agrees(shortage) {
            return
        }
        while !flight.watch.isEvicting, let item = try await flight.items.next() {
            let number = flight.taken
            flight.taken += 1
            if flight.deferred.count < Self.maxDeferred, try await waits(item) {
                flight.deferred.append((item, number))
                continue
            }
            try await begin(item, number, &flight, &group)
            if let shortage = try await shortage(&flight, &group), await !agrees(shortage) {
                return
            }
        }
        for (item, number) in flight.deferred where !flight.watch.isEvicting {
            try await begin(item, number, &flight, &group)
        }
    }

    /// Returns what the whole run takes, by what is stored, if that is more than what is free; nil if it fits.
    /// Reads the list ahead for it, no further than it fits.
    private func shortage(
        _ sizes: WarmSizes, _ flight: inout Flight
    ) async throws -> WarmShortage? {
        let room = WarmRoom(disk(), made: DiskUsage())
        let thumbnails = request.renditions.count
        let whole = { (count: Int) in
            sizes.usage(originals: count, thumbnails: count * thumbnails)
        }
        // If all that is read ahead fits, the first pictures decide about the rest.
        let most = Self.mostAhead
        guard room.shortage(of: most, whole(most), .stored) != nil else { return nil }
        let ahead = try await flight.items.readAhead(most)
        guard room.shortage(of: ahead.count, whole(ahead.count), .stored) != nil else {
            return nil
        }
        // Some of the items may be stored.
        var forecast = WarmForecast()
        var seen = SeenItems()
        for item in ahead {
            let lack = try await pictures.lack(item, request.renditions)
            let need = lack.need.asked(request.again)
            forecast.add(
                seen.insert(lack.kept) ? need : need.repeated, onlyMissing: request.onlyMissing)
        }
        let usage = sizes.usage(originals: forecast.originals, thumbnails: forecast.thumbnails)
        let shortage = room.shortage(of: forecast.missing, usage, .stored)
        if let shortage { flight.judge(shortage) }
        return shortage
    }

    /// Returns what the rest of the run takes if that is more than what is free; nil if it fits, or if that
    /// was decided before. While it is in doubt, the first items end before others begin.
    private func shortage(
        _ flight: inout Flight, _ group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws -> WarmShortage? {
        if flight.isJudged { return nil }
        let monitor = flight.monitor
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
        let ahead = try await flight.items.readAhead(Self.mostAhead)
        for item in ahead + flight.deferred.map(\.item)
        where try await need(item).state == .missing { missing += 1 }
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

    private func need(_ item: Item) async throws(Failure) -> ItemLack {
        try await pictures.lack(item, request.renditions).need.asked(request.again)
    }

    private func begin(
        _ item: Item, _ number: Int, _ flight: inout Flight,
        _ group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        if flight.underWay >= flight.most {
            try await group.next()
            flight.underWay -= 1
        }
        try Task.checkCancellation()
        await pictures.visitors.gone()
        if let turn = flight.pace.turn(at: .now) {
            try await ContinuousClock().sleep(until: turn)
        }
        try Task.checkCancellation()
        flight.underWay += 1
        flight.begun += 1
        let (monitor, watch, pins) = (flight.monitor, flight.watch, flight.pins)
        let report = flight.report
        group.addTask {
            var (warmed, result) = try await monitor.during { try await ensure(item) }
            warmed.number = number
            monitor.count(warmed, result)
            if warmed.ending.isPicture {
                try await watch.add(item)
                try await pins?.add(item)
            }
            try await report(warmed)
        }
    }

    private func ensure(_ item: Item) async throws -> (WarmedItem, MissResult?) {
        do throws(Failure) {
            if let known = try await known(item) {
                try await showInLists(item)
                return known
            }
            if request.again == .all { try await purge.forget(item, soft: true) }
            let result = try await made(item)
            try await showInLists(item)
            // Thumbnails that are only in memory are lost when the run ends.
            if let trouble = storage().trouble, trouble.isLasting {
                // Without rows nothing of the run is found again.
                guard !trouble.isOfAllBlobs, pictures.thumbnails.index.status.trouble == nil else {
                    throw Failure(trouble)
                }
                let (_, blobs) = try await pictures.need(item, request.renditions)
                if blobs.contains(where: pictures.thumbnails.blobs.isUnsaved) {
                    return (WarmedItem(item: item, ending: .failed(reason: "\(trouble)")), nil)
                }
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

    private func made(_ item: Item) async throws(Failure) -> MissResult {
        let result = try await pictures.ensure(item, request.renditions)
        guard request.again != .none, result.isRemembered else { return result }
        // It may be remembered of other levels only.
        try await purge.forget(item, soft: false)
        return try await pictures.ensure(item, request.renditions)
    }

    /// Lets the items of lists whose rows name this URL show its picture. Its original is stored by its URL, so
    /// the origin is not asked again.
    private func showInLists(_ item: Item) async throws(Failure) {
        guard !request.lists.isEmpty, let url = SignedURL.url(of: item) else { return }
        for list in request.lists {
            let listed = list.named(url)
            if try await pictures.need(listed, request.renditions).need.state != .fresh {
                _ = try await made(listed)
            }
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

/// When the next item of a run may begin. Pure.
struct WarmPace {
    typealias Instant = ContinuousClock.Instant

    private let interval: Duration?
    private var next: Instant?

    /// - Parameter rate: items per second; nil for no limit.
    init(rate: Double?) { interval = rate.map { .seconds(1 / $0) } }

    /// Takes the next turn. Returns when it comes; nil if it is now.
    mutating func turn(at now: Instant) -> Instant? {
        guard let interval else { return nil }
        let turn = max(now, next ?? now)
        next = turn.advanced(by: interval)
        return turn > now ? turn : nil
    }
}
