import App
import FoundationEssentials
import Imaging

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

    static func plan(
        _ context: BenchContext, _ settings: ServeBenchSettings
    ) async throws -> BenchPlan {
        try await BenchClosers.plan { closers in
            let bench = ServeBench(context, settings, closers)
            if let target = settings.target {
                let process = await FileThreads.run { ListeningProcess.find(port: target.port) }
                return bench.plan(of: target, process)
            }
            return try await bench.plan()
        }
    }

    private init(
        _ context: BenchContext, _ settings: ServeBenchSettings, _ closers: BenchClosers
    ) {
        self.context = context
        self.settings = settings
        self.closers = closers
        let allowed = Processors.allowed().numbers
        serverProcessors = allowed.count > 1 ? Processors([allowed[0]]) : nil
        generatorProcessor = allowed.count > 1 ? allowed.last : nil
    }

    // MARK: A service that runs

    private func plan(
        of target: ServeBenchSettings.Target, _ process: ListeningProcess?
    ) -> BenchPlan {
        var plan = BenchPlan()
        let request = LoadRequest.get(target.path, host: target.host)
        plan.cases = hitCases(
            Target(name: "vitrine", version: nil, server: process, port: target.port),
            [request], conditional: [])
        if process == nil {
            plan.notes = [
                "The process of the service is not one of this user's, so its processor time is not measured."
            ]
        }
        return plan
    }

    // MARK: Servers of its own

    /// Shows of the catalog page that is measured, as a page of TVMaze has.
    private static let shows = 240

    private func plan() async throws -> BenchPlan {
        let corpus = try await ServeCorpus.make(context)
        let origin = try await BenchOrigin.start(
            ["--pictures", corpus.directory], seed: context.seed, shows: Self.shows,
            scratch: context.scratch)
        closers.add { await origin.stop() }
        let pictures = ServedPictures(names: corpus.names)
        var environment = origin.environment
        environment["VITRINE_URL_KEYS"] = pictures.key

        let cache = "\(context.scratch)/serve-cache"
        context.say("Making the thumbnails of \(corpus.names.count) pictures.")
        let (all, blobsMade) = try await made(pictures, cache, environment)
        var hits = all.filter { Self.sizes.contains($0.body.count) }
        if hits.count < 8 { hits = all }
        if let length = settings.mix {
            var plan = BenchPlan()
            plan.cases = [
                try await mix(pictures, hits, all, blobsMade, cache, environment, length)
            ]
            return plan
        }
        let bytes = all.reduce(0) { $0 + $1.body.count }

        var plan = BenchPlan()
        environment["VITRINE_SERVER_THREADS"] = "1"
        let small = max(1 << 20, bytes / 10)
        let fast = try await vitrine(cache, environment, memory: max(64 << 20, bytes * 2))
        let disk = try await vitrine(cache, environment, memory: small)
        let served = ServedBodies(
            hits: hits, thumbnails: all, blobs: try await served(blobsMade, hits, by: fast),
            documents: try await documents(of: fast))
        if served.blobs.sheets.isEmpty { plan.notes.append("No contact sheet could be made.") }
        let target = Target(name: "vitrine", server: fast, port: fast.port)
        plan.cases += try await cases(of: target, disk: disk, served)
        let installed = await installedPeers(&plan)
        plan.cases += try await peers(installed, target, served, &plan)
        plan.cases += try await secureCases(hits, cache, environment, bytes, &plan)

        environment["VITRINE_SERVER_THREADS"] = nil
        let misses = try misses(pictures, all)
        plan.cases += try coldCases(
            pictures, misses,
            ColdServer(
                environment: environment, options: context.settingArguments,
                scratch: context.scratch))
        plan.cases.append(try await mixed(pictures, hits, cache, environment))
        plan.cases += try await peerMisses(
            installed, corpus, misses.names, misses.level,
            misses.requests.map { $0.body.flatMap { JPEGSize($0) } }, &plan)
        plan.settings = [
            BenchSetting("serve.pictures", "\(corpus.names.count)"),
            BenchSetting("serve.thumbnails", "\(all.count), \(bytes / 1_000) kB"),
            BenchSetting(
                "serve.hits",
                "\(hits.count), mean \(hits.reduce(0) { $0 + $1.body.count } / hits.count) bytes"),
            BenchSetting("serve.disk.memory", "\(small / 1_000) kB"),
            BenchSetting("serve.connections", "64"),
        ]
        if serverProcessors == nil {
            plan.notes.append("There is one processor: servers and the generator share it.")
        }
        return plan
    }

    /// Fills the cache with every level of every picture, originals and a contact sheet, with all
    /// processors.
    private func made(
        _ pictures: ServedPictures, _ cache: String, _ environment: [String: String]
    ) async throws -> ([ServedPicture], ServedBlobs) {
        let server = try await ServerProcess.vitrine(
            cache: cache, options: context.settingArguments, environment: environment,
            scratch: context.scratch)
        let outcome: Result<([ServedPicture], ServedBlobs), any Error>
        do {
            let paths = try context.settings.levels.flatMap { level in
                try ["jpg", "webp"].flatMap { format in
                    try pictures.names.map { try pictures.path(level.name, $0, format: format) }
                }
            }
            let thumbnails = try await ServedPictures.collect(
                paths, port: server.port, concurrency: 16)
            outcome = .success((thumbnails, try await madeBlobs(server)))
        } catch {
            outcome = .failure(error)
        }
        // Stopped in order, so that everything is on disk for the servers that are measured.
        await server.stop()
        return try outcome.get()
    }

    func vitrine(
        _ cache: String, _ environment: [String: String], memory: Int
    ) async throws -> ServerProcess {
        var environment = environment
        environment["VITRINE_CACHE_MEMORY"] = "\(memory)"
        let server = try await ServerProcess.vitrine(
            cache: cache, options: context.settingArguments, environment: environment,
            on: serverProcessors, scratch: context.scratch)
        closers.add { await server.stop() }
        return server
    }

    // MARK: Rows of hits

    /// A server with what its rows are called.
    struct Target {
        var name: String
        /// Nil for this program.
        var version: String?
        var server: (any TimedServer)?
        var port: Int

        /// The last part of its rows' ids; empty for this program.
        var suffix: [String] { version == nil ? [] : ["peer=\(name)"] }
    }

    private func cases(
        of target: Target, disk: ServerProcess, _ served: ServedBodies
    ) async throws -> [any BenchCase] {
        let hits = served.hits
        let seen = try await ServedPictures.collect(
            hits.map(\.path), port: target.port, concurrency: 8)
        try check(seen, hits, "vitrine")
        let diskTarget = Target(name: "vitrine", server: disk, port: disk.port)
        return hitCases(target, requests(hits), conditional: conditional(seen))
            + documentCases(target, served.documents)
            + diskCases(
                diskTarget, requests(served.thumbnails), "cache.memory holds a tenth.")
            + blobCases(target, served.blobs)
    }

    func hitCases(
        _ target: Target, _ requests: [LoadRequest], conditional: [LoadRequest]
    ) -> [any BenchCase] {
        var cases = [loadCase(target, ["hit", "keep-alive"], requests)]
        cases += settings.rates.map { rate in
            var one = loadCase(
                target, ["hit", "rate=\(Int(rate))"], requests,
                "Requests are due at even distances.")
            one.plan.pace = .open(perSecond: rate)
            one.percentile = 99
            return one
        }
        if !conditional.isEmpty {
            cases.append(loadCase(target, ["304", "keep-alive"], conditional))
        }
        var closing = loadCase(
            target, ["hit", "connection-each"],
            requests.map { request in
                var request = request
                request.bytes.removeLast(2)
                request.bytes += Array("Connection: close\r\n\r\n".utf8)
                return request
            })
        closing.plan.closesConnections = true
        return cases + [closing]
    }

    /// Hits of far more pictures than memory holds: by Zipf's law, all equally often, and at a given
    /// rate.
    func diskCases(
        _ target: Target, _ requests: [LoadRequest], _ note: String
    ) -> [any BenchCase] {
        func disk(_ what: String, _ order: LoadOrder.Kind, _ words: String) -> LoadCase {
            var one = loadCase(
                target, ["disk", what], requests,
                "Every level of every picture, \(words). \(note)")
            one.plan.order = order
            one.plan.seed = context.seed
            return one
        }
        let zipf = LoadOrder.Kind.zipf(exponent: 1)
        var cases = [
            disk("zipf=1", zipf, "by Zipf's law"), disk("even", .even, "equally often"),
        ]
        cases += settings.rates.map { rate in
            var one = disk("rate=\(Int(rate))", zipf, "by Zipf's law, due at even distances")
            one.plan.pace = .open(perSecond: rate)
            one.percentile = 99
            return one
        }
        return cases
    }

    func loadCase(
        _ target: Target, _ what: [String], _ requests: [LoadRequest], _ note: String? = nil
    ) -> LoadCase {
        var plan = LoadPlan(port: target.port, requests: requests)
        plan.seed = context.seed
        plan.length = .seconds(context.isQuick ? 1 : 3)
        plan.processor = generatorProcessor
        return LoadCase(
            head: BenchRow.Head(
                .serve, what + target.suffix, state: .warm, peer: target.version, note: note),
            server: target.server, plan: plan)
    }

    func requests(_ pictures: [ServedPicture]) -> [LoadRequest] {
        pictures.map { picture in
            var request = LoadRequest.get(picture.path)
            request.body = picture.body
            request.length = picture.body.count
            return request
        }
    }

    func conditional(_ pictures: [ServedPicture]) -> [LoadRequest] {
        pictures.filter { !$0.entityTag.isEmpty }.map { picture in
            var request = LoadRequest.get(
                picture.path, fields: [("If-None-Match", picture.entityTag)])
            request.statuses = [304]
            return request
        }
    }

    func check(
        _ seen: [ServedPicture], _ expected: [ServedPicture], _ name: String
    ) throws {
        for (seen, expected) in zip(seen, expected) where seen.body != expected.body {
            throw CommandError("\(name) serves other bytes at \(seen.path) than were stored.")
        }
    }

    /// Hits beside a warm run of another process, with default settings but the port and the origin.
    private func mixed(
        _ pictures: ServedPictures, _ hits: [ServedPicture], _ cache: String,
        _ environment: [String: String]
    ) async throws -> MixedCase {
        let server = try await ServerProcess.vitrine(
            cache: cache, options: context.settingArguments, environment: environment,
            scratch: context.scratch)
        closers.add { await server.stop() }
        let file = "\(context.scratch)/mixed-urls"
        let lines = (1...20_000).map { number in
            let name = pictures.names[number % pictures.names.count]
            return "\(pictures.scheme)://\(BenchOrigin.pictureHost)/\(1_000_000 + number)/\(name)\n"
        }
        try await FileThreads.run {
            try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: file))
        }
        return MixedCase(
            head: BenchRow.Head(
                .serve, ["mixed", "rate=5000"],
                note: "Hits while another process warms a cache with every processor. "
                    + "The generator goes first if permitted. Goal: p99 below 2 ms."),
            server: server, hits: requests(hits), urls: file, environment: environment,
            options: context.settingArguments, length: .seconds(context.isQuick ? 2 : 10),
            scratch: context.scratch)
    }

    // MARK: Rows of misses

    /// Pictures that are asked for once, in one level.
    struct Misses {
        var level: Level
        var names: [String]
        var requests: [LoadRequest]
    }

    private func misses(_ pictures: ServedPictures, _ all: [ServedPicture]) throws -> Misses {
        let levels = context.settings.levels
        let level = levels.first { $0.name == "m" } ?? levels[levels.count / 2]
        let names = Array(pictures.names.prefix(context.isQuick ? 30 : 100))
        let known = Dictionary(all.map { ($0.path, $0.body) }) { first, _ in first }
        let requests = try names.map { name in
            let path = try pictures.path(level.name, name, format: "jpg")
            var request = LoadRequest.get(path)
            request.body = known[path]
            request.length = known[path]?.count
            return request
        }
        return Misses(level: level, names: names, requests: requests)
    }

    private func coldCases(
        _ pictures: ServedPictures, _ misses: Misses, _ cold: ColdServer
    ) throws -> [any BenchCase] {
        let level = misses.level.name
        guard let first = misses.requests.first else { return [] }
        let clients = 500
        // As many as a fast machine is asked for in the time.
        let flood = try (0..<20_000).map { number in
            var request = LoadRequest.get(
                try pictures.path(
                    level, pictures.names[number % pictures.names.count], copy: number + 1,
                    format: "jpg"))
            request.statuses = [200, 503]
            return request
        }
        return [
            MissCase(
                head: BenchRow.Head(
                    .serve, ["miss", "level=\(level)"],
                    note: "Every request is for another picture: one download, one decode."),
                cold: cold, load: MissLoad(requests: misses.requests)),
            HerdCase(
                head: BenchRow.Head(
                    .serve, ["herd", "clients=\(clients)"],
                    note: "All ask for one cold picture at once."),
                cold: cold, request: first, clients: clients),
            FloodCase(
                head: BenchRow.Head(
                    .serve, ["flood"],
                    note: "Hits while cold pictures are asked for at ten times the rate at which "
                        + "they can be made."),
                cold: cold, hit: first, pictures: flood,
                length: .seconds(context.isQuick ? 2 : 5)),
        ]
    }
}
