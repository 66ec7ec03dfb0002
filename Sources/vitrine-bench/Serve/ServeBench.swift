import App
import Console
import Glibc
import Imaging
import Serve
import Threads

/// What `vitrine bench serve` measures.
///
/// Servers of hits have one processor each and the generator another one, so that a row tells what a
/// core gives. Rows of misses have the whole machine.
struct ServeBench: Sendable {
    let context: BenchContext
    /// Requests a second of the rows with a given rate.
    let rates: [Double]
    /// A service that already runs; nil to start one.
    let target: ServeTarget?
    let closers: BenchClosers
    /// For servers of hits, and for the generator; nil on a machine with one processor.
    let serverProcessors: Processors?
    let generatorProcessor: Int?

    /// Shows of the catalog page that is measured, as a page of TVmaze has.
    private static let shows = 240

    init(
        _ context: BenchContext, _ options: ServeBenchOptions, _ closers: BenchClosers
    ) throws {
        (self.context, self.closers) = (context, closers)
        (rates, target) = (try options.rateValues(), try options.target())
        let allowed = Processors.allowed().numbers
        serverProcessors = allowed.count > 1 ? Processors([allowed[0]]) : nil
        generatorProcessor = allowed.count > 1 ? allowed.last : nil
    }

    func plan() async throws -> BenchPlan {
        if let target { return await plan(of: target) }
        let corpus = try await Corpus.posters(context, into: "serve-corpus")
        let origin = try await BenchOrigin.start(
            corpus, [], shows: Self.shows, context, closers)
        let paths = SignedPaths(names: corpus.names)
        var environment = origin.environment
        environment["VITRINE_URL_KEYS"] = paths.key
        // For all clients, so that originals are hits.
        environment["VITRINE_SERVER_OFFERS"] =
            RouteGroup.allCases.map(\.rawValue).joined(separator: ",")
        let cache = "\(context.scratch)/serve-cache"
        context.say("Making the thumbnails of \(corpus.names.count) pictures.")
        let filling = try await ServerProcess.vitrine(context, cache: cache, environment)
        // It is stopped in order, so that everything is on disk for those that are measured.
        let made = try await withEnd(filling.stop) {
            try await Served.made(by: filling, paths, context.settings.levels)
        }
        var own = try await service(cache, environment, bytes: made.bytes)
        let served = try await made.completed(on: own.port)
        own.served = served

        var plan = BenchPlan()
        var programs = [own]
        for one in await context.installed([Nginx.peer], &plan) {
            programs.append(try await nginx(one, served))
        }
        for row in try await rows(programs, &plan) {
            plan.cases += programs.compactMap { hitCase(row, $0) }
        }
        let cold = try ColdRows(
            context: context, closers: closers, paths: paths, environment: environment,
            served: served)
        plan.cases += try cold.cases()
        plan.cases.append(try await cold.mixed(served.hits, cache: cache))
        plan.settings += [
            BenchSetting("serve.pictures", "\(corpus.names.count)"),
            BenchSetting(
                "serve.thumbnails", "\(served.thumbnails.count), \(made.bytes / 1_000) kB"),
            BenchSetting(
                "serve.hits", "\(served.hits.count), mean \(served.meanHit) bytes"),
        ]
        if serverProcessors == nil {
            plan.notes.append("There is one processor: servers and the generator share it.")
        }
        return plan
    }

    /// The rows of a service that already runs, which `--url` names.
    private func plan(of target: ServeTarget) async -> BenchPlan {
        var plan = BenchPlan()
        let process = await FileThreads.run { ServerProcess.listening(on: target.port) }
        let request = LoadRequest.get(target.path, host: target.host)
        plan.cases = ServeRow.all(rates: rates)
            .filter { $0.content == .hits && $0.h2load.isEmpty && !$0.isHalf && !$0.isIdle }
            .map { row in
                LoadCase(
                    context: context, generatorProcessor: generatorProcessor, row: row,
                    requests: [request], peer: nil
                )
                .onServer(target.port, process)
            }
        if process == nil {
            plan.notes = [
                "The process of the service is not one of this user's, so its processor time is "
                    + "not measured."
            ]
        }
        return plan
    }

    /// Returns the rows that can be measured, with the rate of those that follow from others.
    private func rows(
        _ programs: [HitProgram], _ plan: inout BenchPlan
    ) async throws -> [ServeRow] {
        var rows = ServeRow.all(rates: rates)
        if MeasuredProgram.find("h2load") == nil {
            plan.notes.append("h2load is not installed, so TLS and HTTP/2 are not measured.")
            rows.removeAll { !$0.h2load.isEmpty }
        }
        guard programs.count > 1, let half = rows.firstIndex(where: \.isHalf) else {
            return rows.filter { !$0.isHalf }
        }
        var rate = Double.infinity
        for program in programs {
            var load = LoadPlan(port: program.port, requests: program.served.requests(.hits))
            load.length = .seconds(1)
            load.processor = generatorProcessor
            rate = min(rate, try await load.run().rate / 2)
        }
        rate = max(1, (rate / 1_000).rounded()) * 1_000
        rows[half].pace = .open(perSecond: rate)
        plan.settings.append(BenchSetting("serve.half", "\(Int(rate)) requests/s"))
        return rows
    }

    /// The case of a row; nil if the program isn't measured in it.
    private func hitCase(_ row: ServeRow, _ program: HitProgram) -> BenchCase? {
        let requests = program.served.requests(row.content, isPeer: program.peer != nil)
        guard let server = program.servers[row.server], !requests.isEmpty else { return nil }
        let load = LoadCase(
            context: context, generatorProcessor: generatorProcessor, row: row, requests: requests,
            peer: program.peer)
        return row.isIdle
            ? load.onNewServers { try await program.start(row.server) }
            : load.onServer(server.port, server.program.identifier)
    }

    /// This program with one thread on the processor of servers.
    private func service(
        _ cache: String, _ environment: [String: String], bytes: Int
    ) async throws -> HitProgram {
        let identity = try await identity()
        return try await HitProgram(nil, closers) { server in
            var environment = environment
            // A tenth of the thumbnails, or all of them.
            let memory = server == .disk ? max(1 << 20, bytes / 10) : max(64 << 20, bytes * 2)
            environment["VITRINE_CACHE_MEMORY"] = "\(memory)"
            environment["VITRINE_SERVER_THREADS"] = "1"
            if server == .tls {
                environment["VITRINE_SERVER_TLS_CERTIFICATE"] = "\(identity)/certificate.pem"
                environment["VITRINE_SERVER_TLS_KEY"] = "\(identity)/key.pem"
            }
            return try await ServerProcess.vitrine(
                context, cache: cache, environment, on: serverProcessors)
        }
    }

    /// Makes a certificate for 127.0.0.1 and returns its directory.
    private func identity() async throws -> String {
        let identity = "\(context.scratch)/identity"
        _ = try await MeasuredProgram.run(
            MeasuredProgram.Order(try DemoProgram.path(), ["certificate", identity]))
        return identity
    }

    /// nginx, with everything that is served as files.
    private func nginx(_ installed: Peer.Installed, _ served: Served) async throws -> HitProgram {
        let files = "\(context.scratch)/served"
        for (path, body) in served.files { try await context.write(body, to: files + path) }
        let nginx = Nginx(
            program: installed.path, files: files, identity: "\(context.scratch)/identity",
            context: context, processors: serverProcessors)
        var program = try await HitProgram(installed, closers) { server in
            try await nginx.start(isSecure: server == .tls)
        }
        program.served = served
        // With its own tags.
        program.served.hits = try await served.hits(on: program.port, installed.peer.name)
        return program
    }
}
