import Catalog
import FoundationEssentials
import HTTPTypes
import Imaging
import Pipeline

/// Responds to `/admin/…`. Every request must carry the token.
struct AdminResponder: Sendable {
    /// Limit of a body in bytes.
    static let maxBody = 1 << 20
    /// The same for a warm run, which may name that many items or URLs.
    static let maxWarmBody = 8 << 20
    static let maxItems = 50_000
    /// Limit of the items that a run has under way at once.
    static let maxConcurrency = 1_000

    let pipeline: MediaPipeline
    let token: AdminToken?
    let access: PrivateAccess
    let jobs: WarmJobs

    init(
        _ pipeline: MediaPipeline, _ token: AdminToken?, _ access: PrivateAccess, _ jobs: WarmJobs
    ) {
        self.access = access
        self.pipeline = pipeline
        self.token = token
        self.jobs = jobs
    }

    func warm(_ request: Request) async throws(Failure) -> Response {
        do throws(Refusal) {
            try check(request)
            let order = try await body(
                AdminBody.WarmRequest.self, request, members: AdminBody.WarmRequest.members,
                limit: Self.maxWarmBody)
            let isDry = order.dryRun ?? false
            guard let job = jobs.start(try warmRequest(order), isDry: isDry) else {
                throw Refusal(Self.tooMany)
            }
            var answer = Self.json(job, .accepted)
            answer.fields[.location] = "/admin/warm/\(job.id)"
            return answer
        } catch {
            return error.answer
        }
    }

    /// Responds with the remembered runs, the newest first.
    func runs(_ request: Request) -> Response {
        struct Runs: Encodable {
            var runs: [WarmJobs.Job]
        }
        do throws(Refusal) {
            try check(request)
            return Self.json(Runs(runs: jobs.all))
        } catch {
            return error.answer
        }
    }

    /// Responds with the state of a run, or with server-sent events if the client accepts them.
    func progress(_ id: String, _ request: Request) -> Response {
        do throws(Refusal) {
            try check(request)
            if EventBody.isWanted(by: request), let states = jobs.states(of: id) {
                return Self.events(states)
            }
            guard let job = jobs.job(id) else { throw Refusal(Self.unknownRun) }
            return Self.json(job)
        } catch {
            return error.answer
        }
    }

    /// Cancels a run, and responds when it has ended.
    func cancel(_ id: String, _ request: Request) async -> Response {
        do throws(Refusal) {
            try check(request)
            guard let job = await jobs.cancel(id) else { throw Refusal(Self.unknownRun) }
            return Self.json(job)
        } catch {
            return error.answer
        }
    }

    private static let unknownRun = Problem(
        status: .notFound, name: "unknown-run", title: "Unknown run",
        detail: "This run is unknown; the last \(WarmJobs.maxKept) are remembered.")

    private static func events(_ states: AsyncStream<WarmJobs.Job>) -> Response {
        var answer = Response(
            status: .ok,
            fields: [
                .contentType: EventBody.contentType, .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ])
        answer.events = EventBody {
            // A client that reads slowly gets the newest state, so that the others take no memory.
            let (pieces, piece) = AsyncStream<[UInt8]>.makeStream(
                bufferingPolicy: .bufferingNewest(1))
            let task = Task {
                for await job in states {
                    let name = job.state == .running ? "progress" : "end"
                    piece.yield(
                        Array("event: \(name)\ndata: ".utf8) + JSON.encode(job)
                            + Array("\n\n".utf8))
                }
                piece.finish()
            }
            piece.onTermination = { _ in task.cancel() }
            return pieces
        }
        return answer
    }

    func purge(_ request: Request) async throws(Failure) -> Response {
        let order: AdminBody.PurgeRequest
        let scope: PurgeScope
        do throws(Refusal) {
            try check(request)
            order = try await body(
                AdminBody.PurgeRequest.self, request, members: AdminBody.PurgeRequest.members)
            scope = try self.scope(order)
        } catch {
            return error.answer
        }
        return Self.json(try await pipeline.purge.everywhere(scope, soft: order.soft ?? false))
    }

    private func check(_ request: Request) throws(Refusal) {
        let refusal = access.refusal(of: request) ?? AdminToken.refusal(of: request, token)
        if let refusal { throw Refusal(refusal) }
    }

    private func body<Body: Decodable>(
        _ type: Body.Type, _ request: Request, members: [String], limit: Int = maxBody
    ) async throws(Refusal) -> Body {
        do throws(JSONBody.Refusal) {
            return try await JSONBody.read(type, request, members: members, limit: limit)
        } catch {
            throw Refusal(error.problem, error.fields)
        }
    }

    private func scope(_ order: AdminBody.PurgeRequest) throws(Refusal) -> PurgeScope {
        switch (order.item, order.source, order.all) {
        case (let item?, nil, nil) where item.contains("/"):
            return try asked { () throws(Failure) in try pipeline.purge.scope(item) }
        case (nil, let source?, nil) where !source.contains("/") && source != "all":
            return try asked { () throws(Failure) in try pipeline.purge.scope(source) }
        case (nil, nil, true?): return .all
        default:
            throw .invalid(
                "Name one of “item” (tvmaze/show/1), “source” (tvmaze) and “all” (true).")
        }
    }

    private func warmRequest(_ order: AdminBody.WarmRequest) throws(Refusal) -> WarmRequest {
        if let limit = order.limit, limit < 1 { throw .invalid("“limit” is under 1.") }
        if let rate = order.rate, !(0.001...10_000).contains(rate) {
            throw .invalid("“rate” is not between 0.001 and 10000 items per second.")
        }
        let concurrency = order.concurrency ?? WarmJobs.concurrency
        guard 1...Self.maxConcurrency ~= concurrency else {
            throw .invalid("“concurrency” is not between 1 and \(Self.maxConcurrency).")
        }
        var priority = WarmRequest.Priority.list
        if let name = order.priority {
            guard let known = WarmRequest.Priority(rawValue: name) else {
                throw .invalid("“priority” is not list, missing or stale.")
            }
            priority = known
        }
        let renditions = try renditions(order)
        var request = try request(order, renditions, concurrency)
        request.rate = order.rate
        request.onlyMissing = order.onlyMissing ?? false
        request.priority = priority
        request.isPinned = order.pin ?? false
        return request
    }

    private func request(
        _ order: AdminBody.WarmRequest, _ renditions: Set<Rendition>, _ concurrency: Int
    ) throws(Refusal) -> WarmRequest {
        let isList = order.list != nil || order.source != nil
        let ways = [order.items != nil, order.urls != nil, order.retry != nil, isList]
        guard ways.count(where: \.self) == 1 else {
            throw .invalid("Name one of “items”, “urls”, “retry”, and “source” with “list”.")
        }
        if let source = order.source, let list = order.list {
            return try asked { () throws(Failure) in
                try WarmPlan(
                    source: source, list: list, words: order.what ?? [],
                    parameters: order.parameters ?? [:], pages: order.pages, limit: order.limit,
                    of: pipeline
                ).request(renditions: renditions, concurrency: concurrency)
            }
        }
        guard !isList, order.parameters == nil, order.pages == nil, order.what == nil else {
            throw .invalid(
                "“what”, “parameters” and “pages” belong to “source” and “list”; give both.")
        }
        let items = try items(order)
        guard 1...Self.maxItems ~= items.count else {
            throw .invalid("Name 1 to \(Self.maxItems) items.")
        }
        var request = WarmRequest(
            .items(items), limit: order.limit, renditions: renditions, concurrency: concurrency)
        request.name = order.retry.map { "retry \($0)" } ?? (order.urls == nil ? "items" : "urls")
        request.title =
            order.retry == nil ? order.urls == nil ? "Items" : "Pictures" : "Failures of a run"
        return request
    }

    private func items(_ order: AdminBody.WarmRequest) throws(Refusal) -> [Item] {
        if let run = order.retry {
            guard let failed = jobs.failed(run) else { throw Refusal(Self.unknownRun) }
            guard !failed.isEmpty else { throw .invalid("No item of run “\(run)” failed.") }
            return failed
        }
        var items: [Item] = []
        for url in order.urls ?? [] {
            items.append(try asked { () throws(Failure) in try SignedURL.item(of: url) })
        }
        for name in order.items ?? [] {
            guard let item = Item(name) else {
                throw .invalid("“\(name)” is not an item. Items look like tvmaze/show/1.")
            }
            items.append(
                try asked { () throws(Failure) in
                    try pipeline.item(source: item.source, kind: item.kind, id: item.id)
                })
        }
        return items
    }

    private func renditions(_ order: AdminBody.WarmRequest) throws(Refusal) -> Set<Rendition> {
        let policy = pipeline.configuration.warm
        var levels = pipeline.configuration.levels.filter {
            policy.levels.isEmpty || policy.levels.contains($0.name)
        }
        if let names = order.levels {
            levels = []
            for name in names {
                levels.append(
                    try asked { () throws(Failure) in try pipeline.level(name) })
            }
        }
        var formats = policy.formats
        if let names = order.formats {
            formats = []
            for name in names {
                guard let format = ThumbnailFormat(fileExtension: name) else {
                    throw .invalid("Format “\(name)” is unknown.")
                }
                formats.append(format)
            }
        }
        guard !levels.isEmpty, !formats.isEmpty else {
            throw .invalid("Name at least one level and one format, or leave them out.")
        }
        return Set(levels.flatMap { level in formats.map { Rendition(level: level, format: $0) } })
    }

    private func asked<Value>(
        _ body: () throws(Failure) -> Value
    ) throws(Refusal) -> Value {
        do throws(Failure) {
            return try body()
        } catch {
            throw Refusal(ErrorResponse.problem(error))
        }
    }

    private static let tooMany = Problem(
        status: .serviceUnavailable, name: "too-many-runs", title: "Too many runs",
        detail: "\(WarmJobs.maxRunning) runs are under way; wait for one to end.", retryAfter: 10)

    private static func json(
        _ document: some Encodable, _ status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(
            status: status,
            fields: [
                .contentType: "application/json", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ],
            body: JSON.encode(document))
    }
}

extension AdminResponder {
    /// Why an admin request was rejected.
    struct Refusal: Error {
        let answer: Response

        init(_ problem: Problem, _ more: HTTPFields = [:]) {
            var answer = problem.answer
            // Scripts of other sites must not read admin responses.
            answer.fields[.accessControlAllowOrigin] = nil
            answer.fields.append(contentsOf: more)
            self.answer = answer
        }

        static func invalid(_ sentence: String) -> Self {
            Self(
                Problem(
                    status: .badRequest, name: "invalid-request", title: "Invalid request",
                    detail: sentence))
        }
    }
}
