import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
package import Pipeline
import ServiceLifecycle

/// The HTTP service: accepts connections until it is told to stop, then finishes what is running.
package struct Server: Service {
    private let responder: Responder
    private let configuration: ServerConfiguration
    private let logger: Logger
    private let onRunning: @Sendable (_ port: Int) async -> Void

    /// `onRunning` is told the port once connections are accepted.
    package init(
        _ pipeline: MediaPipeline, _ configuration: ServerConfiguration, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        responder = Responder(pipeline, configuration)
        self.configuration = configuration
        self.logger = logger
        self.onRunning = onRunning
    }

    package func run() async throws {
        var quiet = logger
        // The framework's own notices of starting and stopping say what ours say better.
        quiet.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            responder: Adapter(responder: responder, logger: logger),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: "vitrine"),
            onServerRunning: { [onRunning] channel in
                await onRunning(channel.localAddress?.port ?? 0)
            },
            logger: quiet)
        try await application.run()
    }
}

/// Between the server package's types and ours.
private struct Adapter: HTTPResponder {
    let responder: Responder
    let logger: Logger

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let start = ContinuousClock.now
        let answer = await responder.answer(
            Question(
                method: request.method, target: request.uri.string, fields: request.headers))
        log(request, answer, ContinuousClock.now - start)
        var fields = answer.fields
        let hasNoBody = answer.status == .notModified
        if !hasNoBody { fields[.contentLength] = "\(answer.body.count)" }
        let body =
            hasNoBody || request.method == .head
            ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        var response = Response(status: answer.status, headers: fields, body: body)
        // A 304 has no length of its own, and what the initialiser fills in would be wrong.
        if hasNoBody { response.headers[.contentLength] = nil }
        return response
    }

    /// One line a request; the query may hold what people search for, so only the path is logged.
    private func log(_ request: Request, _ answer: Answer, _ duration: Duration) {
        logger.debug(
            "request",
            metadata: [
                "method": "\(request.method.rawValue)", "path": "\(request.uri.path)",
                "status": "\(answer.status.code)", "bytes": "\(answer.body.count)",
                "cache": "\(answer.fields[.cacheStatus] ?? "-")",
                "ms":
                    "\(duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000)",
            ])
    }
}
