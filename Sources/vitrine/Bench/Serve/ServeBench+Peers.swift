import App
import FoundationEssentials
import Imaging
import Memory

/// Rows of other programs, and of a protocol that needs another program.
extension ServeBench {
    /// Directory with a copy of everything that is served, for peers.
    private var servedFiles: String { "\(context.scratch)/served" }

    /// A peer that is wanted and installed.
    struct InstalledPeer {
        var peer: ServePeer
        /// Path of the program.
        var program: String
        var version: String
    }

    func installedPeers(_ plan: inout BenchPlan) async -> [InstalledPeer] {
        var found: [InstalledPeer] = []
        for peer in ServePeer.allCases where context.wantsPeer(peer.rawValue) {
            guard let program = MeasuredProgram.find(peer.program) else {
                plan.notes.append("\(peer.program) is not installed.")
                continue
            }
            let version = await peer.version(program, scratch: context.scratch)
            let number = version.split(separator: " ").dropFirst().joined()
            plan.libraries.append(BenchSetting(peer.rawValue, number))
            found.append(InstalledPeer(peer: peer, program: program, version: version))
        }
        return found
    }

    /// Hits of other programs.
    func peers(
        _ installed: [InstalledPeer], _ own: Target, _ served: ServedBodies,
        _ plan: inout BenchPlan
    ) async throws -> [any BenchCase] {
        let files = servedFiles
        try await FileThreads.run {
            let bodies =
                (served.thumbnails + served.blobs.all).map { ($0.path, $0.body) }
                + served.documents.map { ($0.filePath, $0.body) }
            for (path, body) in bodies {
                let file = URL(fileURLWithPath: files + path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(body).write(to: file)
            }
        }
        var place = ServePeer.Place(
            files: files, scratch: context.scratch, processors: serverProcessors)
        var cases: [any BenchCase] = []
        for one in installed where one.peer.path(of: "/") != nil {
            if one.peer == .varnish {
                guard let nginx = MeasuredProgram.find("nginx") else {
                    plan.notes.append("varnish needs nginx behind it, which is not installed.")
                    continue
                }
                let backend = try await ServePeer.nginx.start(nginx, place)
                closers.add { await backend.stop() }
                place.backend = backend.port
            }
            do {
                let server = try await one.peer.start(one.program, place)
                closers.add { await server.stop() }
                let target = Target(
                    name: one.peer.rawValue, version: one.version, server: server,
                    port: server.port)
                cases += try await self.cases(of: one.peer, target, served)
                guard one.peer == .nginx else { continue }
                cases += documentCases(target, served.documents)
                cases += blobCases(target, served.blobs)
                cases += try await halfCases([own, target], requests(served.hits), &plan)
            } catch let error as CommandError {
                plan.notes.append("\(one.peer.rawValue) is not measured. \(error.description)")
            }
        }
        return cases
    }

    /// The same originals in the same level by peers that make thumbnails when they are asked.
    func peerMisses(
        _ installed: [InstalledPeer], _ corpus: ServeCorpus, _ names: [String], _ level: Level,
        _ expected: [JPEGSize?], _ plan: inout BenchPlan
    ) async throws -> [any BenchCase] {
        let quality = context.settings.imaging.value(.jpegQuality, level: level.name)
        let place = ServePeer.Place(
            files: corpus.directory, scratch: context.scratch, workers: MachineProcessors.count())
        var cases: [any BenchCase] = []
        for one in installed {
            let paths = names.compactMap { one.peer.path(of: $0, in: level, quality: quality) }
            guard paths.count == names.count else { continue }
            do {
                let seen = try await Self.collect(one, paths, place)
                try Self.check(seen, expected)
                let head = BenchRow.Head(
                    .serve, ["miss", "level=\(level.name)", "peer=\(one.peer.rawValue)"],
                    peer: one.version,
                    note: "Reads the originals from this disk and makes no other level.")
                cases.append(
                    PeerMissCase(
                        head: head, peer: one.peer, program: one.program, place: place,
                        load: MissLoad(requests: requests(seen))))
            } catch let error as CommandError {
                plan.notes.append(
                    "Misses of \(one.peer.rawValue) are not measured. \(error.description)")
            }
        }
        return cases
    }

    /// Returns what a peer answers; its server and cache are gone afterwards.
    static func collect(
        _ one: InstalledPeer, _ paths: [String], _ place: ServePeer.Place
    ) async throws -> [ServedPicture] {
        let server = try await one.peer.start(one.program, place)
        let outcome: Result<[ServedPicture], any Error>
        do {
            outcome = .success(
                try await ServedPictures.collect(
                    paths, port: server.port, concurrency: place.workers))
        } catch {
            outcome = .failure(error)
        }
        await server.stop()
        return try outcome.get()
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

    private func cases(
        of peer: ServePeer, _ target: Target, _ served: ServedBodies
    ) async throws -> [any BenchCase] {
        let seen = try await ServedPictures.collect(
            served.hits.compactMap { peer.path(of: $0.path) }, port: target.port, concurrency: 8)
        if peer.sendsFiles { try check(seen, served.hits, peer.rawValue) }
        var cases = hitCases(target, requests(seen), conditional: conditional(seen))
        // In little time only what tells most: the others cost hundreds of microseconds a hit.
        if context.isQuick, peer != .nginx { cases.removeSubrange(1...) }
        if peer == .nginx {
            cases += diskCases(
                target, requests(served.thumbnails), "Files in the kernel's page cache.")
        }
        return cases
    }

    /// Hits over TLS, with HTTP/1.1 and HTTP/2, if h2load is installed to make them.
    func secureCases(
        _ hits: [ServedPicture], _ cache: String, _ environment: [String: String], _ bytes: Int,
        _ plan: inout BenchPlan
    ) async throws -> [any BenchCase] {
        guard let h2load = MeasuredProgram.find("h2load") else {
            plan.notes.append("h2load is not installed, so TLS and HTTP/2 are not measured.")
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
        return servers.flatMap { server, peer in
            SecureCase.Version.allCases.map { version in
                SecureCase(
                    head: BenchRow.Head(
                        .serve, ["hit", version.rawValue] + (peer == nil ? [] : ["peer=nginx"]),
                        state: .warm, peer: peer, note: version.note),
                    version: version, server: server, h2load: h2load, paths: hits.map(\.path),
                    seconds: context.isQuick ? 1 : 3,
                    processors: generatorProcessor.map { Processors([$0]) },
                    scratch: context.scratch)
            }
        }
    }
}
