import App
import Console
import FoundationEssentials
import Imaging
import Memory
import Threads

/// Rows of other programs, and of protocols that need another program.
struct ServePeers {
    let bench: ServeBench
    let rows: [ServeRow]
    let served: Served

    /// Directory with a copy of everything that is served.
    private var files: String { "\(bench.context.scratch)/served" }

    /// A peer that is wanted and installed.
    struct Installed: Sendable {
        var peer: ServePeer
        /// Path of the program.
        var program: String
        var version: String
    }

    func installed(_ plan: inout BenchPlan) async -> [Installed] {
        var found: [Installed] = []
        for peer in ServePeer.allCases where bench.context.wantsPeer(peer.rawValue) {
            guard let program = MeasuredProgram.find(peer.program) else {
                plan.notes.append("\(peer.program) is not installed.")
                continue
            }
            let version = await peer.version(program)
            plan.libraries.append(
                BenchSetting(peer.rawValue, version.split(separator: " ").dropFirst().joined()))
            found.append(Installed(peer: peer, program: program, version: version))
        }
        return found
    }

    /// Hits of other programs.
    func cases(
        _ installed: [Installed], _ own: ServeBench.Target, _ plan: inout BenchPlan
    ) async throws -> [BenchCase] {
        let (files, all) = (files, served.files)
        try await FileThreads.run {
            for (path, body) in all {
                let file = files + path
                try LocalFile.makeDirectory(String(LocalFile.directory(of: file)))
                try LocalFile.replace(file, with: body)
            }
        }
        var place = ServePeer.Place(
            files: files, scratch: bench.context.scratch, processors: bench.serverProcessors)
        var cases: [BenchCase] = []
        for one in installed where one.peer.path(of: "/") != nil {
            do {
                if one.peer == .varnish {
                    guard let nginx = MeasuredProgram.find("nginx") else {
                        throw CommandError("It needs nginx behind it, which is not installed.")
                    }
                    place.backend = try await started(.nginx, nginx, place).port
                }
                let server = try await started(one.peer, one.program, place)
                let target = ServeBench.Target(server, (one.peer.rawValue, one.version))
                cases += try await self.cases(of: one.peer, target)
                if one.peer == .nginx { cases += try await halfCases([own, target], &plan) }
            } catch let error as CommandError {
                plan.notes.append("\(one.peer.rawValue) is not measured. \(error.description)")
            }
        }
        return cases
    }

    private func started(
        _ peer: ServePeer, _ program: String, _ place: ServePeer.Place
    ) async throws -> ServerProcess {
        let server = try await peer.start(program, place)
        bench.closers.add { await server.stop() }
        return server
    }

    private func cases(
        of peer: ServePeer, _ target: ServeBench.Target
    ) async throws -> [BenchCase] {
        var theirs = served
        theirs.hits = try await ServedPicture.collect(
            served.hits.compactMap { peer.path(of: $0.path) }, port: target.port, concurrency: 8)
        if peer.sendsFiles { try ServeBench.check(theirs.hits, served.hits, peer.rawValue) }
        var cases = rows.filter { $0.pace != .half && (peer == .nginx || !$0.isForFiles) }
            .compactMap { row -> BenchCase? in
                let requests = theirs.requests(row.content, isPeer: true)
                return requests.isEmpty ? nil : bench.loadCase(row, requests, target)
            }
        // In little time only what tells most: the others cost hundreds of microseconds a hit.
        if bench.context.isQuick, peer != .nginx { cases.removeSubrange(1...) }
        return cases
    }

    /// Hits at the same rate: half of what the slower one can do.
    private func halfCases(
        _ targets: [ServeBench.Target], _ plan: inout BenchPlan
    ) async throws -> [BenchCase] {
        let requests = served.requests(.hits)
        var rate = Double.infinity
        for target in targets {
            var load = LoadPlan(port: target.port, requests: requests)
            load.length = .seconds(1)
            load.processor = bench.generatorProcessor
            rate = min(rate, try await load.run().rate / 2)
        }
        rate = (rate / 1_000).rounded() * 1_000
        guard rate >= 1_000, rate.isFinite, var row = rows.first(where: { $0.pace == .half }) else {
            return []
        }
        plan.settings.append(BenchSetting("serve.half", "\(Int(rate)) requests/s"))
        row.pace = .open(rate)
        return targets.map { bench.loadCase(row, requests, $0) }
    }

    /// Load over TLS, with HTTP/1.1 and HTTP/2, if h2load is installed to make it.
    func secureCases(
        _ cache: String, _ environment: [String: String], memory: Int, _ plan: inout BenchPlan
    ) async throws -> [BenchCase] {
        guard let h2load = MeasuredProgram.find("h2load") else {
            plan.notes.append("h2load is not installed, so TLS and HTTP/2 are not measured.")
            return []
        }
        let identity = "\(bench.context.scratch)/identity"
        _ = try await MeasuredProgram.run(
            MeasuredProgram.Order(try DemoProgram.path(), ["certificate", identity]))
        let secure = environment.merging([
            "VITRINE_SERVER_TLS_CERTIFICATE": "\(identity)/certificate.pem",
            "VITRINE_SERVER_TLS_KEY": "\(identity)/key.pem",
        ]) { $1 }
        var targets = [ServeBench.Target(try await bench.vitrine(cache, secure, memory: memory))]
        if bench.context.wantsPeer("nginx"), let nginx = MeasuredProgram.find("nginx") {
            let place = ServePeer.Place(
                files: files, scratch: bench.context.scratch, processors: bench.serverProcessors,
                identity: identity)
            let version = await ServePeer.nginx.version(nginx)
            targets.append(
                ServeBench.Target(try await started(.nginx, nginx, place), ("nginx", version)))
        }
        return targets.flatMap { target in
            SecureRow.all.map { secureCase($0, h2load, target) }
        }
    }

    private func secureCase(
        _ row: SecureRow, _ h2load: String, _ target: ServeBench.Target
    ) -> BenchCase {
        let list =
            "\(bench.context.scratch)/h2load-\(target.port)-\(row.what.joined(separator: "-"))"
        let urls = served.hits.map { "https://127.0.0.1:\(target.port)\($0.path)\n" }.joined()
        let (length, processor) = (bench.context.isQuick ? 1 : 3, bench.generatorProcessor)
        let head = BenchRow.Head(
            .serve, row.what, row.words, state: .warm, peer: target.peer, note: "Made by h2load.")
        return BenchCase(head) { number in
            try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.replace(list, with: Array(urls.utf8))
            }
            let seconds = row.idle == nil ? (number < 1 ? 1 : length) : 3
            var order = MeasuredProgram.Order(
                h2load,
                row.arguments + ["--input-file", list, "--threads", "1"]
                    + (row.isTimed ? ["--duration", "\(seconds)"] : []))
            (order.output, order.errors) = (list + "-out", list + "-errors")
            order.processors = processor.map { Processors([$0]) }
            let (command, process) = (order, target.process ?? 0)
            if let idle = row.idle {
                return try await ServeBench.memory(of: process, idle) {
                    let summary = try await Self.run(command).summary
                    return (summary.failed, summary.failure)
                }
            }
            let before = await ServerProcess.processorTime(process)
            let (summary, end) = try await Self.run(command)
            let spent = await ServerProcess.processorTime(process) - before
            let done = Double(summary.done)
            return BenchSample(
                [
                    (.rate("requests/s"), summary.rate),
                    (.processorTime("µs/request"), spent / done * 1e6),
                    (.perCore, spent > 0 ? done / spent : 0),
                    (.generator, end.processor / end.wall * 100),
                ], errors: summary.failed, firstError: summary.failure)
        }
    }

    private static func run(
        _ order: MeasuredProgram.Order
    ) async throws -> (summary: H2LoadSummary, end: MeasuredProgram.End) {
        let end = try await MeasuredProgram.run(order)
        guard let text = order.output.flatMap(ProcFile.text), let summary = H2LoadSummary(text),
            summary.done > 0
        else {
            throw CommandError(
                "h2load got no response, or its output is another one than expected.")
        }
        return (summary, end)
    }

    /// The same originals in the same level by peers that make thumbnails when they are asked.
    func missCases(
        _ installed: [Installed], _ corpus: Corpus, _ cold: ColdRows, _ plan: inout BenchPlan
    ) async throws -> [BenchCase] {
        let quality = bench.context.settings.imaging.value(.jpegQuality, level: cold.level.name)
        let place = ServePeer.Place(
            files: corpus.directory, scratch: bench.context.scratch,
            workers: MachineProcessors.count())
        var cases: [BenchCase] = []
        for one in installed {
            let paths = corpus.names.prefix(cold.misses.count).compactMap {
                one.peer.path(of: $0, in: cold.level, quality: quality)
            }
            guard paths.count == cold.misses.count else { continue }
            let start = { @Sendable in try await one.peer.start(one.program, place) }
            do {
                // Its server and its cache are gone afterwards.
                let server = try await start()
                let seen = try await withEnd {
                    try await ServedPicture.collect(
                        paths, port: server.port, concurrency: place.workers)
                } end: {
                    await server.stop()
                }
                try Self.check(seen, cold.misses.map { $0.body.flatMap { JPEGSize($0) } })
                let head = BenchRow.Head(
                    .serve, cold.missID, cold.missWords, peer: (one.peer.rawValue, one.version),
                    note: "Reads the originals from this disk and makes no other level.")
                let load = seen.map(\.request)
                cases.append(
                    BenchCase(head) { _ in
                        let server = try await start()
                        return try await withEnd {
                            try await ColdRows.misses(load, server)
                        } end: {
                            await server.stop()
                        }
                    })
            } catch let error as CommandError {
                plan.notes.append(
                    "Misses of \(one.peer.rawValue) are not measured. \(error.description)")
            }
        }
        return cases
    }

    /// Checks that thumbnails have the sizes that this program gives them. One pixel more or less is
    /// a matter of rounding.
    ///
    /// - Parameter expected: one size for each picture; nil where it is unknown.
    static func check(_ pictures: [ServedPicture], _ expected: [JPEGSize?]) throws(CommandError) {
        for (picture, expected) in zip(pictures, expected) {
            guard let expected else { continue }
            let size = JPEGSize(picture.body)
            if let size, abs(size.width - expected.width) <= 1,
                abs(size.height - expected.height) <= 1
            {
                continue
            }
            throw CommandError(
                "It made \(size.map { "\($0.width)×\($0.height) pixels" } ?? "no JPEG") at "
                    + "\(picture.path); expected \(expected.width)×\(expected.height).")
        }
    }
}

extension H2LoadSummary {
    /// The failures as a sentence; nil without any.
    fileprivate var failure: String? { failed > 0 ? "h2load counted \(failed) failures." : nil }
}
