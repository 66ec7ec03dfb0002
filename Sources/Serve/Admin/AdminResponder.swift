import Catalog
import FoundationEssentials
import HTTPTypes
import Imaging
import Pipeline

/// Responds to `/admin/…`. Every request must carry the token.
struct AdminResponder: Sendable {
    /// Limit of a body in bytes. A body names a few thousand items at most.
    static let maxBody = 1 << 20
    static let maxItems = 10_000

    let pipeline: MediaPipeline
    let token: AdminToken?
    let access: PrivateAccess
    let jobs: WarmJobs

    init(_ pipeline: MediaPipeline, _ token: AdminToken?, _ access: PrivateAccess) {
        self.access = access
        self.pipeline = pipeline
        self.token = token
        jobs = WarmJobs(pipeline)
    }

    func warm(_ request: Request) async throws(Failure) -> Response {
        do throws(Refusal) {
            try check(request)
            let order = try await body(
                AdminBody.WarmRequest.self, request, members: AdminBody.WarmRequest.members)
            let renditions = try renditions(order)
            let request = WarmRequest(
                try scope(order), limit: order.limit, renditions: renditions,
                concurrency: WarmJobs.concurrency)
            guard let job = jobs.start(request) else { throw Refusal(Self.tooMany) }
            var answer = Self.json(job, .accepted)
            answer.fields[.location] = "/admin/warm/\(job.id)"
            return answer
        } catch {
            return error.answer
        }
    }

    func progress(_ id: String, _ request: Request) -> Response {
        do throws(Refusal) {
            try check(request)
            guard let job = jobs.job(id) else {
                throw Refusal(
                    Problem(
                        status: .notFound, name: "unknown-run", title: "Unknown run",
                        detail: "This run is unknown; the last 100 are remembered."))
            }
            return Self.json(job)
        } catch {
            return error.answer
        }
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
        return Self.json(try await pipeline.purge.run(scope, soft: order.soft ?? false))
    }

    private func check(_ request: Request) throws(Refusal) {
        let refusal = access.refusal(of: request) ?? AdminToken.refusal(of: request, token)
        if let refusal { throw Refusal(refusal) }
    }

    private func body<Body: Decodable>(
        _ type: Body.Type, _ request: Request, members: [String]
    ) async throws(Refusal) -> Body {
        let kind = request.fields[.contentType]?.prefix { $0 != ";" }
            .filter { !$0.isWhitespace }.lowercased()
        guard kind == "application/json" else {
            throw Refusal(
                Problem(
                    status: .unsupportedMediaType, name: "not-json", title: "Not JSON",
                    detail: "Send a body with “Content-Type: application/json”."),
                [.accept: "application/json"])
        }
        let bytes: [UInt8]
        switch await request.body(Self.maxBody) {
        case .whole(let whole): bytes = whole
        case .tooLong:
            throw Refusal(
                Problem(
                    status: .contentTooLarge, name: "body-too-large", title: "Body too large",
                    detail: "The body is over \(Self.maxBody) bytes."),
                // The rest of the body is not read.
                [.connection: "close"])
        case .broken:
            throw Refusal(
                Problem(
                    status: .badRequest, name: "broken-body", title: "Broken body",
                    detail: "The body is cut off, or its framing is broken."),
                [.connection: "close"])
        }
        do throws(AdminBody.Invalid) {
            return try AdminBody.read(type, bytes, members: members)
        } catch {
            throw .invalid(error.sentence)
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

    private func scope(_ order: AdminBody.WarmRequest) throws(Refusal) -> WarmScope {
        if let limit = order.limit, limit < 1 { throw .invalid("“limit” is under 1.") }
        switch (order.items, order.source, order.list) {
        case (let names?, nil, nil) where order.parameters == nil:
            guard 1...Self.maxItems ~= names.count else {
                throw .invalid("Name 1 to \(Self.maxItems) items.")
            }
            var items: [Item] = []
            for name in names {
                guard let item = Item(name) else {
                    throw .invalid("“\(name)” is not an item. Items look like tvmaze/show/1.")
                }
                items.append(
                    try asked { () throws(Failure) in
                        try pipeline.item(source: item.source, kind: item.kind, id: item.id)
                    })
            }
            return .items(items)
        case (nil, let name?, let list?):
            return try asked { () throws(Failure) in
                let query = try pipeline.catalog.query(
                    source: name, list: list, parameters: order.parameters ?? [:])
                let endsSoon = try pipeline.sources.named(name).endsSoon
                return .pages([query], following: order.limit != nil || endsSoon)
            }
        default: throw .invalid("Name either “items”, or “source” and “list”.")
        }
    }

    private func renditions(_ order: AdminBody.WarmRequest) throws(Refusal) -> Set<Rendition> {
        var levels = pipeline.configuration.levels
        if let names = order.levels {
            levels = []
            for name in names {
                levels.append(
                    try asked { () throws(Failure) in try pipeline.level(name) })
            }
        }
        var formats: [ThumbnailFormat] = [.webp, .jpeg]
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
