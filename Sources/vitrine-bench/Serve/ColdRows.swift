import App
import Console
import FoundationEssentials
import Imaging
import Memory
import Threads

/// Rows of pictures that the server has not made yet, and of hits beside such work. Every round has a
/// server with an empty cache.
struct ColdRows: Sendable {
    let context: BenchContext
    let closers: BenchClosers
    let paths: SignedPaths
    let environment: [String: String]
    let level: Level
    /// A request for each of the first pictures, with the bytes that must come.
    let requests: [LoadRequest]

    private static let clients = 500
    /// The flood's factor over what can be made, pictures by which that is measured, and hits a second
    /// meanwhile.
    private static let (excess, probes, watched) = (10.0, 24, 500.0)
    private static let mixedRate = 5_000.0
    /// Originals that differ, more than there is time for.
    private static let copies = 20_000

    init(
        context: BenchContext, closers: BenchClosers, paths: SignedPaths,
        environment: [String: String], served: Served
    ) throws {
        (self.context, self.closers) = (context, closers)
        (self.paths, self.environment) = (paths, environment)
        let levels = context.settings.levels
        let level = levels.first { $0.name == "m" } ?? levels[levels.count / 2]
        self.level = level
        let known = Dictionary(served.thumbnails.map { ($0.path, $0) }) { first, _ in first }
        requests = try paths.names.indices.prefix(context.isQuick ? 30 : 100).map { number in
            let path = try paths.path(level.name, number)
            return known[path]?.request ?? .get(path)
        }
    }

    func cases() throws -> [BenchCase] {
        guard let first = requests.first else { return [] }
        let clients = Self.clients
        return [
            coldCase(
                BenchRow.Head(
                    .serve, ["miss", "level=\(level.name)"],
                    "pictures that were never asked for, level \(level.name)",
                    note: "Every request is for another picture: one download, one decode.")
            ) { server in
                var sample = try await Self.misses(requests, server)
                let downloads = try await Self.downloads(server)
                sample.expect(
                    downloads >= requests.count,
                    "\(requests.count) pictures caused only \(downloads) downloads: some came from a "
                        + "cache.")
                return sample
            },
            coldCase(
                BenchRow.Head(
                    .serve, ["herd", "clients=\(clients)"],
                    "\(clients) clients ask for one new picture at once")
            ) { server in
                var plan = Self.inTurn([first], server, connections: clients)
                plan.limit = clients
                let (outcome, spent) = try await ServerProcess.spent(
                    by: server.program.identifier
                ) { [plan] in try await plan.run() }
                return Self.herd(
                    outcome, spent: spent, downloads: try await Self.downloads(server),
                    clients: clients)
            },
            try flood(first),
        ]
    }

    private func coldCase(
        _ head: BenchRow.Head,
        _ round: @escaping @Sendable (ServerProcess) async throws -> BenchSample
    ) -> BenchCase {
        BenchCase(head) { _ in
            try await ServerProcess.withNew(
                {
                    try await ServerProcess.vitrine(
                        context, cache: context.place("cold"), environment)
                }, round)
        }
    }

    /// Requests each picture once.
    private static func inTurn(
        _ requests: [LoadRequest], _ server: ServerProcess,
        // Enough to keep every core busy while others wait for their origin.
        connections: Int = 2 * MachineProcessors.count() + 2
    ) -> LoadPlan {
        var plan = LoadPlan(port: server.port, requests: requests)
        plan.order = .inTurn
        plan.limit = requests.count
        plan.length = .seconds(300)
        plan.connections = connections
        plan.checkEvery = 1
        return plan
    }

    /// Returns how often a server asked its origin for a picture, retries included.
    private static func downloads(_ server: ServerProcess) async throws -> Int {
        let page = try await ServedPicture.collect(["/metrics"], port: server.port, concurrency: 1)
        return sum(
            of: "vitrine_fetch_attempts_total",
            in: String(decoding: page.first?.body ?? [], as: UTF8.self))
    }

    /// Returns the sum of a metric over all its labels in Prometheus text; 0 if it isn't there.
    static func sum(of name: String, in text: String) -> Int {
        text.split(separator: "\n").filter { line in
            line.hasPrefix(name) && ["{", " "].contains(line.dropFirst(name.count).first)
        }.compactMap { line in line.split(separator: " ").last.flatMap { Double($0) } }
            .reduce(0) { $0 + Int($1) }
    }

    static func misses(
        _ requests: [LoadRequest], _ server: ServerProcess
    ) async throws -> BenchSample {
        let (outcome, spent) = try await ServerProcess.spent(by: server.program.identifier) {
            try await inTurn(requests, server).run()
        }
        var values: [(BenchQuantity, Double)] = [
            (.rate("pictures/s"), outcome.rate),
            (.processorTime("ms/picture"), spent / Double(max(1, outcome.responses)) * 1e3),
        ]
        values += outcome.percentiles([50, 95])
        values.append((.memory, Double(await server.residentBytes()) / 1e6))
        return outcome.sample(values)
    }

    /// - Parameters:
    ///   - spent: processor time in seconds.
    ///   - downloads: how often the picture was fetched.
    static func herd(
        _ outcome: LoadOutcome, spent: Double, downloads: Int, clients: Int
    ) -> BenchSample {
        let last = BenchQuantity(name: "last response", unit: "ms", better: .less, isWall: true)
        var sample = outcome.sample([
            (last, Double(outcome.nanoseconds) / 1e6), (.processorTime("ms"), spent * 1e3),
            (.downloads, Double(downloads)),
        ])
        sample.expect(
            downloads == 1,
            "\(clients) clients caused \(downloads) downloads of one picture; expected 1.")
        return sample
    }

    /// New pictures at ten times the rate at which they can be made, and hits beside them. What counts
    /// is what hits see meanwhile. Every response must be a picture or a 503 that says when to try
    /// again.
    private func flood(_ hit: LoadRequest) throws -> BenchCase {
        let pictures = try (0..<Self.copies).map { number in
            var request = LoadRequest.get(try paths.path(level.name, number, copy: number + 1))
            request.statuses = [200, 503]
            return request
        }
        let length = Duration.seconds(context.isQuick ? 2 : 5)
        let head = BenchRow.Head(
            .serve, ["flood"], "hits in a flood of new pictures",
            note: "New pictures are asked for at ten times the rate at which they can be made.")
        return coldCase(head) { server in
            // The first tells how fast they are made, and puts the hit into memory.
            let probe = try await Self.inTurn([hit] + pictures.prefix(Self.probes), server).run()
            guard probe.errors == 0 else {
                throw CommandError(probe.firstError ?? "Pictures failed before the flood.")
            }
            var flood = Self.inTurn(
                Array(pictures.dropFirst(Self.probes)), server,
                // More than the server lets wait, so that it must refuse some.
                connections: 600)
            flood.limit = nil
            flood.pace = .open(perSecond: probe.rate * Self.excess)
            flood.length = length
            flood.timeout = .seconds(120)
            var watch = LoadPlan(port: server.port, requests: [hit])
            watch.pace = .open(perSecond: Self.watched)
            watch.length = length
            watch.connections = 8
            let (flooding, watching) = (flood, watch)
            async let cold = flooding.run()
            async let hits = watching.run()
            return Self.flood(try await cold, try await hits)
        }
    }

    static func flood(_ cold: LoadOutcome, _ hits: LoadOutcome) -> BenchSample {
        let seconds = Double(max(1, hits.nanoseconds)) / 1e9
        var sample = hits.sample(
            hits.percentiles([99, 50]).map { quantity, value in
                var quantity = quantity
                quantity.name += " of hits"
                return (quantity, value)
            })
        sample.add(
            BenchQuantity(name: "asked", unit: "pictures/s", better: nil, isWall: true),
            Double(cold.responses + cold.unsent) / seconds)
        sample.add(
            BenchQuantity(name: "good", unit: "pictures", better: .more, isWall: true),
            Double(cold.statuses[200] ?? 0))
        sample.add(
            BenchQuantity(name: "refused", unit: "503 with Retry-After", better: nil),
            Double(cold.statuses[503] ?? 0))
        sample.errors += cold.errors
        sample.firstError = cold.firstError ?? sample.firstError
        return sample
    }

    /// Hits at a steady rate while a warm run, in a process of its own, renders on every processor.
    ///
    /// The generator shares the processors with the warm run. So it takes real-time scheduling where that
    /// is permitted; otherwise most of the latency is its own delay, which a column shows.
    func mixed(_ hits: [ServedPicture], cache: String) async throws -> BenchCase {
        // With default settings, on the whole machine.
        let server = try await ServerProcess.vitrine(context, cache: cache, environment)
        closers.add { await server.stop() }
        let list = context.place("mixed-urls")
        let lines = (1...Self.copies).map { paths.url($0, copy: 1_000_000 + $0) + "\n" }.joined()
        try await context.write(lines.utf8, to: list)
        let head = BenchRow.Head(
            .serve, ["mixed", "rate=\(Int(Self.mixedRate))"], "hits while a warm run renders",
            note: "Another process warms a cache with every processor. The generator goes first if "
                + "permitted.")
        return BenchCase(head) { number in
            let cache = context.place("mixed")
            var order = context.vitrine(["warm", "urls", list, "--json"])
            order.arguments += ["--cache", cache]
            order.environment = environment
            (order.output, order.errors) = (cache + "-out", cache + "-errors")
            let warm = try await MeasuredProgram.start(order)
            var sample = try await withEnd({
                await warm.stop(within: 15)
            }) {
                var plan = LoadPlan(port: server.port, requests: hits.map(\.request))
                plan.seed = UInt64(number + 1)
                plan.pace = .open(perSecond: Self.mixedRate)
                plan.goesFirst = true
                // Until the warm run renders.
                plan.length = .seconds(1)
                _ = try await plan.run()
                plan.length = .seconds(number < 1 ? 1 : context.isQuick ? 2 : 10)
                let (outcome, spent) = try await ServerProcess.spent(by: warm.identifier) {
                    [plan] in try await plan.run()
                }
                return Self.mixed(outcome, warm: spent)
            }
            let summary = WarmSummary(ProcFile.text(cache + "-out") ?? "")
            sample.expect(
                summary?.hasOnlyPlaceholders != true,
                "The warm run found no pictures at its URLs, so it rendered nothing.")
            return sample
        }
    }

    /// - Parameter warm: processor time of the warm run meanwhile, in seconds.
    static func mixed(_ outcome: LoadOutcome, warm: Double) -> BenchSample {
        let seconds = Double(max(1, outcome.nanoseconds)) / 1e9
        var values = outcome.percentiles([99, 50, 99.9])
        values.append((.rate("requests/s"), outcome.rate))
        values.append(
            (BenchQuantity(name: "warm run", unit: "processors", better: nil), warm / seconds))
        values += outcome.lateness
        var sample = outcome.sample(values)
        sample.expect(
            warm > 0, "The warm run did nothing while hits were measured; see its messages.")
        return sample
    }
}
