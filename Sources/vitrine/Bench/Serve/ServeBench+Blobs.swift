import App
import FoundationEssentials
import Imaging

/// Rows of responses that are sent from files: blobs, ranges of them, originals and contact sheets.
extension ServeBench {
    /// Originals that the rows share.
    private static let originalCount = 8
    /// Connections of rows with large bodies.
    private static let largeConnections = 8
    private static let range = 1_000..<9_000

    /// Makes the originals and a contact sheet.
    func madeBlobs(_ server: ServerProcess) async throws -> ServedBlobs {
        context.say("Making \(Self.originalCount) originals and a contact sheet.")
        var served = ServedBlobs()
        served.originals = try await ServedPictures.collect(
            (1...Self.originalCount).map { "/o/tvmaze/show/\($0)" }, port: server.port,
            concurrency: 4)
        // The largest level whose sheet isn't over the limit of pixels.
        for level in context.settings.levels.reversed() {
            let path = "/sheet/\(level.name)/tvmaze/shows.jpg"
            if let sheet = try? await ServedPictures.collect(
                [path], port: server.port, concurrency: 1)
            {
                served.sheets = sheet
                break
            }
        }
        return served
    }

    /// Returns the same with the blobs of `hits`.
    func served(
        _ made: ServedBlobs, _ hits: [ServedPicture], by server: ServerProcess
    ) async throws -> ServedBlobs {
        var served = made
        let paths = hits.map { "/b/" + $0.entityTag.filter { $0 != "\"" } }
        served.blobs = try await ServedPictures.collect(paths, port: server.port, concurrency: 8)
        return served
    }

    /// - Parameter served: as this program serves it.
    func blobCases(_ target: Target, _ served: ServedBlobs) -> [any BenchCase] {
        var large: [(String, [ServedPicture])] = [("original", served.originals)]
        if !served.sheets.isEmpty { large.append(("sheet", served.sheets)) }
        var cases = [
            loadCase(
                target, ["blob", "keep-alive"], requests(served.blobs),
                "Thumbnails by their digests. Goal: per core as nginx."),
            loadCase(
                target, ["blob", "range"], ranges(served.blobs + served.originals),
                "8,000 bytes of each blob and original. Goal: per core as nginx."),
        ]
        cases += large.map { name, pictures in
            let bytes = pictures.reduce(0) { $0 + $1.body.count } / max(1, pictures.count)
            var one = loadCase(
                target, [name, "keep-alive"], requests(pictures),
                "\(Self.largeConnections) connections, \(bytes / 1_000) kB each. "
                    + "Goal: at least 0.9 × nginx's bytes a second.")
            one.plan.connections = Self.largeConnections
            one.showsTransfer = true
            return one
        }
        return cases
    }

    private func ranges(_ pictures: [ServedPicture]) -> [LoadRequest] {
        pictures.filter { $0.body.count > Self.range.upperBound }.map { picture in
            var request = LoadRequest.get(
                picture.path,
                fields: [("Range", "bytes=\(Self.range.lowerBound)-\(Self.range.upperBound - 1)")])
            request.statuses = [206]
            request.length = Self.range.count
            return request
        }
    }

    /// All kinds of requests: thumbnails, 304, blobs, ranges, originals, a sheet, documents, and misses.
    func mix(
        _ pictures: ServedPictures, _ hits: [ServedPicture], _ all: [ServedPicture],
        _ made: ServedBlobs, _ cache: String, _ environment: [String: String],
        _ length: Duration
    ) async throws -> MixCase {
        let server = try await ServerProcess.vitrine(
            cache: cache, options: context.settingArguments, environment: environment,
            scratch: context.scratch)
        closers.add { await server.stop() }
        let blobs = try await served(made, hits, by: server)
        let documents = ["/v1/tvmaze/shows?page=0", "/v1/tvmaze/show/1", "/", "/metrics"].map {
            LoadRequest.get($0, fields: Self.acceptsGzip)
        }
        // A sheet is a hundred times as large as the others.
        let warm =
            requests(all) + conditional(hits) + requests(blobs.blobs)
            + ranges(blobs.blobs + blobs.originals)
            + [[LoadRequest]](repeating: requests(blobs.originals) + documents, count: 4)
            .flatMap(\.self) + requests(blobs.sheets)
        let level = context.settings.levels[context.settings.levels.count / 2].name
        let cold = try (1...20_000).map { number in
            LoadRequest.get(
                try pictures.path(
                    level, pictures.names[number % pictures.names.count], copy: number,
                    format: "jpg"))
        }
        return MixCase(
            head: BenchRow.Head(
                .serve, ["mix"], state: .warm,
                note:
                    "2,000 requests/s of all kinds, and 5 misses/s. The slope leaves out the first "
                    + "quarter."),
            server: server, warm: warm, cold: cold, length: length)
    }

    /// Hits of a server and of a peer at the same rate: half of what the slower one can do.
    func halfCases(
        _ targets: [Target], _ requests: [LoadRequest], _ plan: inout BenchPlan
    ) async throws -> [any BenchCase] {
        var rate = Double.infinity
        for target in targets {
            var load = LoadPlan(port: target.port, requests: requests)
            load.seed = context.seed
            load.length = .seconds(1)
            load.processor = generatorProcessor
            rate = min(rate, try await load.run().rate / 2)
        }
        rate = (rate / 1_000).rounded() * 1_000
        guard rate >= 1_000, rate.isFinite else { return [] }
        plan.settings.append(BenchSetting("serve.half", "\(Int(rate)) requests/s"))
        return targets.map { target in
            var one = loadCase(
                target, ["hit", "rate=half"], requests,
                "Half of what the slower server can do. Goal: p99 at most twice nginx's.")
            one.plan.pace = .open(perSecond: rate)
            one.percentile = 99
            return one
        }
    }
}
