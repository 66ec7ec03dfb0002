import FoundationEssentials
import HTTP
import HTTPTypes
import Logging
import Pipeline
import Traces

/// The responder as connections see it: its responses are counted, logged and sent.
struct HTTPStack: RequestResponder {
    let responders: CurrentResponder
    private(set) var offer: ServerConfiguration.Offer
    let pipeline: MediaPipeline
    let metrics: RequestMetrics
    let logger: Logger
    let access: AccessLog
    let bodies: BodyStream
    let held: HeldBodies
    private var events = EventPlaces(connections: 0)
    /// Traces requests that wait for a miss; nil if none is traced. Hits are not traced.
    let tracer: Tracer?
    /// Of connections to this process.
    let scheme: String

    /// - Parameters:
    ///   - bodies: and `held`: of one budget.
    init(
        responders: CurrentResponder, offer: ServerConfiguration.Offer, pipeline: MediaPipeline,
        metrics: RequestMetrics, logger: Logger, access: AccessLog, bodies: BodyStream,
        held: HeldBodies, tracer: Tracer?, scheme: String
    ) {
        self.responders = responders
        self.offer = offer
        self.pipeline = pipeline
        self.metrics = metrics
        self.logger = logger
        self.access = access
        self.bodies = bodies
        self.held = held
        self.tracer = tracer
        self.scheme = scheme
    }

    /// Returns the same for a listener that offers something else, or has other connections.
    func listening(_ configuration: ServerConfiguration) -> Self {
        var stack = self
        stack.offer = configuration.offer
        stack.events = EventPlaces(connections: configuration.maxConnections)
        return stack
    }

    private var responder: Responder { responders.value.offering(offer) }

    func refuse(
        _ refusal: RequestRefusal, start: [UInt8], client: String?
    ) -> (head: ResponseHead, body: HeldBody) {
        let identity = RequestIdentity([:])
        if refusal == .tls {
            logger.notice("A client sent TLS. This address answers http:// only.")
        } else {
            RequestLog(
                refused: start, status: refusal.problem.status.code, identity, client: client
            ).write(logger, access)
        }
        var (answer, hold) = (refusal.answer, (any AnyObject & Sendable)?.none)
        let client = ClientAddress.of(client, [:]).map { HeldBodies.Client.address($0) }
        hold = held.take(answer.body.count, for: client ?? .refused, isRefusal: true)
        if hold == nil { answer.body = [] }
        return (
            refusal.head(answer, pipeline.now(), identity), HeldBody(answer.body, hold)
        )
    }

    /// What counts the bytes of a response, and its place if it lasts.
    private struct Holds: Sendable {
        var body: (any AnyObject & Sendable)?
        var place: (any AnyObject & Sendable)?
    }

    /// Returns the response as it is sent: with all fields, and without a body that the client
    /// doesn't get. Counts and logs it.
    ///
    /// - Parameters:
    ///   - client: address of the other end; nil if it is unknown.
    ///   - connection: names it among those that are open.
    private func respond(
        to request: Request, of client: String?, on connection: Int
    ) async -> (Response, Holds) {
        let path = request.path
        let start = ContinuousClock.now
        var identity = RequestIdentity(request.fields)
        let trace = tracer?.begin(identity.context, at: pipeline.now())
        let address = ClientAddress.of(client, request.fields)
        var answer = await withRequester(address) {
            await RequestTrace.during(trace) { await responder.answer(request) }
        }
        var holds = Holds()
        if request.method != .head {
            let owner = address.map { HeldBodies.Client.address($0) } ?? .connection(connection)
            holds = hold(&answer, address, owner, connection)
        }
        let duration = ContinuousClock.now - start
        if let trace, trace.isKept {
            end(trace, request, path: path, answer, identity)
            identity.trace = trace.context.traceID
        }
        metrics.count(path: path, answer, duration)
        let hasNoBody = answer.status == .notModified || answer.status == .noContent
        let isSent = !hasNoBody && request.method != .head
        RequestLog(
            method: request.method.rawValue, path: path, status: answer.status.code,
            bytes: isSent ? answer.length : 0, cache: answer.fields[.cacheStatus] ?? "-",
            duration: duration, identity: identity, client: client,
            cause: answer.cause
        ).write(logger, access)
        answer.fields[.xRequestID] = identity.id
        for field in HTTPFields.common(at: pipeline.now()) {
            answer.fields[field.name] = field.value
        }
        // A 304 has no length of its own.
        answer.fields[.contentLength] =
            hasNoBody || answer.events != nil ? nil : "\(answer.length)"
        if !isSent { (answer.body, answer.file, answer.events) = ([], nil, nil) }
        return (answer, holds)
    }

    /// Counts what the client makes the service keep. Without room for it the response is 503 instead, and has no
    /// body without room for that.
    private func hold(
        _ answer: inout Response, _ address: String?, _ owner: HeldBodies.Client,
        _ connection: Int
    ) -> Holds {
        var holds = Holds()
        if answer.events != nil {
            holds.place = events.take(address)
            holds.body = holds.place.flatMap { _ in held.take(BodyStream.eventBytes, for: owner) }
            if holds.body != nil { return holds }
            (answer, holds) = (Self.tooManyStreams, Holds())
        }
        guard BodyStream.isInMemory(answer), !answer.body.isEmpty else { return holds }
        holds.body =
            held.take(answer.body.count, for: owner)
            ?? held.takeSmall(answer.body.count, on: connection)
        guard holds.body == nil else { return holds }
        answer = RequestRefusal.overloaded.answer
        holds.body = held.take(answer.body.count, for: owner, isRefusal: true)
        if holds.body == nil { answer.body = [] }
        return holds
    }

    private static let tooManyStreams: Response = {
        var answer = Problem(
            status: .serviceUnavailable, name: "too-many-streams", title: "Too many streams",
            detail: "Too many clients follow events; try again in a moment, or ask without "
                + "text/event-stream.",
            retryAfter: 10
        ).answer
        answer.fields.addSecurity()
        return answer
    }()

    /// Ends the span of a request, with the attributes of OpenTelemetry's conventions for servers.
    private func end(
        _ trace: RequestTrace, _ request: Request, path: String, _ answer: Response,
        _ identity: RequestIdentity
    ) {
        let method = request.method.rawValue
        let route = RequestMetrics.route(path)
        let status = answer.status.code
        trace.end(
            "\(method) \(route)",
            [
                "http.request.method": .text(method), "http.route": .text(route),
                "url.path": .text(RequestLog.shown(path)), "url.scheme": .text(scheme),
                "http.response.status_code": .number(status),
                "vitrine.cache": .text(RequestMetrics.cache(answer.fields[.cacheStatus])),
                "vitrine.request": .text(identity.id),
            ],
            error: status >= 500 ? SpanError(type: "\(status)") : nil)
    }
}

extension HTTPStack {
    func respond(_ incoming: IncomingRequest, _ work: RequestWork) async {
        guard var request = Request(head: incoming.head, isVersion10: incoming.isVersion10) else {
            // A field's name that no strict reader lets through.
            return work.fail()
        }
        let declared = request.fields[.contentLength].flatMap { Int($0) } ?? 0
        request.body = { limit in
            declared > limit ? .tooLong : await work.body(upTo: limit)
        }
        let (answer, holds) = await respond(
            to: request, of: incoming.client, on: work.connection)
        defer { withExtendedLifetime(holds) {} }
        let head = ResponseHead(answer)
        if BodyStream.isInMemory(answer) {
            return work.respond(head, HeldBody(answer.body, holds.body))
        }
        work.begin(head, hasLength: answer.events == nil)
        var isWhole = false
        do {
            try await bodies.send(answer) { bytes, isLast in
                guard await work.write(bytes, isLast: isLast) else { throw CancellationError() }
                isWhole = isLast
            }
        } catch {
            // The client is gone, or the blob can't be read.
        }
        if !isWhole { work.fail() }
    }
}

extension ResponseHead {
    /// The status and the fields of a response.
    init(_ answer: Response) {
        self.init(status: answer.status.code, reason: answer.status.reasonPhrase)
        for field in answer.fields { add(field.name.rawName, field.value) }
    }
}
