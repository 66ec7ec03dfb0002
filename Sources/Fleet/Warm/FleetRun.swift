import Catalog
import Memory
package import Pipeline
import Synchronization
package import WorkQueue

/// Warms a list with the workers of a fleet.
///
/// The list is read here, and its items are queued a few at a time. The run is done when the shared
/// store lacks nothing, not when the queue is empty: a queue may lose a job.
package final class FleetRun: Sendable {
    package struct Options: Sendable {
        package var lane = QueueJob.Lane.low
        /// Queues items although the same were queued seconds ago.
        package var isForced = false
        /// Jobs in the queue above which nothing is added. Each has up to 16 items.
        package var mostQueued = 10_000
        /// Queues only what the store lacks.
        package var onlyMissing = false

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
    /// Items that are named in errors.
    private static let maxNamed = 20

    private struct State {
        var listed = 0
        var isAllListed = false
        var queued = 0
        var backlog = 0
        var progress = RunProgress()
        var begun = ContinuousClock.now
        var stalePages: [StalePage] = []
        var phase = Phase.queueing
    }

    package enum Phase: String, Sendable {
        case queueing, waiting, checking
    }

    /// A moment of a run.
    package struct Snapshot: Sendable {
        package var phase: Phase
        /// Items of the list so far, and whether these are all.
        package var listed: Int
        package var isAllListed: Bool
        /// Jobs in the queue, of all runs.
        package var backlog: Int
        /// What all workers did.
        package var progress: RunProgress
        package var seconds: Double
    }

    /// The end of a run.
    package struct Result: Sendable {
        package var progress = RunProgress()
        /// Items of the list.
        package var listed = 0
        /// Items that the store still lacks, and the first of them.
        package var missing = 0
        package var named: [String] = []
        package var stalePages: [StalePage] = []
        package var seconds = 0.0
    }

    private let hub: Hub
    private let warm: Warm
    private let store: any FleetStore
    private let request: WarmRequest
    private let options: Options
    private let state = Mutex(State())
    /// Names the run by its list and recipe.
    package let id: String

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

    package var snapshot: Snapshot {
        state.withLock { state in
            Snapshot(
                phase: state.phase, listed: state.listed, isAllListed: state.isAllListed,
                backlog: state.backlog, progress: state.progress,
                seconds: (.now - state.begun) / .seconds(1))
        }
    }

    private var key: String { "run.\(id)" }

    // MARK: - Queueing

    /// Queues the items of the list. Continues an interrupted call.
    package func queue() async throws {
        var cursor = try await cursor()
        if cursor.isDone || options.isForced {
            cursor = Cursor(generation: cursor.generation + (options.isForced ? 1 : 0))
            try await RunProgress.remove(id, hub)
        }
        let done = cursor.queued
        var batches = Batches()
        var jobs = 0
        let stale = try await warm.each(request) { item in
            let number = state.withLock { state in
                state.listed += 1
                return state.listed
            }
            guard number > done else { return }
            guard let full = batches.add(item, number) else { return }
            try await publish(full, "\(cursor.generation)")
            jobs += 1
            guard jobs % Self.step == 0 else { return }
            cursor.queued = batches.begun(before: number)
            try await store(cursor)
            try await pace()
        }
        for rest in batches.rest() { try await publish(rest, "\(cursor.generation)") }
        state.withLock { state in
            state.isAllListed = true
            state.stalePages = stale
        }
        cursor.queued = state.withLock { $0.listed }
        try await store(cursor)
    }

    private func cursor() async throws(QueueError) -> Cursor {
        guard let value = try await hub.values.value(key) else { return Cursor() }
        // One that can't be read counts as none: the list is queued from its beginning, and workers
        // find what is done.
        return NodeJSON.decode(Cursor.self, value.bytes) ?? Cursor()
    }

    private func store(_ cursor: Cursor) async throws(QueueError) {
        try await hub.values.set(key, try NodeJSON.encode(cursor, "the cursor of a run"))
    }

    private func publish(_ batch: [Item], _ generation: String) async throws {
        guard let first = batch.first else { return }
        let items = options.onlyMissing ? try await lacking(batch) : batch
        guard !items.isEmpty else { return }
        let known = try await warm.descriptions(of: items)
        for job in try WarmJob.jobs(items, known, run: id) {
            let queued = try job.queued(
                recipe: store.recipe, origin: WarmJob.origin(of: first), lane: options.lane,
                generation: generation)
            _ = try await hub.queue.publish(queued)
            state.withLock { $0.queued += job.items.count }
        }
    }

    /// Waits while the queue has too many jobs. The backlog is asked for, because a stream that is
    /// full loses messages.
    private func pace() async throws {
        while true {
            let backlog = try await hub.queue.backlog().count
            state.withLock { $0.backlog = backlog }
            StateChange.tell()
            guard backlog > options.mostQueued else { return }
            try await look()
            try await Task.sleep(for: Self.pause)
        }
    }

    // MARK: - Waiting

    /// Waits for the workers, and queues again what the store lacks, until it lacks nothing or as
    /// much as before.
    package func wait() async throws -> Result {
        var before: Int?
        for round in 1...Self.maxRounds {
            state.withLock { $0.phase = .waiting }
            try await workersAreDone()
            state.withLock { $0.phase = .checking }
            let found = try await missing(
                queuing: "check \(round) \(UInt64.random(in: 0...(.max)))")
            if found.count == 0 || before == found.count || round == Self.maxRounds {
                return try await end(found)
            }
            before = found.count
        }
        return Result()
    }

    private func end(_ missing: (count: Int, named: [String])) async throws -> Result {
        // Workers report once a second. One that died has reported less than it did.
        for _ in 0..<Self.lastLooks {
            try await look()
            if state.withLock({ $0.queued <= $0.progress.summary.items }) { break }
            try await Task.sleep(for: Self.pause)
        }
        var cursor = try await cursor()
        cursor.isDone = true
        try await store(cursor)
        return state.withLock { state in
            Result(
                progress: state.progress, listed: state.listed, missing: missing.count,
                named: missing.named, stalePages: state.stalePages,
                seconds: (.now - state.begun) / .seconds(1))
        }
    }

    private func workersAreDone() async throws {
        while true {
            try Task.checkCancellation()
            try await look()
            let backlog = try await hub.queue.backlog()
            let own = backlog.parts.filter { $0.route == QueueJob.token(store.recipe) }
                .reduce(0) { $0 + $1.waiting + $1.leased }
            state.withLock { $0.backlog = backlog.count }
            let isSettled = state.withLock {
                $0.queued <= $0.progress.summary.items && $0.queued > 0
            }
            if own == 0 || isSettled { return }
            try await Task.sleep(for: Self.pause)
        }
    }

    private func look() async throws(QueueError) {
        let progress = try await RunProgress.of(id, hub)
        state.withLock { $0.progress = progress }
    }

    // MARK: - Checking

    /// Returns the items of which the store lacks something, or has something that expired.
    private func lacking(_ items: [Item]) async throws(Failure) -> [Item] {
        let states = try await store.check(items, concurrency: Self.concurrency)
        return items.filter { item in
            guard let state = states[item] else { return true }
            return options.onlyMissing && state == .stale ? false : !state.isDone
        }
    }

    /// Returns how many items of the list the store lacks, and names the first.
    ///
    /// - Parameter generation: queues them; nil only counts.
    package func missing(
        queuing generation: String?
    ) async throws -> (count: Int, named: [String]) {
        var count = 0
        var named: [String] = []
        var listed = 0
        var chunk: [Item] = []
        var batches = Batches()
        func check() async throws {
            for item in try await lacking(chunk) {
                count += 1
                if named.count < Self.maxNamed { named.append(item.description) }
                if let generation, let full = batches.add(item, count) {
                    try await publish(full, generation)
                    try await pace()
                }
            }
            chunk = []
        }
        _ = try await warm.each(request) { item in
            listed += 1
            chunk.append(item)
            if chunk.count == Self.chunk { try await check() }
        }
        try await check()
        if let generation {
            for rest in batches.rest() { try await publish(rest, generation) }
        }
        let total = listed
        state.withLock { $0.listed = max($0.listed, total) }
        return (count, named)
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
