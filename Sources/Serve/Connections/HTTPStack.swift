import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP1
import Pipeline

/// The HTTP server package with the responder. It decodes, asks the responder and encodes.
///
/// A connection gets it with its first request that is not answered from prepared bytes, so that
/// other connections don't pay for it.
struct HTTPStack: Sendable {
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
                let response = await respond(to: request, from: channel)
                try await writer.write(response: response.head, body: response.body)
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

    /// Returns the codec for an HTTP/2 connection. The caller bounds its idle time.
    ///
    /// - Parameter stream: makes the handler of a new stream of the connection.
    func http2(
        each stream: @escaping @Sendable () -> any RemovableChannelHandler
    ) -> HTTP2Channel {
        HTTP2Channel(
            responder: { request, writer, channel in
                // Unstructured, because the package does not end it with its stream.
                let work = Task { await respond(to: request, from: channel) }
                channel.closeFuture.whenComplete { _ in work.cancel() }
                var response = await withTaskCancellationHandler {
                    await work.value
                } onCancel: {
                    work.cancel()
                }
                // Belongs to HTTP/1.1 (RFC 9113, section 8.2.2).
                response.head.headerFields[.connection] = nil
                try await writer.write(response: response.head, body: response.body)
            },
            configuration: .init(
                streamConfiguration: .init(
                    additionalChannelHandlers: [stream()])))
    }

    /// Logs a request that is refused before routing. Returns the whole response.
    ///
    /// - Parameter start: the first bytes of the request.
    func refuse(_ refusal: RequestRefusal, start: [UInt8], client: String?) -> [UInt8] {
        let identity = RequestIdentity([:])
        RequestLog(
            refused: start, status: refusal.problem.status.code, identity, client: client
        ).write(logger, access)
        return refusal.bytes(pipeline.now(), identity)
    }

    /// Logs a request that the codec can't read, which has neither method nor path.
    private func refused(status: Int, client: String?) -> HTTPFields {
        let identity = RequestIdentity([:])
        RequestLog(refused: [], status: status, identity, client: client).write(logger, access)
        var fields = CommonFields.of(pipeline.now())
        fields[.xRequestID] = identity.id
        return fields
    }

    private func respond(to request: HummingbirdCore.Request, from channel: any Channel) async
        -> HummingbirdCore.Response
    {
        let start = ContinuousClock.now
        let content = RequestContent(request, channel)
        let client = ClientAddress.of(channel.remoteAddress, request.headers)
        let answer = await withRequester(client) {
            await responder.answer(
                Request(
                    method: request.method, target: request.uri.string, fields: request.headers,
                    authority: request.head.authority,
                    body: { await content.read(upTo: $0) }))
        }
        let duration = ContinuousClock.now - start
        let identity = RequestIdentity(request.headers)
        metrics.count(path: request.uri.path, answer, duration)
        var fields = answer.fields
        fields[.xRequestID] = identity.id
        for field in CommonFields.of(pipeline.now()) { fields[field.name] = field.value }
        if content.isHeldBack || request.headers[.connection]?.lowercased() == "close" {
            fields[.connection] = "close"
        }
        let hasNoBody = answer.status == .notModified || answer.status == .noContent
        if !hasNoBody { fields[.contentLength] = "\(answer.length)" }
        let isSent = !hasNoBody && request.method != .head
        RequestLog(
            method: request.method.rawValue, path: "\(request.uri.path)",
            status: answer.status.code, bytes: isSent ? answer.length : 0,
            cache: answer.fields[.cacheStatus] ?? "-", duration: duration, identity: identity,
            client: channel.remoteAddress?.ipAddress, cause: answer.cause
        ).write(logger, access)
        let body = isSent ? bodies.body(answer, on: channel.eventLoop) : ResponseBody()
        var response = HummingbirdCore.Response(status: answer.status, headers: fields, body: body)
        // A 304 has no length of its own, and what the initializer fills in would be wrong.
        if hasNoBody { response.headers[.contentLength] = nil }
        return response
    }
}
