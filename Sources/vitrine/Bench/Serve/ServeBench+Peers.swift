import App
import FoundationEssentials

/// Rows of other programs, and of a protocol that needs another program.
extension ServeBench {
    /// Directory with a copy of everything that is served, for peers.
    private var servedFiles: String { "\(context.scratch)/served" }

    func peers(
        _ hits: [ServedPicture], _ all: [ServedPicture], _ plan: inout BenchPlan
    ) async throws -> [any BenchCase] {
        let wanted = ServePeer.allCases.filter { context.wantsPeer($0.rawValue) }
        guard !wanted.isEmpty else { return [] }
        let files = servedFiles
        try await FileThreads.run {
            for picture in all {
                let file = URL(fileURLWithPath: files + picture.path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(picture.body).write(to: file)
            }
        }
        var place = ServePeer.Place(
            files: files, scratch: context.scratch, processors: serverProcessors)
        var cases: [any BenchCase] = []
        for peer in wanted {
            guard let program = MeasuredProgram.find(peer.program) else {
                plan.notes.append("\(peer.program) is not installed.")
                continue
            }
            if peer == .varnish {
                guard let nginx = MeasuredProgram.find("nginx") else {
                    plan.notes.append("varnish needs nginx behind it, which is not installed.")
                    continue
                }
                let backend = try await ServePeer.nginx.start(nginx, place)
                closers.add { await backend.stop() }
                place.backend = backend.port
            }
            let version = await peer.version(program, scratch: context.scratch)
            plan.libraries.append(BenchSetting(peer.rawValue, version))
            do {
                let server = try await peer.start(program, place)
                closers.add { await server.stop() }
                cases += try await self.cases(of: peer, version, server, hits, all)
            } catch let error as CommandError {
                plan.notes.append("\(peer.rawValue) is not measured. \(error.description)")
            }
        }
        return cases
    }

    private func cases(
        of peer: ServePeer, _ version: String, _ server: ServerProcess, _ hits: [ServedPicture],
        _ all: [ServedPicture]
    ) async throws -> [any BenchCase] {
        let seen = try await ServedPictures.collect(
            hits.map { peer.path(of: $0.path) }, port: server.port, concurrency: 8)
        if peer.sendsFiles { try check(seen, hits, peer.rawValue) }
        let target = Target(
            name: peer.rawValue, version: version, server: server, port: server.port)
        var cases = hitCases(target, requests(seen), conditional: conditional(seen))
        if peer == .nginx {
            cases.append(diskCase(target, requests(all), "Files in the kernel's page cache."))
        }
        return cases
    }

    /// Hits with HTTP/2 over TLS, if h2load is installed to make them.
    func http2Cases(
        _ hits: [ServedPicture], _ cache: String, _ environment: [String: String], _ bytes: Int,
        _ plan: inout BenchPlan
    ) async throws -> [any BenchCase] {
        guard let h2load = MeasuredProgram.find("h2load") else {
            plan.notes.append("h2load is not installed, so HTTP/2 is not measured.")
            return []
        }
        let identity = "\(context.scratch)/identity"
        _ = try await MeasuredProgram.run(
            MeasuredProgram.Order(
                DemoProgram.path(beside: "/proc/self/exe"), ["certificate", identity]))
        var environment = environment
        environment["VITRINE_SERVER_TLS_CERTIFICATE"] = "\(identity)/certificate.pem"
        environment["VITRINE_SERVER_TLS_KEY"] = "\(identity)/key.pem"
        let server = try await vitrine(cache, environment, memory: max(64 << 20, bytes * 2))
        var servers: [(ServerProcess, String?)] = [(server, nil)]
        if context.wantsPeer("nginx"), let nginx = MeasuredProgram.find("nginx") {
            let place = ServePeer.Place(
                files: servedFiles, scratch: context.scratch, processors: serverProcessors,
                identity: identity)
            let peer = try await ServePeer.nginx.start(nginx, place)
            closers.add { await peer.stop() }
            servers.append((peer, await ServePeer.nginx.version(nginx, scratch: context.scratch)))
        }
        return servers.map { server, version in
            HTTP2Case(
                head: BenchRow.Head(
                    .serve, ["hit", "http2"] + (version == nil ? [] : ["peer=nginx"]), state: .warm,
                    peer: version, note: "TLS, 8 connections with 16 streams each, made by h2load."),
                server: server, h2load: h2load, paths: hits.map(\.path),
                seconds: context.isQuick ? 2 : 3,
                processors: generatorProcessor.map { Processors([$0]) }, scratch: context.scratch)
        }
    }
}
