import Catalog
import Memory
package import Pipeline
import Synchronization
package import WorkQueue

/// Warms a list with the workers of a fleet.
///
/// The list is read here, and its items are queued a few at a time. The run is done when the shared
/// store lacks nothing, not when the queue is empty: a queue may lose a job.
package final class FleetRun: WarmSink {
    package struct Options: Sendable {
        package var lane = QueueJob.Lane.low
        /// Queues items although the same were queued seconds ago.
        package var isForced = false
        /// Jobs in the queue above which nothing is added. Each has up to 16 items.
        package var mostQueued = 10_000
        /// Queues only what the store lacks.
        package var onlyMissing = false
        /// Whether the run is over when all is queued.
        package var isDetached = false

        package init() {}
    }

    /// The part of a list that is queued. The command that is repeated after an interruption
    /// continues behind it.
    struct Cursor: Sendable, Equatable, Codable {
        var generation = 0
        /// Items of the list that are queued, from its beginning.
        var queued = 0
        var isDone = false
    }

    /// Jobs between two looks at the backlog, and two writes of the cursor.
    private static let step = 50
    /// The pause before another look at a backlog that is too long, and at the progress.
    private static let pause = Duration.milliseconds(500)
    /// Items that are looked up in the store at once.
    private static let chunk = 256
    /// What is missing after so many rounds fails in every one.
    private static let maxRounds = 4
    private static let lastLooks = 5
    /// Look-ups at the same time.
    private static let concurrency = 32
    /// Items that are named in errors, and reasons that are kept.
    private static let maxNamed = 20
    private static let maxReasons = 1_000

    private let hub: Hub
    private let warm: Warm
    private let store: any FleetStore
    private let request: WarmRequest
    private let options: Options
    /// Items that are queued by this process.
    private let queued = Mutex(0)
    /// Names the run by its list and recipe.
    let id: String

    package init(
        _ hub: Hub, _ warm: Warm, _ store: any FleetStore, _ request: WarmRequest,
        _ options: Options
    ) {
        self.hub = hub
        self.warm = warm
        self.store = store
        self.request = request
        self.options = options
        id = String(
            WarmJob.hex("\(request.name)\n\(request.limit ?? 0)\n\(store.recipe)").prefix(16))
    }

    /// Queues the items, waits for the workers, and queues again what the store lacks, until it lacks
    /// nothing or as much as before. Reports each item once the store has it, and at the end those that it
    /// lacks. Continues a run that was interrupted.
    package func make(
        _ items: WarmItems, _ monitor: WarmMonitor,
        report: @escaping @Sendable (WarmedItem) async throws -> Void
    ) async throws {
        let listed = try await queue(items, monitor)
        if options.isDetached {
            var summary = WarmSummary()
            (summary.run, summary.listed) = (id, listed)
            return monitor.show(summary, backlog: 0)
        }
        var comparison = Comparison()
        for round in 1...Self.maxRounds {
            let before = round > 1 ? comparison.lacking : nil
            try await workersAreDone(monitor)
            let generation = "check \(round) \(UInt64.random(in: 0...(.max)))"
            try await compare(&comparison, queuing: generation, monitor, report)
            if comparison.lacking == 0 || comparison.lacking == before { break }
        }
        try await end(comparison, listed, monitor, report)
    }

    // MARK: - Queueing

    /// Queues the items of the list. Returns their number.
    private func queue(_ items: WarmItems, _ monitor: WarmMonitor) async throws -> Int {
        var cursor = try await cursor()
        if cursor.isDone || options.isForced {
            cursor = Cursor(generation: cursor.generation + (options.isForced ? 1 : 0))
            try await RunProgress.remove(id, hub)
        }
        let done = cursor.queued
        var batches = Batches()
        var jobs = 0
        var number = 0
        for try await item in items {
            number += 1
            guard number > done, let full = batches.add(item, number) else { continue }
            try await publish(full, "\(cursor.generation)")
            jobs += 1
            guard jobs % Self.step == 0 else { continue }
            cursor.queued = batches.begun(before: number)
            try await store(cursor)
            try await pace(monitor)
        }
        for rest in batches.rest() { try await publish(rest, "\(cursor.generation)") }
        cursor.queued = number
        try await store(cursor)
        return number
    }

    private var key: String { "run.\(id)" }

    private func cursor() async throws(QueueError) -> Cursor {
        guard let value = try await hub.values.value(key) else { return Cursor() }
        // One that can't be read counts as none: the list is queued from its beginning, and workers
        // find what is done.
        return Cursor(json: value.bytes) ?? Cursor()
    }

    private func store(_ cursor: Cursor) async throws(QueueError) {
        try await hub.values.set(key, try cursor.json("the cursor of a run"))
    }

    private func publish(_ batch: [Item], _ generation: String) async throws {
        guard let first = batch.first else { return }
        var items = batch
        if options.onlyMissing {
            let found = try await store.check(batch, concurrency: Self.concurrency)
            items = batch.filter { !isDone(found[$0]) }
        }
        guard !items.isEmpty else { return }
        let known = try await warm.descriptions(of: items)
        for job in try WarmJob.jobs(items, known, run: id) {
            let queued = try job.queued(
                recipe: store.recipe, origin: WarmJob.origin(of: first), lane: options.lane,
                generation: generation)
            _ = try await hub.queue.publish(queued)
            self.queued.withLock { $0 += job.items.count }
        }
    }

    private func isDone(_ item: SharedItem?) -> Bool {
        guard let state = item?.state else { return false }
        return state.isDone || options.onlyMissing && state == .stale
    }

    /// Waits while the queue has too many jobs. The backlog is asked for, because a stream that is
    /// full loses messages.
    private func pace(_ monitor: WarmMonitor) async throws {
        while true {
            let backlog = try await hub.queue.backlog().count
            _ = try await look(monitor, backlog)
            guard backlog > options.mostQueued else { return }
            try await Task.sleep(for: Self.pause)
        }
    }

    // MARK: - Waiting

    private func workersAreDone(_ monitor: WarmMonitor) async throws {
        while true {
            try Task.checkCancellation()
            let backlog = try await hub.queue.backlog()
            let done = try await look(monitor, backlog.count).summary.items
            let own = backlog.parts.filter { $0.route == QueueJob.token(store.recipe) }
                .reduce(0) { $0 + $1.waiting + $1.leased }
            let queued = queued.withLock(\.self)
            if own == 0 || queued > 0 && queued <= done { return }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Returns what all workers did, and shows it.
    private func look(
        _ monitor: WarmMonitor, _ backlog: Int
    ) async throws(QueueError) -> RunProgress {
        let progress = try await RunProgress.of(id, hub)
        monitor.show(progress.summary, backlog: backlog)
        return progress
    }

    /// Shows what the run did, and reports what the store lacks.
    private func end(
        _ comparison: Comparison, _ listed: Int, _ monitor: WarmMonitor,
        _ report: @escaping @Sendable (WarmedItem) async throws -> Void
    ) async throws {
        var progress = RunProgress()
        // Workers report once a second. One that died has reported less than it did.
        for number in 1...Self.lastLooks {
            progress = try await look(monitor, 0)
            let isAll = queued.withLock(\.self) <= progress.summary.items
            if isAll || number == Self.lastLooks { break }
            try await Task.sleep(for: Self.pause)
        }
        var cursor = try await cursor()
        cursor.isDone = true
        try await store(cursor)
        var summary = progress.summary
        (summary.run, summary.listed) = (id, listed)
        (summary.dead, summary.retries) = (summary.dead ?? 0, summary.retries ?? 0)
        // What the store has counts, and not how often workers tried. A list on standard input can't be
        // read again.
        if comparison.listed >= listed {
            var ended = comparison.summary
            if comparison.lacking > 0 {
                try await lacking(comparison) { warmed in
                    var warmed = warmed
                    if let reason = progress.reasons["\(warmed.item)"] {
                        warmed.ending = .failed(reason: reason)
                    }
                    ended.count(warmed.ending)
                    try await report(warmed)
                }
            }
            (summary.items, summary.fallbacks) = (ended.items, ended.fallbacks)
            (summary.placeholders, summary.failed) = (ended.placeholders, ended.failed)
            (summary.missing, summary.named) = (comparison.lacking, comparison.named)
        }
        monitor.show(summary, backlog: 0)
    }

    // MARK: - Comparing

    /// What the store has of the list.
    private struct Comparison {
        /// Items of the list, and those that the store lacks.
        var listed = 0
        var lacking = 0
        /// The first of these.
        var named: [String] = []
        /// Whether the store has the item of each number.
        var isStored: [Bool] = []
        /// Why the store lacks the first of the others, by their numbers.
        var reasons: [Int: String] = [:]
        /// Of the items that it has.
        var summary = WarmSummary()

        mutating func add(_ item: Item, _ number: Int, reason: String?) {
            lacking += 1
            if named.count < FleetRun.maxNamed { named.append(item.description) }
            if reasons.count < FleetRun.maxReasons { reasons[number] = reason }
        }
    }

    /// Returns how many items the list has, how many of them the store lacks, and the first of these.
    ///
    /// - Parameter queuing: whether they are queued.
    package func reconcile(
        queuing: Bool
    ) async throws -> (listed: Int, missing: Int, named: [String]) {
        var comparison = Comparison()
        let generation = "reconcile \(UInt64.random(in: .min ... .max))"
        try await compare(
            &comparison, queuing: queuing ? generation : nil, warm.monitor(request)
        ) { _ in }
        return (comparison.listed, comparison.lacking, comparison.named)
    }

    /// Compares the list with the store, but for the items that it had before. Reports what it has now, and
    /// queues what it lacks.
    ///
    /// - Parameter generation: of the jobs; nil to queue nothing.
    private func compare(
        _ comparison: inout Comparison, queuing generation: String?, _ monitor: WarmMonitor,
        _ report: @escaping @Sendable (WarmedItem) async throws -> Void
    ) async throws {
        (comparison.listed, comparison.lacking) = (0, 0)
        (comparison.named, comparison.reasons) = ([], [:])
        var chunk: [(item: Item, number: Int)] = []
        var batches = Batches()
        func check() async throws {
            let found = try await store.check(chunk.map(\.item), concurrency: Self.concurrency)
            for (item, number) in chunk {
                let shared = found[item]
                if let shared, isDone(shared) {
                    comparison.isStored[number] = true
                    // A picture that expired is left alone.
                    let ending = shared.state.isDone ? shared.ending : .picture
                    comparison.summary.count(ending)
                    try await report(
                        WarmedItem(
                            item: item, number: number, ending: ending, stored: shared.picture))
                    continue
                }
                comparison.add(item, number, reason: shared?.ending.reason)
                if let generation, let full = batches.add(item, comparison.lacking) {
                    try await publish(full, generation)
                    try await pace(monitor)
                }
            }
            chunk = []
        }
        try await warm.items(of: request) { items in
            for try await item in items {
                let number = comparison.listed
                comparison.listed += 1
                if comparison.isStored.count == number { comparison.isStored.append(false) }
                if comparison.isStored[number] { continue }
                chunk.append((item, number))
                if chunk.count == Self.chunk { try await check() }
            }
            try await check()
        }
        if let generation {
            for rest in batches.rest() { try await publish(rest, generation) }
        }
    }

    /// Calls `body` with each item that the store lacks.
    private func lacking(
        _ comparison: Comparison, _ body: (WarmedItem) async throws -> Void
    ) async throws {
        try await warm.items(of: request) { items in
            var number = 0
            for try await item in items {
                defer { number += 1 }
                if number < comparison.isStored.count, comparison.isStored[number] { continue }
                let reason = comparison.reasons[number] ?? "The shared store lacks it."
                try await body(
                    WarmedItem(item: item, number: number, ending: .failed(reason: reason)))
            }
        }
    }
}

/// Items that wait for others of their origin, to be queued together. Pure.
struct Batches {
    private var items: [String: (items: [Item], first: Int)] = [:]

    /// Adds the item with that number. Returns a batch that is full.
    mutating func add(_ item: Item, _ number: Int) -> [Item]? {
        let origin = WarmJob.origin(of: item)
        items[origin, default: ([], number)].items.append(item)
        guard let batch = items[origin]?.items, batch.count == WarmJob.maxItems else { return nil }
        items[origin] = nil
        return batch
    }

    /// Returns the number of items that are queued without a gap, of the first `number`.
    func begun(before number: Int) -> Int {
        items.values.map { $0.first - 1 }.min() ?? number
    }

    mutating func rest() -> [[Item]] {
        defer { items = [:] }
        return items.sorted { $0.key < $1.key }.map(\.value.items)
    }
}
