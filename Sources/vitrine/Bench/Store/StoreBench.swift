import App
import Foundation
import Glibc
import Store

/// `vitrine bench store`: the store alone, on a scratch cache of the run.
struct StoreBench: Sendable {
    /// More blobs than this only fill the disk: a blob is found by its name.
    static let mostBlobs = 20_000

    let context: BenchContext
    let entries: Int
    /// Directory of a store that outlives the run.
    let kept: String?

    init(_ context: BenchContext, _ options: StoreBenchOptions) {
        self.context = context
        entries = options.count(isQuick: context.isQuick)
        kept = options.keep
    }

    func plan() async throws -> BenchPlan {
        let root = kept ?? "\(context.scratch)/store"
        let store = try await FilledStore.at(
            root, entries: entries, blobs: min(entries, Self.mostBlobs), seed: context.seed,
            say: context.say)
        let count = context.isQuick ? 500 : 2_000
        let seed = context.seed
        var cases: [any BenchCase] = [
            StoreStartCase(store: store), IndexSizeCase(store: store),
            EvictionCase(store: store, count: count / 2),
            StoreCase(
                ["statistics", "tasks=1"], .warm, count, tasks: 1, store: store,
                work: { store, _, _ in { _ = try await store.index.statistics() } }),
        ]
        for (tasks, isGrouped) in [(1, true), (8, true), (8, false), (64, true), (64, false)] {
            let what = ["records", "tasks=\(tasks)"] + (isGrouped ? [] : ["ungrouped"])
            let salt = seed &+ UInt64(cases.count) << 32
            cases.append(
                StoreCase(
                    what, .cold, count, tasks: tasks, store: store,
                    // Other rows in every round.
                    prepareRound: { round in
                        .init(seed: salt &+ UInt64(bitPattern: Int64(round + 1_000)))
                    },
                    work: { store, state, number in
                        let (thumbnail, binding) = store.rows(
                            number, item: "bench/new/\(state.seed)/\(number)", salt: state.seed)
                        let index = isGrouped ? store.index : store.ungrouped
                        return {
                            try await index.record(thumbnails: [thumbnail], bindings: [binding])
                        }
                    }))
        }
        for tasks in [1, 8, 16] {
            let salt = seed &+ UInt64(cases.count) << 32
            cases += [
                StoreCase(
                    ["puts", "new", "tasks=\(tasks)"], .cold, count, tasks: tasks, store: store,
                    // Other bytes in every round.
                    prepareRound: { round in
                        .init(seed: salt &+ UInt64(bitPattern: Int64(round + 1_000)))
                    },
                    work: { store, state, number in
                        let blob = FilledStore.blob(number, seed: state.seed)
                        return { _ = try await store.blobs.put(blob) }
                    }),
                StoreCase(
                    ["puts", "stored", "tasks=\(tasks)"], .warm, count, tasks: tasks, store: store,
                    work: { store, state, number in
                        let blob = FilledStore.blob(
                            state.pick(number, store.digests.count), seed: store.seed)
                        return { _ = try await store.blobs.put(blob) }
                    }),
                StoreCase(
                    ["loads", "tasks=\(tasks)"], .warm, count, tasks: tasks, store: store,
                    work: { store, state, number in
                        store.load(state.pick(number, store.digests.count), number)
                    }),
                StoreCase(
                    ["look-ups", "thumbnail", "tasks=\(tasks)"], .warm, count, tasks: tasks,
                    store: store,
                    work: { store, state, number in
                        let key = store.key(state.pick(number, store.entries))
                        return {
                            if try await store.index.thumbnail(key) == nil {
                                throw CommandError("A row is missing.")
                            }
                        }
                    }),
            ]
        }
        for tasks in [1, 8] {
            for isDurable in [false, true] {
                let salt = seed &+ UInt64(cases.count) << 32
                cases.append(
                    StoreCase(
                        [
                            "pictures", "durability=\(isDurable ? "power" : "process")",
                            "tasks=\(tasks)",
                        ], .cold, count / 4, tasks: tasks, store: store,
                        note: "A blob and the rows that name it.",
                        prepareRound: { round in
                            .init(seed: salt &+ UInt64(bitPattern: Int64(round + 1_000)))
                        },
                        work: { store, state, number in
                            let blob = FilledStore.blob(number, seed: state.seed)
                            let (thumbnail, binding) = store.rows(
                                number, item: "bench/kept/\(state.seed)/\(number)",
                                salt: state.seed)
                            let (blobs, index) =
                                isDurable ? store.durable : (store.blobs, store.index)
                            return {
                                var thumbnail = thumbnail
                                thumbnail.digest = try await blobs.put(blob)
                                try await index.record(
                                    thumbnails: [thumbnail], bindings: [binding])
                            }
                        }))
            }
        }
        cases += [
            StoreCase(
                ["loads", "cold", "tasks=1"], .cold, count, tasks: 1, store: store,
                note: "The kernel dropped the files before each round; the disk's own cache stays.",
                prepareRound: { _ in
                    await FileThreads.run { FilledStore.forget("\(root)/v1/blobs") }
                    return .init(seed: seed)
                },
                work: { store, state, number in
                    store.load(state.pick(number, store.digests.count), number)
                }),
            StoreCase(
                ["look-ups", "binding", "tasks=1"], .warm, count, tasks: 1, store: store,
                work: { store, state, number in
                    let entry = state.pick(number, store.entries)
                    let (item, level) = (store.item(of: entry), store.level(of: entry))
                    return {
                        if try await store.index.binding(item: item, level: level) == nil {
                            throw CommandError("A row is missing.")
                        }
                    }
                }),
            StoreCase(
                ["look-ups", "absent", "tasks=1"], .warm, count, tasks: 1, store: store,
                work: { store, _, number in
                    let item = "bench/none/\(number)"
                    return { _ = try await store.index.binding(item: item, level: "none") }
                }),
        ]
        return BenchPlan(
            cases: cases,
            settings: [
                BenchSetting(
                    "entries", "\(entries) thumbnails of \(FilledStore.levels.count) levels"),
                BenchSetting("blobs", "\(store.digests.count) of \(FilledStore.blobSize) bytes"),
            ],
            close: {
                await FileThreads.run { try? store.close() }
            })
    }
}

/// Opening the store and its index as a service does when it starts, up to the first answered
/// look-up.
struct StoreStartCase: BenchCase {
    let store: FilledStore
    var head: BenchRow.Head {
        BenchRow.Head(.store, ["start-up", "entries=\(store.entries)"], state: .warm)
    }

    func round(_ number: Int) async throws -> BenchSample {
        let root = store.root
        let key = store.key(store.entries / 2)
        let (before, started) = (ProcessUsage.own(), ContinuousClock.now)
        let (blobs, index) = try await FileThreads.run {
            (try BlobStore(root: root), try Index(root: root))
        }
        let isFound = try await index.thumbnail(key) != nil
        let wall = started.duration(to: .now) / .milliseconds(1)
        let processor = ProcessUsage.own().processor - before.processor
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
struct IndexSizeCase: BenchCase {
    let store: FilledStore
    var head: BenchRow.Head { BenchRow.Head(.store, ["index"], state: .warm) }

    func round(_ number: Int) async throws -> BenchSample {
        return BenchSample([
            (
                BenchQuantity(name: "size", unit: "bytes/thumbnail", better: .less),
                Double(store.indexBytes) / Double(store.entries)
            ),
            (
                BenchQuantity(name: "peak memory", unit: "MB", better: .less),
                Double(ProcessUsage.peakMemory()) / 1e6
            ),
        ])
    }
}
