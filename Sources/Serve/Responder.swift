import Catalog
import HTTPTypes
import Memory
package import Pipeline

/// Turns a question into an answer: method, route, responder, problem.
package struct Responder: Sendable {
    private let thumbnails: ThumbnailResponder
    private let blobs: BlobResponder
    private let catalog: CatalogResponder
    private let sheets: SheetResponder
    private let userData: UserDataResponder
    private let admin: AdminResponder
    private let pipeline: MediaPipeline
    let metrics: ServiceMetrics
    private let maxTargetBytes: Int
    private let description: OpenAPIDocument
    private let gallery = Gallery()

    /// For itself, without a server in front.
    package init(_ pipeline: MediaPipeline, _ configuration: ServerConfiguration) {
        let metrics = ServiceMetrics(
            configuration.metrics, configuration.version, pipeline,
            ByteBudget(bytes: configuration.responseBytes, isSplit: false)
        ) { FastPathCounters() }
        self.init(pipeline, configuration, metrics)
    }

    init(
        _ pipeline: MediaPipeline, _ configuration: ServerConfiguration, _ metrics: ServiceMetrics
    ) {
        self.pipeline = pipeline
        self.metrics = metrics
        maxTargetBytes = configuration.maxTargetBytes
        description = OpenAPIDocument(
            pipeline.sources.all, pipeline.configuration.levels)
        thumbnails = ThumbnailResponder(
            pipeline: pipeline, placeholderStatus: configuration.placeholderStatus)
        blobs = BlobResponder(pipeline: pipeline)
        let access = PrivateAccess(configuration)
        catalog = CatalogResponder(pipeline: pipeline, access: access)
        sheets = SheetResponder(pipeline: pipeline)
        userData = UserDataResponder(pipeline: pipeline, access: access)
        admin = AdminResponder(pipeline, configuration.adminToken, access)
    }

    /// Ends the warm runs that were started here.
    package func end() async { await admin.jobs.end() }

    /// Never throws: whatever goes wrong is an answer too.
    package func answer(_ question: Question) async -> Answer {
        var answer = await plainAnswer(question)
        // Thumbnails are ours to the last byte, and are the ones that have to be small.
        if answer.fields[.eTag] == nil || !question.target.hasPrefix("/t/") {
            SecurityFields.add(to: &answer.fields)
        }
        return answer
    }

    private func plainAnswer(_ question: Question) async -> Answer {
        do throws(Route.Failure) {
            guard Methods.known.contains(question.method.rawValue) else {
                return Methods.unknown(question.method)
            }
            let target = try RequestTarget(question.target, maxBytes: maxTargetBytes)
            if target.isWholeServer { return Methods.wholeServer(question.method) }
            let route = try Route(path: target.path)
            var answer = try await answer(route, target, question)
            if route.isPrivate {
                answer.fields[.accessControlAllowOrigin] = nil
                answer.fields.append(HTTPField(name: .vary, value: PrivateAccess.varyByPage))
            }
            return answer
        } catch {
            return ErrorResponse.problem(error).answer
        }
    }

    private func answer(
        _ route: Route, _ target: RequestTarget, _ question: Question
    ) async throws(Route.Failure) -> Answer {
        if question.method == .options { return Methods.options(route) }
        guard route.methods.contains(question.method) else {
            return Methods.notAllowed(question.method, route.methods)
        }
        let parameters: [(String, String)]
        do throws(PercentEncoding.Malformed) {
            parameters = try PercentEncoding.decodeQuery(target.query)
        } catch {
            throw .malformed(reason: error.reason)
        }
        do throws(Failure) {
            return try await answer(route, parameters, question)
        } catch {
            return ErrorResponse.problem(error).answer
        }
    }

    private func answer(
        _ route: Route, _ parameters: [(String, String)], _ question: Question
    ) async throws(Failure) -> Answer {
        switch route {
        case .thumbnail(let level, let source, let kind, let id, let format):
            try await thumbnails.answer(
                level: level, source: source, kind: kind, id: id, format: format,
                parameters: parameters, question)
        case .original(let source, let kind, let id):
            try await blobs.original(source: source, kind: kind, id: id, question)
        case .blob(let digest):
            try await blobs.blob(digest, question)
        case .catalog(let source, let rest):
            try await catalog.answer(
                source: source, rest: rest, parameters: parameters, question)
        case .favorites: try await userData.favorites(parameters, question)
        case .sheet(let level, let source, let list, let form):
            try await sheets.answer(
                level: level, source: source, list: list, form: form, parameters: parameters,
                question)
        case .favorite(let source, let kind, let id):
            try await userData.favorite(
                source: source, kind: kind, id: id, parameters, question)
        case .history: try await userData.history(question)
        case .warm: try await admin.warm(question)
        case .warmRun(let id): admin.progress(id, question)
        case .purge: try await admin.purge(question)
        case .health: Self.text("ok")
        case .readiness: await readiness()
        case .metrics: await metrics.answer()
        case .description: description.answer(question)
        case .gallery: gallery.answer(question)
        }
    }

    /// Ready means that a picture goes through the real render threads now.
    private func readiness() async -> Answer {
        do throws(Failure) {
            try await pipeline.checkCanary()
            return Self.text("ready")
        } catch {
            return Problem(
                status: .serviceUnavailable, name: "not-ready", title: "Not ready",
                detail: "The canary picture could not be rendered.", retryAfter: 1,
                cause: "\(error)"
            ).answer
        }
    }

    private static func text(_ text: String) -> Answer {
        Answer(
            status: .ok,
            fields: [
                .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ],
            body: Array((text + "\n").utf8))
    }
}
