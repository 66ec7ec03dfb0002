import App
import ArgumentParser
import Console
import Foundation
import Store
import Threads

/// The options of `vitrine bench store`.
struct StoreBenchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Thumbnails in the store before it is measured, of which the first 20000 have blobs. "
                + "(default: 20000, or 2000 with --quick)", valueName: "n"))
    var entries: Int?

    @Option(
        help: ArgumentHelp(
            "Fill the store in this directory and keep it; a later run with the same entries and "
                + "seed takes it as it is.", valueName: "dir"))
    var keep: String?

    func validate() throws {
        if let entries, !(100...100_000_000).contains(entries) {
            throw ValidationError("--entries is \(entries); expected 100 to 100000000.")
        }
    }
}

/// `vitrine bench store`: the store alone, on a scratch cache of the run.
struct StoreBench: Sendable {
    /// More blobs than this only fill the disk: a blob is found by its name.
    static let mostBlobs = 20_000

    let context: BenchContext
    let entries: Int
    let closers: BenchClosers
    /// Directory of a store that outlives the run.
    let kept: String?

    init(_ context: BenchContext, _ options: StoreBenchOptions, _ closers: BenchClosers) {
        self.context = context
        self.closers = closers
        entries = options.entries ?? (context.isQuick ? 2_000 : 20_000)
        kept = options.keep
    }

    private typealias Call = @Sendable () async throws -> Void

    func plan() async throws -> BenchPlan {
        let store = try await FilledStore.at(
            kept ?? "\(context.scratch)/store", entries: entries,
            blobs: min(entries, Self.mostBlobs), seed: context.seed, say: context.say)
        closers.add { await FileThreads.run { try? store.close() } }
        let count = context.isQuick ? 500 : 2_000
        var plan = BenchPlan()
        plan.cases = [start(store), size(store)]
        for tasks in [1, 8] {
            for isDurable in [false, true] {
                // Other bytes and rows in every round.
                let salt = store.seed &+ UInt64(plan.cases.count) << 32
                let (blobs, index) = isDurable ? store.durable : (store.blobs, store.index)
                plan.cases.append(
                    calls(
                        ["pictures", "durability=\(isDurable ? "power" : "process")"],
                        "pictures stored, safe from \(isDurable ? "a power cut" : "a crash")",
                        .cold, count / 4, tasks, note: "A blob and the rows that name it."
                    ) { round, number in
                        let seed = salt &+ UInt64(bitPattern: Int64(round + 1_000))
                        let blob = FilledStore.blob(number, seed: seed)
                        let rows = store.rows(
                            number, item: "bench/kept/\(seed)/\(number)", salt: seed)
                        return {
                            var thumbnail = rows.0
                            thumbnail.digest = try await blobs.put(blob)
                            try await index.record(thumbnails: [thumbnail], bindings: [rows.1])
                        }
                    })
            }
            plan.cases += [
                calls(["look-ups", "thumbnail"], "thumbnails found", .warm, count, tasks) {
                    let key = store.key(Self.pick($1, of: store.entries))
                    return {
                        if try await store.index.thumbnail(key) == nil {
                            throw CommandError("A row is missing.")
                        }
                    }
                },
                calls(["look-ups", "binding"], "items found", .warm, count, tasks) {
                    let entry = Self.pick($1, of: store.entries)
                    let (item, level) = (store.item(of: entry), store.level(of: entry))
                    return {
                        if try await store.index.binding(item: item, level: level) == nil {
                            throw CommandError("A row is missing.")
                        }
                    }
                },
                calls(["loads"], "blobs loaded", .warm, count, tasks) {
                    store.load(Self.pick($1, of: store.digests.count), $1)
                },
            ]
        }
        plan.settings = [
            BenchSetting("entries", "\(entries) thumbnails of \(FilledStore.levels.count) levels"),
            BenchSetting("blobs", "\(store.digests.count) of \(FilledStore.blobSize) bytes"),
        ]
        return plan
    }

    /// Returns one of `count` numbers, spread evenly and the same in every run.
    private static func pick(_ number: Int, of count: Int) -> Int {
        var random = SplitMix(seed: 1 &+ UInt64(number))
        return Int(random.next() % UInt64(count))
    }

    /// Many calls of one kind, several at once, each timed.
    ///
    /// - Parameter call: returns a call that does nothing but what is measured, of a round and a number.
    private func calls(
        _ what: [String], _ words: String, _ state: BenchRow.State, _ count: Int, _ tasks: Int,
        note: String? = nil, _ call: @escaping @Sendable (_ round: Int, _ number: Int) -> Call
    ) -> BenchCase {
        let callers = tasks == 1 ? "" : ", \(tasks) callers"
        let head = BenchRow.Head(
            .store, what + ["tasks=\(tasks)"], words + callers, state: state, note: note)
        return BenchCase(head) { round in
            let all = (0..<count).map { call(round, $0) }
            let (before, started) = (ProcessUsage.own(), ContinuousClock.now)
            // A task for each caller: one for each call would cost more than a look-up.
            let share = (count + tasks - 1) / tasks
            let parts = stride(from: 0, to: count, by: share).map {
                Array(all[$0..<min(count, $0 + share)])
            }
            let results = try await BoundedMap.run(parts, concurrency: tasks) { calls in
                await Self.timed(calls)
            }
            let wall = started.duration(to: .now) / .seconds(1)
            let processor = ProcessUsage.own() - before
            var latencies = LatencyHistogram()
            for result in results { latencies.add(result.latencies) }
            let problems = results.flatMap(\.problems)
            return BenchSample(
                [
                    (.rate("calls/s"), Double(count) / wall),
                    (.processorTime("µs/call"), processor * 1e6 / Double(count)),
                ], latencies: latencies, errors: problems.count, firstError: problems.first)
        }
    }

    private static func timed(
        _ calls: [Call]
    ) async -> (latencies: LatencyHistogram, problems: [String]) {
        var latencies = LatencyHistogram()
        var problems: [String] = []
        for call in calls {
            let started = ContinuousClock.now
            do { try await call() } catch { problems.append("\(error)") }
            let taken = started.duration(to: .now) / .nanoseconds(1)
            latencies.record(nanoseconds: UInt64(max(0, taken)))
        }
        return (latencies, problems)
    }

    /// Opening the store and its index as a service does when it starts, up to the first answered
    /// look-up.
    private func start(_ store: FilledStore) -> BenchCase {
        let head = BenchRow.Head(
            .store, ["start-up", "entries=\(entries)"],
            "start with \(BenchText.number(Double(entries))) thumbnails", state: .warm)
        return BenchCase(head) { _ in
            let key = store.key(store.entries / 2)
            let (before, started) = (ProcessUsage.own(), ContinuousClock.now)
            let (blobs, index) = try await FileThreads.run {
                (try BlobStore(root: store.root), try Index(root: store.root))
            }
            let isFound = try await index.thumbnail(key) != nil
            let wall = started.duration(to: .now) / .milliseconds(1)
            let processor = ProcessUsage.own() - before
            withExtendedLifetime(blobs) {}
            try await FileThreads.run { try index.close() }
            if !isFound { throw CommandError("A row is missing.") }
            return BenchSample([
                (BenchQuantity(name: "wall time", unit: "ms", better: .less, isWall: true), wall),
                (.processorTime("ms"), processor * 1_000),
            ])
        }
    }

    /// The size of the index when it was filled, and the memory of this process with the index open.
    private func size(_ store: FilledStore) -> BenchCase {
        BenchCase(BenchRow.Head(.store, ["index"], "size of the index", state: .warm)) { _ in
            BenchSample([
                (
                    BenchQuantity(name: "size", unit: "bytes/thumbnail", better: .less),
                    Double(store.indexBytes) / Double(store.entries)
                ), (.peakMemory, Double(ProcessUsage.peakMemory()) / 1e6),
            ])
        }
    }
}
