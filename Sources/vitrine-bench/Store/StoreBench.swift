import App
import ArgumentParser
import Console
import Foundation
import Hashing
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
enum StoreBench {
    static func plan(
        _ context: BenchContext, _ options: StoreBenchOptions, _ closers: BenchClosers
    ) async throws -> BenchPlan {
        let content = FilledStore.Content(
            entries: options.entries ?? (context.isQuick ? 2_000 : 20_000), seed: context.seed)
        let store = try await FilledStore.at(
            options.keep ?? "\(context.scratch)/store", content, say: context.say)
        let durable = try await FilledStore.open(store.root, content, .power)
        for one in [store, durable] { closers.add { await FileThreads.run { try? one.close() } } }
        let count = context.isQuick ? 500 : 2_000
        var plan = BenchPlan()
        plan.cases = [start(store), size(store)]
        for callers in [1, 8] {
            plan.cases += [
                pictures(store, "process", "a crash", count / 4, callers),
                pictures(durable, "power", "a power cut", count / 4, callers),
                calls(["look-ups", "thumbnail"], "thumbnails found", .warm, count, callers) {
                    let key = store.key(pick($1, of: content.entries))
                    return { try found(await store.index.thumbnail(key)) }
                },
                calls(["look-ups", "binding"], "items found", .warm, count, callers) {
                    let entry = pick($1, of: content.entries)
                    let (item, level) = (store.item(of: entry), store.level(of: entry))
                    return { try found(await store.index.item(item).resolution(of: level)) }
                },
            ]
        }
        plan.cases.append(purges(store, context.isQuick ? 200 : 1_000))
        plan.settings = [
            BenchSetting(
                "entries", "\(content.entries) thumbnails of \(FilledStore.levels.count) levels"),
            BenchSetting("blobs", "\(content.blobs) of \(FilledStore.blobSize) bytes"),
        ]
        return plan
    }

    /// Pictures that are published: a blob and the rows that name it, others in every round.
    private static func pictures(
        _ store: FilledStore, _ durability: String, _ safety: String, _ count: Int, _ callers: Int
    ) -> BenchCase {
        calls(
            ["pictures", "durability=\(durability)"], "pictures stored, safe from \(safety)", .cold,
            count, callers, note: "A blob and the rows that name it."
        ) { round, number in
            let salt = "\(durability) \(callers) \(round)".utf8.reduce(store.content.seed) {
                $0 &* 31 &+ UInt64($1)
            }
            let blob = FilledStore.blob(number, seed: salt)
            let rows = store.rows(number, item: "bench/kept/\(salt)/\(number)", salt: salt)
            return {
                var thumbnail = rows.0
                thumbnail.facts.digest = try await store.blobs.put(blob)
                try await store.index.record(thumbnails: [thumbnail], items: [rows.1])
            }
        }
    }

    /// Purges of one item each, whose rows and documents are written before they are timed.
    private static func purges(_ store: FilledStore, _ count: Int) -> BenchCase {
        let head = BenchRow.Head(
            .store, ["purges", "tasks=1"], "items purged", state: .warm,
            note: "An item with a picture, its thumbnail and a document.")
        return BenchCase(head) { round in
            let items = (0..<count).map { "bench/purged/\(round)/\($0)" }
            let rows = items.enumerated().map { number, item in
                // Each has an original of its own.
                store.rows(
                    number * FilledStore.levels.count, item: item,
                    salt: ~store.content.seed &- UInt64(round))
            }
            let date = rows[0].0.facts.renderedAt
            try await store.index.record(
                thumbnails: rows.map(\.0), items: rows.map(\.1),
                documents: items.map {
                    DocumentRecord(
                        key: "item:\($0)", body: Array($0.utf8), fetchedAt: date, expiresAt: date)
                })
            return try await Calls.sample(count, of: "call", callers: 1) { number in
                let item = items[number]
                let order = PurgeRequest(
                    items: .item(item), expiry: nil, documents: DocumentKeys(["item:\(item)"]))
                return {
                    let purge = try await store.index.purge(order)
                    guard purge.items == [item], purge.documents == 1 else {
                        throw CommandError("\(item) was not purged alone.")
                    }
                }
            }
        }
    }

    private static func found(_ row: Any?) throws(CommandError) {
        if row == nil { throw CommandError("A row is missing.") }
    }

    /// Returns one of `count` numbers, spread evenly and the same in every run.
    private static func pick(_ number: Int, of count: Int) -> Int {
        var random = SplitMix(seed: 1 &+ UInt64(number))
        return Int(random.next() % UInt64(count))
    }

    /// - Parameter call: returns a call of a round and a number.
    private static func calls(
        _ what: [String], _ words: String, _ state: BenchRow.State, _ count: Int, _ callers: Int,
        note: String? = nil,
        _ call: @escaping @Sendable (_ round: Int, _ number: Int) -> Calls.Call
    ) -> BenchCase {
        let head = BenchRow.Head(
            .store, what + ["tasks=\(callers)"],
            words + (callers == 1 ? "" : ", \(callers) callers"), state: state, note: note)
        return BenchCase(head) { round in
            try await Calls.sample(count, of: "call", callers: callers) { call(round, $0) }
        }
    }

    /// Opening the store and its index as a service does when it starts, up to the first answered
    /// look-up.
    private static func start(_ store: FilledStore) -> BenchCase {
        let entries = store.content.entries
        let head = BenchRow.Head(
            .store, ["start-up", "entries=\(entries)"],
            "start with \(BenchText.number(Double(entries))) thumbnails", state: .warm)
        return BenchCase(head) { _ in
            let key = store.key(entries / 2)
            let (opened, wall, processor) = try await ProcessUsage.measured {
                let opened = try await FilledStore.open(store.root, store.content)
                return (store: opened, row: try await opened.index.thumbnail(key))
            }
            try await FileThreads.run { try opened.store.close() }
            try found(opened.row)
            return BenchSample([
                (
                    BenchQuantity(name: "wall time", unit: "ms", better: .less, isWall: true),
                    wall * 1_000
                ),
                (.processorTime("ms"), processor * 1_000),
            ])
        }
    }

    /// The size of the index when it was filled, and the memory of this process with the index open.
    private static func size(_ store: FilledStore) -> BenchCase {
        BenchCase(BenchRow.Head(.store, ["index"], "size of the index", state: .warm)) { _ in
            BenchSample([
                (
                    BenchQuantity(name: "size", unit: "bytes/thumbnail", better: .less),
                    Double(store.indexBytes) / Double(store.content.entries)
                ), (.peakMemory, Double(ProcessUsage.peakMemory()) / 1e6),
            ])
        }
    }
}
