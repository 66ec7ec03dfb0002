import Catalog
import FoundationEssentials
import HTTPTypes
import Imaging
import Pipeline

/// Responds to `/admin/…`, once ``PrivateAccess`` has let a request in.
struct AdminResponder: Sendable {
    /// Limit of a body in bytes.
    static let maxBody = 1 << 20
    /// The same for a warm run, which may name that many items or URLs.
    static let maxWarmBody = 8 << 20
    static let maxItems = 50_000
    /// Limit of the items that a run has under way at once.
    static let maxConcurrency = 1_000

    let pipeline: MediaPipeline
    let jobs: WarmJobs

    func warm(_ request: Request) async throws(Failure) -> Response {
        let order: WarmBody
        do throws(Problem) {
            order = try await request.json(
                WarmBody.self, members: WarmBody.members, limit: Self.maxWarmBody)
        } catch {
            return error.answer
        }
        guard let warmRequest = try warmRequest(order) else { return Self.unknownRun.answer }
        guard let job = jobs.start(warmRequest, isDry: order.dryRun ?? false) else {
            return Self.tooMany.answer
        }
        var answer = Self.document(job, .accepted)
        answer.fields[.location] = "/admin/warm/\(job.id)"
        return answer
    }

    /// Responds with the remembered runs, the newest first.
    func runs() -> Response { Self.document(["runs": jobs.all]) }

    /// Responds with the state of a run, or with server-sent events if the client accepts them.
    func progress(_ id: String, _ request: Request) -> Response {
        if Response.wantsEvents(request), let states = jobs.states(of: id) {
            return Self.events(states)
        }
        return jobs.job(id).map { Self.document($0) } ?? Self.unknownRun.answer
    }

    /// Cancels a run, and responds when it has ended.
    func cancel(_ id: String) async -> Response {
        await jobs.cancel(id).map { Self.document($0) } ?? Self.unknownRun.answer
    }

    /// Returns a document whose parts the command line prints, too.
    static func document(
        _ value: some Encodable, _ status: HTTPResponse.Status = .ok
    ) -> Response { .unstored(type: "application/json", bytes(value), status) }

    private static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        // Documents are plain values without NaN, so encoding can't fail.
        return (try? encoder.encode(value)).map { Array($0) } ?? Array("{}".utf8)
    }

    private static let unknownRun = Problem(
        status: .notFound, name: "unknown-run", title: "Unknown run",
        detail: "This run is unknown; the last \(WarmJobs.maxKept) are remembered.")

    private static func events(_ states: AsyncStream<WarmJobs.Job>) -> Response {
        .events {
            // A client that reads slowly gets the newest state, so that the others take no memory.
            let (pieces, piece) = AsyncStream<[UInt8]>.makeStream(
                bufferingPolicy: .bufferingNewest(1))
            let task = Task {
                for await job in states {
                    let name = job.state == .running ? "progress" : "end"
                    piece.yield(Response.event(name, bytes(job)))
                }
                piece.finish()
            }
            piece.onTermination = { _ in task.cancel() }
            return pieces
        }
    }

    func purge(_ request: Request) async throws(Failure) -> Response {
        let order: PurgeBody
        do throws(Problem) {
            order = try await request.json(
                PurgeBody.self, members: PurgeBody.members, limit: Self.maxBody)
        } catch {
            return error.answer
        }
        let receipt = try await pipeline.purge.everywhere(
            try scope(order), soft: order.soft ?? false)
        // Caches in front are told after this response, and one may fail.
        return Self.document(receipt, pipeline.purge.tellsCaches ? .accepted : .ok)
    }

    private func scope(_ order: PurgeBody) throws(Failure) -> PurgeScope {
        switch (order.item, order.source, order.all) {
        case (let item?, nil, nil):
            // Neither a source's name nor all.
            guard item.contains("/") else {
                throw .invalid(reason: "“\(item)” is not an item. Items look like tvmaze/show/1.")
            }
            return try pipeline.purge.scope(item)
        case (nil, let source?, nil) where !source.contains("/") && source != "all":
            return try pipeline.purge.scope(source)
        case (nil, nil, true?): return .all
        default:
            throw .invalid(
                reason: "Name one of “item” (tvmaze/show/1), “source” (tvmaze) and “all” (true).")
        }
    }

    /// Returns nil for the failures of an unknown run.
    private func warmRequest(_ order: WarmBody) throws(Failure) -> WarmRequest? {
        if let limit = order.limit, limit < 1 { throw .invalid(reason: "“limit” is under 1.") }
        if let rate = order.rate, !(0.001...10_000).contains(rate) {
            throw .invalid(reason: "“rate” is not between 0.001 and 10000 items per second.")
        }
        let concurrency = order.concurrency ?? WarmJobs.concurrency
        guard 1...Self.maxConcurrency ~= concurrency else {
            throw .invalid(reason: "“concurrency” is not between 1 and \(Self.maxConcurrency).")
        }
        var priority = WarmRequest.Priority.list
        if let name = order.priority {
            guard let known = WarmRequest.Priority(rawValue: name) else {
                throw .invalid(reason: "“priority” is not list, missing or stale.")
            }
            priority = known
        }
        let renditions = try renditions(order)
        guard var request = try request(order, renditions, concurrency) else { return nil }
        request.rate = order.rate
        request.onlyMissing = order.onlyMissing ?? false
        request.priority = priority
        request.isPinned = order.pin ?? false
        return request
    }

    private func request(
        _ order: WarmBody, _ renditions: Set<Rendition>, _ concurrency: Int
    ) throws(Failure) -> WarmRequest? {
        let isList = order.list != nil || order.source != nil
        let ways = [order.items != nil, order.urls != nil, order.retry != nil, isList]
        guard ways.count(where: \.self) == 1 else {
            throw .invalid(
                reason: "Name one of “items”, “urls”, “retry”, and “source” with “list”.")
        }
        if let source = order.source, let list = order.list {
            return try WarmPlan(
                source: source, list: list, words: order.what ?? [],
                parameters: order.parameters ?? [:], pages: order.pages, limit: order.limit,
                of: pipeline, option: { "“\($0)”" }
            ).request(renditions: renditions, concurrency: concurrency)
        }
        guard !isList, order.parameters == nil, order.pages == nil, order.what == nil else {
            throw .invalid(
                reason: "“what”, “parameters” and “pages” belong to “source” and “list”; give both."
            )
        }
        guard let items = try items(order) else { return nil }
        guard 1...Self.maxItems ~= items.count else {
            throw .invalid(reason: "Name 1 to \(Self.maxItems) items.")
        }
        var request = WarmRequest(
            .items(items), limit: order.limit, renditions: renditions, concurrency: concurrency)
        request.name = order.retry.map { "retry \($0)" } ?? (order.urls == nil ? "items" : "urls")
        request.title =
            order.retry == nil ? order.urls == nil ? "Items" : "Pictures" : "Failures of a run"
        return request
    }

    private func items(_ order: WarmBody) throws(Failure) -> [Item]? {
        if let run = order.retry {
            guard let failed = jobs.failed(run) else { return nil }
            guard !failed.isEmpty else { throw .invalid(reason: "No item of run “\(run)” failed.") }
            return failed
        }
        var items: [Item] = []
        for url in order.urls ?? [] { items.append(try SignedURL.item(of: url)) }
        for name in order.items ?? [] {
            items.append(try pipeline.item(named: name, isOfOperator: true))
        }
        return items
    }

    private func renditions(_ order: WarmBody) throws(Failure) -> Set<Rendition> {
        let policy = pipeline.configuration.warm
        var levels = pipeline.configuration.levels.filter {
            policy.levels.isEmpty || policy.levels.contains($0.name)
        }
        if let names = order.levels {
            levels = []
            for name in names { levels.append(try pipeline.level(name)) }
        }
        var formats = policy.formats
        if let names = order.formats {
            formats = []
            for name in names {
                guard let format = ThumbnailFormat(fileExtension: name) else {
                    throw .invalid(reason: "Format “\(name)” is unknown.")
                }
                formats.append(format)
            }
        }
        guard !levels.isEmpty, !formats.isEmpty else {
            throw .invalid(reason: "Name at least one level and one format, or leave them out.")
        }
        return Set(levels.flatMap { level in formats.map { Rendition(level: level, format: $0) } })
    }

    private static let tooMany = Problem(
        status: .serviceUnavailable, name: "too-many-runs", title: "Too many runs",
        detail: "\(WarmJobs.maxRunning) runs are under way; wait for one to end.", retryAfter: 10)
}

/// The body of `POST /admin/warm`: items, URLs, a list of a source, or the failures of a run.
struct WarmBody: Decodable {
    var items: [String]?
    var urls: [String]?
    var source: String?
    var list: String?
    /// Ids of items, or the words that the list searches for.
    var what: [String]?
    /// The list's parameters, as in its URL: `{"page": "0"}`.
    var parameters: [String: String]?
    /// `0-3` or `5`.
    var pages: String?
    /// The id of an earlier run, whose failed items are repeated.
    var retry: String?
    /// If set, the run continues with the following pages, up to this many items.
    var limit: Int?
    /// `warm.levels` by default.
    var levels: [String]?
    /// `warm.formats` by default.
    var formats: [String]?
    /// Items under way at once.
    var concurrency: Int?
    /// Items begun per second.
    var rate: Double?
    var onlyMissing: Bool?
    /// `list`, `missing` or `stale`.
    var priority: String?
    var pin: Bool?
    var dryRun: Bool?

    static let members = [
        "items", "urls", "source", "list", "what", "parameters", "pages", "retry", "limit",
        "levels", "formats", "concurrency", "rate", "onlyMissing", "priority", "pin", "dryRun",
    ]
}

/// The body of `POST /admin/purge`: one of item, source and all.
struct PurgeBody: Decodable {
    var item: String?
    var source: String?
    var all: Bool?
    var soft: Bool?

    static let members = ["item", "source", "all", "soft"]
}
