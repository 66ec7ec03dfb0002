import FoundationEssentials
import HTTPTypes
import HitServer
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Pipeline

/// The responder as connections see it, and the HTTP server package for encrypted HTTP/1.1.
///
/// An encrypted connection gets that package with its first request that is not answered from
/// prepared bytes, so that other connections don't pay for it.
struct HTTPStack: RequestResponder {
    let responder: Responder
    let pipeline: MediaPipeline
    let metrics: RequestMetrics
    let logger: Logger
    let access: AccessLog
    let bodies: BodyStream
    /// Drops the framework's notices of starting and stopping.
    let quiet: Logger

    init(
        _ responder: Responder, _ pipeline: MediaPipeline, _ metrics: RequestMetrics,
        _ logger: Logger, _ access: AccessLog, _ bodies: BodyStream
    ) {
        self.access = access
        self.bodies = bodies
        self.metrics = metrics
        self.responder = responder
        self.pipeline = pipeline
        self.logger = logger
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        self.quiet = quiet
    }

    /// Adds the codec behind the handlers of `channel` and starts to answer requests. On the
    /// channel's event loop. The task ends with the connection; canceling it cancels the request
    /// under way. `onEnd` is its last call.
    func join(
        _ channel: any Channel, maxHeadBytes: Int, onEnd: @escaping @Sendable () -> Void
    ) throws -> (watch: AnswerWatch, task: Task<Void, Never>) {
        // Heads are measured before they come here. Trailers are not longer than heads.
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                let content = RequestContent(request, channel)
                var answer = await respond(
                    to: Incoming(
                        request: Request(
                            method: request.method, target: request.uri.string,
                            fields: request.headers, authority: request.head.authority,
                            body: { await content.read(upTo: $0) }),
                        client: channel.remoteAddress?.ipAddress))
                let closes = request.headers[.connection]?.lowercased() == "close"
                if content.isHeldBack || closes { answer.fields[.connection] = "close" }
                try await writer.write(
                    response: HTTPResponse(status: answer.status, headerFields: answer.fields),
                    body: bodies.body(answer, on: channel.eventLoop))
            },
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: maxHeadBytes, maxHeaderListSize: 2 * maxHeadBytes)))
        var joined: Result<HTTP1Channel.Value, any Error>?
        // Done at once, because everything happens on this event loop.
        http.setup(channel: channel, logger: quiet).assumeIsolated().whenComplete { joined = $0 }
        guard let connection = try joined?.get() else {
            throw ChannelError.inappropriateOperationForState
        }
        let watch = AnswerWatch()
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(watch, position: .after(decoder))
        try pipeline.addHandler(
            CodecProblem { [client = channel.remoteAddress?.ipAddress] in
                refused(status: $0, client: client)
            }, position: .after(watch))
        // Unstructured, because it lives as long as the connection, which the event loop ends.
        let task = Task { [quiet] in
            await http.handle(value: connection, logger: quiet)
            onEnd()
        }
        return (watch, task)
    }

    func refuse(
        _ refusal: RequestRefusal, start: [UInt8], client: String?, closes: Bool
    ) -> [UInt8] {
        let identity = RequestIdentity([:])
        RequestLog(
            refused: start, status: refusal.problem.status.code, identity, client: client
        ).write(logger, access)
        return refusal.bytes(pipeline.now(), identity, closes: closes)
    }

    /// Logs a request that the codec can't read, which has neither method nor path.
    private func refused(status: Int, client: String?) -> HTTPFields {
        let identity = RequestIdentity([:])
        RequestLog(refused: [], status: status, identity, client: client).write(logger, access)
        var fields = CommonFields.of(pipeline.now())
        fields[.xRequestID] = identity.id
        return fields
    }

    /// A request, and the other end of its connection.
    struct Incoming: Sendable {
        var request: Request
        /// Its address; nil if it is unknown.
        var client: String?
    }

    /// Returns the response as it is sent: with all fields, and without a body that the client
    /// doesn't get. Counts and logs it.
    func respond(to incoming: Incoming) async -> Response {
        let request = incoming.request
        let path = request.path
        let start = ContinuousClock.now
        let client = ClientAddress.of(incoming.client, request.fields)
        var answer = await withRequester(client) { await responder.answer(request) }
        let duration = ContinuousClock.now - start
        let identity = RequestIdentity(request.fields)
        metrics.count(path: path, answer, duration)
        let hasNoBody = answer.status == .notModified || answer.status == .noContent
        let isSent = !hasNoBody && request.method != .head
        RequestLog(
            method: request.method.rawValue, path: path, status: answer.status.code,
            bytes: isSent ? answer.length : 0, cache: answer.fields[.cacheStatus] ?? "-",
            duration: duration, identity: identity, client: incoming.client,
            cause: answer.cause
        ).write(logger, access)
        answer.fields[.xRequestID] = identity.id
        for field in CommonFields.of(pipeline.now()) { answer.fields[field.name] = field.value }
        // A 304 has no length of its own.
        answer.fields[.contentLength] =
            hasNoBody || answer.events != nil ? nil : "\(answer.length)"
        if !isSent { (answer.body, answer.file, answer.events) = ([], nil, nil) }
        return answer
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
        let answer = await respond(to: Incoming(request: request, client: incoming.client))
        let head = ResponseHead(answer)
        if BodyStream.isSmall(answer) { return work.respond(head, answer.body) }
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
