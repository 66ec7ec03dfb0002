import App
import Console
import Foundation
import Glibc
import Imaging
import Memory
import Threads

/// What `vitrine bench serve` measures.
///
/// Servers of hits have one processor each and the generator another one, so that a row tells what a
/// core gives. Rows of misses have the whole machine.
struct ServeBench: Sendable {
    let context: BenchContext
    let settings: ServeBenchSettings
    let closers: BenchClosers
    /// For servers of hits, and for the generator; nil on a machine with one processor.
    let serverProcessors: Processors?
    let generatorProcessor: Int?

    /// Bodies of the size of what a grid shows.
    private static let sizes = 5_000...30_720
    /// Shows of the catalog page that is measured, as a page of TVmaze has.
    private static let shows = 240
    /// Originals that the rows share.
    private static let originalCount = 8

    init(_ context: BenchContext, _ settings: ServeBenchSettings, _ closers: BenchClosers) {
        self.context = context
        self.settings = settings
        self.closers = closers
        let allowed = Processors.allowed().numbers
        serverProcessors = allowed.count > 1 ? Processors([allowed[0]]) : nil
        generatorProcessor = allowed.count > 1 ? allowed.last : nil
    }

    /// A server with what its rows are called.
    struct Target: Sendable {
        /// Nil for this program.
        var peer: (name: String, version: String)?
        var port: Int
        /// Nil for a service of another user, whose processor time can't be read.
        var process: pid_t?

        init(_ server: ServerProcess, _ peer: (name: String, version: String)? = nil) {
            self.peer = peer
            port = server.port
            process = server.program.identifier
        }

        init(port: Int, process: pid_t?) { (self.port, self.process) = (port, process) }
    }

    func plan() async throws -> BenchPlan {
        var plan = BenchPlan()
        let rows = ServeRow.all(rates: settings.rates)
        if let target = settings.target {
            let process = await FileThreads.run { ServerProcess.listening(on: target.port) }
            let request = LoadRequest.get(target.path, host: target.host)
            plan.cases = rows.filter { $0.content == .hits && $0.pace != .half }.map { row in
                loadCase(row, [request], Target(port: target.port, process: process))
            }
            if process == nil {
                plan.notes = [
                    "The process of the service is not one of this user's, so its processor time is "
                        + "not measured."
                ]
            }
            return plan
        }
        let corpus = try await Corpus.posters(context, into: "serve-corpus")
        let origin = try await BenchOrigin.start(
            corpus, [], shows: Self.shows, context, closers)
        let paths = SignedPaths(names: corpus.names)
        var environment = origin.environment
        environment["VITRINE_URL_KEYS"] = paths.key
        let cache = "\(context.scratch)/serve-cache"
        var served = try await made(paths, cache, environment)
        let bytes = served.thumbnails.reduce(0) { $0 + $1.body.count }

        let small = max(1 << 20, bytes / 10)
        let large = max(64 << 20, bytes * 2)
        let fast = try await vitrine(cache, environment, memory: large)
        let disk = Target(try await vitrine(cache, environment, memory: small))
        served = try await completed(served, by: fast)
        let own = Target(fast)
        plan.cases = rows.filter { $0.pace != .half }.compactMap { row in
            let requests = served.requests(row.content)
            return requests.isEmpty ? nil : loadCase(row, requests, row.isFromDisk ? disk : own)
        }
        plan.cases.append(idleCase(served.hits, own))
        let peers = ServePeers(bench: self, rows: rows, served: served)
        let installed = await peers.installed(&plan)
        plan.cases += try await peers.cases(installed, own, &plan)
        plan.cases += try await peers.secureCases(cache, environment, memory: large, &plan)
        let cold = try ColdRows(
            bench: self, paths: paths, environment: environment, thumbnails: served.thumbnails)
        plan.cases += try cold.cases()
        plan.cases.append(try await cold.mixed(served.hits, cache: cache))
        plan.cases += try await peers.missCases(installed, corpus, cold, &plan)
        plan.settings = [
            BenchSetting("serve.pictures", "\(corpus.names.count)"),
            BenchSetting("serve.thumbnails", "\(served.thumbnails.count), \(bytes / 1_000) kB"),
            BenchSetting(
                "serve.hits",
                "\(served.hits.count), mean "
                    + "\(served.hits.reduce(0) { $0 + $1.body.count } / served.hits.count) bytes"),
            BenchSetting("serve.disk.memory", "\(small / 1_000) kB"),
        ]
        if serverProcessors == nil {
            plan.notes.append("There is one processor: servers and the generator share it.")
        }
        return plan
    }

    /// Fills the cache with every level of every picture, originals and a contact sheet, with all
    /// processors. The server is stopped in order, so that everything is on disk for those that are
    /// measured.
    private func made(
        _ paths: SignedPaths, _ cache: String, _ environment: [String: String]
    ) async throws -> Served {
        context.say("Making the thumbnails of \(paths.names.count) pictures.")
        let server = try await ServerProcess.vitrine(context, cache: cache, environment)
        return try await withEnd {
            let wanted = try context.settings.levels.flatMap { level in
                try ["jpg", "webp"].flatMap { format in
                    try paths.names.indices.map { try paths.path(level.name, $0, format: format) }
                }
            }
            var served = Served()
            served.thumbnails = try await ServedPicture.collect(
                wanted, port: server.port, concurrency: 16)
            served.hits = served.thumbnails.filter { Self.sizes.contains($0.body.count) }
            if served.hits.count < 8 { served.hits = served.thumbnails }
            served.originals = try await ServedPicture.collect(
                (1...Self.originalCount).map { "/o/tvmaze/show/\($0)" }, port: server.port,
                concurrency: 4)
            // The largest level whose sheet isn't over the limit of pixels.
            for level in context.settings.levels.reversed() where served.sheets.isEmpty {
                served.sheets =
                    (try? await ServedPicture.collect(
                        ["/sheet/\(level.name)/tvmaze/shows.jpg"], port: server.port,
                        concurrency: 1)) ?? []
            }
            return served
        } end: {
            await server.stop()
        }
    }

    /// Adds the blobs of the hits, and documents, and checks that the server has the bytes that were
    /// made.
    private func completed(_ made: Served, by server: ServerProcess) async throws -> Served {
        var served = made
        let seen = try await ServedPicture.collect(
            made.hits.map(\.path), port: server.port, concurrency: 8)
        try Self.check(seen, made.hits, "vitrine")
        served.blobs = try await ServedPicture.collect(
            made.hits.map { "/b/" + $0.entityTag.filter { $0 != "\"" } }, port: server.port,
            concurrency: 8)
        let documents = try await ServedPicture.collect(
            ServedDocument.all.map(\.path), port: server.port, concurrency: 1)
        served.documents = zip(ServedDocument.all, documents).map { document, seen in
            let short = document.effort.flatMap { ServedDocument.compressed(seen.body, $0) }
            return ServedDocument(
                name: document.name, path: document.path, body: short ?? seen.body,
                isCompressed: short != nil)
        }
        return served
    }

    /// This program on the processor of servers, with one thread.
    func vitrine(
        _ cache: String, _ environment: [String: String], memory: Int
    ) async throws -> ServerProcess {
        let server = try await ServerProcess.vitrine(
            context, cache: cache,
            environment.merging([
                "VITRINE_CACHE_MEMORY": "\(memory)", "VITRINE_SERVER_THREADS": "1",
            ]) { $1 }, on: serverProcessors)
        closers.add { await server.stop() }
        return server
    }

    static func check(
        _ seen: [ServedPicture], _ expected: [ServedPicture], _ name: String
    ) throws(CommandError) {
        for (seen, expected) in zip(seen, expected) where seen.body != expected.body {
            throw CommandError("\(name) serves other bytes at \(seen.path) than were stored.")
        }
    }

    /// The case of a row. The first round only brings connections and caches to what they are later.
    func loadCase(_ row: ServeRow, _ requests: [LoadRequest], _ target: Target) -> BenchCase {
        var plan = LoadPlan(port: target.port, requests: requests)
        plan.order = row.order
        plan.connections = row.connections
        plan.length = .seconds(context.isQuick ? 1 : 3)
        plan.processor = generatorProcessor
        if case .open(let rate) = row.pace { plan.pace = .open(perSecond: rate) }
        if row.closes {
            plan.closesConnections = true
            for place in plan.requests.indices {
                plan.requests[place].bytes.removeLast(2)
                plan.requests[place].bytes += Array("Connection: close\r\n\r\n".utf8)
            }
        }
        let head = BenchRow.Head(
            .serve, row.what, row.words, state: .warm, peer: target.peer, note: row.note)
        let (standing, seed) = (plan, context.seed)
        return BenchCase(head) { number in
            var plan = standing
            // Another part of the order in every round, the same ones in every run.
            plan.seed = seed &* 1_000 &+ UInt64(number + 100)
            if number < 1 { plan.length = min(plan.length, .seconds(1)) }
            guard let process = target.process else {
                return try await plan.run().sample(of: row, spent: nil)
            }
            let before = await ServerProcess.processorTime(process)
            let outcome = try await plan.run()
            let spent = await ServerProcess.processorTime(process) - before
            return outcome.sample(of: row, spent: spent)
        }
    }

    /// A thousand connections that request little, and what they cost in memory.
    private func idleCase(_ hits: [ServedPicture], _ target: Target) -> BenchCase {
        let connections = 1_000
        var plan = LoadPlan(port: target.port, requests: hits.map(\.request))
        plan.connections = connections
        plan.pace = .open(perSecond: 500)
        plan.length = .seconds(2)
        let load = plan
        let head = BenchRow.Head(
            .serve, ["idle", "connections=\(connections)"], "a thousand idle connections",
            state: .warm)
        return BenchCase(head) { _ in
            try await Self.memory(of: target.process ?? 0, connections) {
                let outcome = try await load.run()
                return (outcome.errors, outcome.firstError)
            }
        }
    }

    /// What connections add to the memory of a server while the load runs.
    static func memory(
        of process: pid_t, _ connections: Int,
        _ load: @escaping @Sendable () async throws -> (errors: Int, firstError: String?)
    ) async throws -> BenchSample {
        let read = { @Sendable in
            await FileThreads.run { ProcessUsage.residentBytes(of: process) }
        }
        let before = await read()
        async let running = load()
        // After they are open, and before they are closed.
        try await Task.sleep(for: .milliseconds(1_500))
        let during = await read()
        let end = try await running
        return BenchSample(
            [
                (
                    BenchQuantity(name: "memory", unit: "KB/connection", better: .less),
                    Double(max(0, during - before)) / 1_000 / Double(connections)
                ), (.memory.total, Double(during) / 1e6),
            ], errors: end.errors, firstError: end.firstError)
    }
}

extension BenchQuantity {
    /// Of the whole server, beside what one connection takes.
    fileprivate var total: Self { Self(name: "server", unit: unit, better: better) }
}
