import Catalog
import HTTP
import HTTPTypes
import Logging
import Memory
package import Pipeline
import Store
import Synchronization

/// Turns a request into an answer: method, route, responder, problem.
package struct Responder: Sendable {
    private let thumbnails: ThumbnailResponder
    private let blobs: BlobResponder
    private let catalog: CatalogResponder
    private let sheets: SheetResponder
    private let iiif: IIIFResponder
    private let presentation: PresentationResponder
    private let userData: UserDataResponder
    private let admin: AdminResponder
    private let access: PrivateAccess
    // What a reload of the settings keeps.
    private let jobs: WarmJobs
    private let background: Background
    private let state: StatusResponder
    private let pipeline: MediaPipeline
    /// What requests of this responder are answered with.
    private let edition: Edition
    /// Documents that were removed or replaced by the responders before.
    private let earlierDocuments: Int
    let metrics: ServiceMetrics
    private let maxTargetBytes: Int
    private var offer: ServerConfiguration.Offer
    private let routes: RouteOffers
    private let unreadiness: @Sendable () -> String?
    private let documents: OfferDocuments
    /// Of the description and the gallery.
    private let constant = ResponseLife.constant()

    /// For itself, without a server in front.
    package init(_ pipeline: MediaPipeline, _ configuration: ServerConfiguration) {
        let metrics = ServiceMetrics(
            configuration, pipeline,
            ByteBudget(bytes: configuration.responseBytes, isSplit: false))
        self.init(pipeline, configuration, metrics)
    }

    /// Returns a responder for the newest settings. It continues the work that this one began.
    func successor(_ configuration: ServerConfiguration) -> Responder {
        constant.remove()
        return Responder(pipeline, configuration, metrics, after: self)
    }

    /// - Parameter last: the responder before a reload of the settings.
    init(
        _ pipeline: MediaPipeline, _ configuration: ServerConfiguration, _ metrics: ServiceMetrics,
        logger: Logger = Logger(label: "vitrine.http") { _ in SwiftLogNoOpLogHandler() },
        after last: Responder? = nil
    ) {
        self.pipeline = pipeline
        edition = pipeline.edition
        self.metrics = metrics
        jobs = last?.jobs ?? WarmJobs(pipeline)
        background = last?.background ?? Background(pipeline, jobs, logger)
        state = last?.state ?? StatusResponder(pipeline, metrics)
        earlierDocuments = last.map { $0.retiredDocuments &+ 1 } ?? 0
        maxTargetBytes = configuration.maxTargetBytes
        offer = configuration.offer
        routes = configuration.routes
        unreadiness = configuration.unreadiness
        documents = OfferDocuments(edition, routes, offer, ServiceAddress(configuration))
        thumbnails = ThumbnailResponder(
            pipeline: pipeline, placeholderStatus: configuration.placeholderStatus)
        blobs = BlobResponder(pipeline: pipeline)
        access = PrivateAccess(configuration)
        let address = ServiceAddress(configuration)
        catalog = CatalogResponder(pipeline: pipeline, access: access, address: address)
        sheets = SheetResponder(pipeline: pipeline)
        iiif = IIIFResponder(pipeline: pipeline, address: address)
        presentation = PresentationResponder(pipeline: pipeline, address: address)
        userData = UserDataResponder(pipeline: pipeline, address: address)
        admin = AdminResponder(pipeline: pipeline, jobs: jobs)
    }

    /// Returns the same for a listener that offers something else.
    func offering(_ offer: ServerConfiguration.Offer) -> Self {
        var responder = self
        responder.offer = offer
        return responder
    }

    /// Starts the work that the service does by itself.
    package func begin() {
        if offer.hasPictures { background.start() }
    }

    /// Ends the streams of events, so that their connections can close.
    func endEvents() {
        jobs.endListening()
        state.endListening()
    }

    /// Ends the warm runs that were started here.
    package func end() async {
        await background.end()
        await jobs.end()
    }

    /// Never throws: whatever goes wrong is an answer too.
    package func answer(_ request: Request) async -> Response {
        // What changed before a request counts for it.
        pipeline.noticeFiles()
        var answer = await pipeline.during(edition) { await plainAnswer(request) }
        answer.fields.joinVary()
        // Thumbnails are ours to the last byte, and are the ones that have to be small.
        if answer.fields[.eTag] == nil || !request.path.hasPrefix("/t/") {
            answer.fields.addSecurity()
        }
        return answer
    }

    /// Documents that were removed or replaced since the start.
    var retiredDocuments: Int { earlierDocuments &+ catalog.removedDocuments }

    /// Returns the document that a request gets, if ``answer(_:)`` would only send it: it was made before,
    /// or is constant. Doesn't wait.
    func repeated(_ request: Request) -> HitOffer? {
        guard request.hasHost,
            let target = try? RequestTarget(request.target, maxBytes: maxTargetBytes),
            let route = try? Route(path: target.path), admits(request, to: route)
        else { return nil }
        switch route {
        case .catalog: return catalog.repeated(request)
        case .gallery, .description:
            guard (try? Route.decodeQuery(target.query)) != nil else { return nil }
            let documents = documents.of(isStranger: access.isStranger(request))
            return route == .gallery
                ? documents.gallery.offer(request, .gallery, constant)
                : documents.description.offer(request, .description, constant)
        default: return nil
        }
    }

    /// Whether a client may ask for a route here. For others it doesn't exist.
    private func admits(_ request: Request, to route: Route) -> Bool {
        guard offer.includes(route) else { return false }
        return switch admission(to: route) {
        case .all: true
        case .known: !access.isStranger(request)
        case .none: false
        }
    }

    /// The operator's own address has no strangers.
    private func admission(to route: Route) -> RouteOffers.Admission {
        offer.hasPictures ? routes.admission(to: route) : .all
    }

    private func plainAnswer(_ request: Request) async -> Response {
        do throws(Route.Failure) {
            guard Methods.known.contains(request.method.rawValue) else {
                return Methods.unknown(request.method)
            }
            guard request.hasHost else { throw .malformed(reason: RequestTarget.form) }
            let target = try RequestTarget(request.target, maxBytes: maxTargetBytes)
            if target.isWholeServer { return Methods.wholeServer(request.method) }
            let route = try Route(path: target.path)
            guard admits(request, to: route) else { throw .unknown }
            var answer = try await answer(route, target, request)
            if admission(to: route) == .known { answer.fields.forbidSharing() }
            if route.isPrivate {
                answer.fields.allowNoOtherPage()
                answer.fields.append(HTTPField(name: .vary, value: PrivateAccess.varyByPage))
            }
            return answer
        } catch {
            return ErrorResponse.problem(error).answer
        }
    }

    private func answer(
        _ route: Route, _ target: RequestTarget, _ request: Request
    ) async throws(Route.Failure) -> Response {
        if request.method == .options { return Methods.options(route) }
        guard route.methods.contains(request.method) else {
            return Methods.notAllowed(request.method, route.methods)
        }
        let parameters = try Route.decodeQuery(target.query)
        do throws(Failure) {
            return try await answer(route, parameters, request)
        } catch {
            return ErrorResponse.problem(
                error, of: route.source.flatMap { try? pipeline.sources.named($0) },
                pause: pipeline.configuration.freshness.unavailable
            ).answer
        }
    }

    private func answer(
        _ route: Route, _ parameters: [(String, String)], _ request: Request
    ) async throws(Failure) -> Response {
        if let refusal = access.refusal(of: request, for: route) { return refusal.answer }
        return switch route {
        case .thumbnail(let level, let source, let kind, let id, let format):
            try await thumbnails.answer(
                level: level, source: source, kind: kind, id: id, format: format,
                parameters: parameters, request)
        case .original(let source, let kind, let id):
            try await blobs.original(source: source, kind: kind, id: id, request)
        case .blob(let digest):
            try await blobs.blob(digest, request)
        case .catalog(let source, let rest):
            try await catalog.answer(
                source: source, rest: rest, parameters: parameters, request)
        case .favorites where request.method == .put: try await userData.order(request)
        case .favorites: try await userData.favorites(parameters, request)
        case .recent: try await userData.recent(parameters, request)
        case .explanation(let source, let kind, let id):
            try await userData.explanation(source: source, kind: kind, id: id, request)
        case .status: state.answer(request)
        case .sheet(let level, let source, let list, let form):
            try await sheets.answer(
                level: level, source: source, list: list, form: form, parameters: parameters,
                request)
        case .favorite(let source, let kind, let id):
            try await userData.favorite(
                source: source, kind: kind, id: id, parameters, request)
        case .iiif(let route): try await iiif.answer(route, request)
        case .collection(let source, let list):
            try await presentation.collection(source, list, parameters, request)
        case .manifest(let identifier):
            try await presentation.manifest(identifier, parameters, request)
        case .history: try await userData.history(request)
        case .warm where request.method == .post: try await admin.warm(request)
        case .warm: admin.runs()
        case .warmRun(let id) where request.method == .delete: await admin.cancel(id)
        case .warmRun(let id): admin.progress(id, request)
        case .purge: try await admin.purge(request)
        case .blocks: admin.blocks()
        case .block(let text) where request.method == .put: try await admin.block(text, request)
        case .block(let text) where request.method == .delete: try await admin.unblock(text)
        case .block(let text): try admin.block(text)
        case .health: Self.text("ok")
        case .readiness: await readiness(request)
        case .metrics: await metrics.answer()
        case .description:
            documents.of(isStranger: access.isStranger(request)).description.answer(request)
        case .gallery: documents.of(isStranger: access.isStranger(request)).gallery.answer(request)
        case .service:
            documents.of(isStranger: access.isStranger(request)).service.answer(request)
        case .robots: Robots.document.answer(request)
        }
    }

    /// Strangers learn the status alone, which is enough for the health check of a container.
    private func readiness(_ request: Request) async -> Response {
        let answer = await readiness()
        guard offer.hasPictures, routes != .everything, access.isStranger(request) else {
            return answer
        }
        return answer.status == .ok
            ? Self.text("ready") : Self.notReady("The service is not ready.", cause: answer.cause)
    }

    /// Ready means that a picture goes through the real render threads now, and that nothing else
    /// keeps this process from its work.
    private func readiness() async -> Response {
        if jobs.isOver {
            return Self.notReady(
                "The service finishes running requests, and stops.", cause: nil)
        }
        if let reason = unreadiness() { return Self.notReady(reason, cause: nil) }
        do throws(Failure) {
            try await pipeline.checkCanary()
            // It serves from memory meanwhile, so that it stays ready.
            let trouble = pipeline.status.storage.trouble
            return Self.text(trouble.map { "ready, and pictures wait in memory: \($0)" } ?? "ready")
        } catch {
            return Self.notReady("The canary picture could not be rendered.", cause: "\(error)")
        }
    }

    private static func notReady(_ detail: String, cause: String?) -> Response {
        Problem(
            status: .serviceUnavailable, name: "not-ready", title: "Not ready", detail: detail,
            retryAfter: 1, cause: cause
        ).answer
    }

    private static func text(_ text: String) -> Response {
        .unstored(type: "text/plain; charset=utf-8", Array((text + "\n").utf8))
    }
}

/// The responder of the newest settings. Any thread.
final class CurrentResponder: Sendable {
    private let responder: Mutex<Responder>

    init(_ first: Responder) { responder = Mutex(first) }

    var value: Responder { responder.withLock { $0 } }

    func replace(_ make: (Responder) -> Responder) {
        responder.withLock { $0 = make($0) }
    }
}
