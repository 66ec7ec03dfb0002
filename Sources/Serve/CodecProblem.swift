import HTTPTypes
import NIOCore
import NIOHTTP1

/// Handles what the HTTP codec can't parse, with a problem document as the response.
///
/// It follows the codec in the pipeline. It also rejects an HTTP/1.1 request without exactly one
/// Host field (RFC 9112, section 3.2). Used on the channel's event loop.
final class CodecProblem: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Called for each such response. Returns the fields that every response carries.
    private let refused: (_ status: Int) -> HTTPFields
    private var problem: Problem?
    /// Requests that began and have no response yet.
    private var underWay = 0
    /// Whether a request has begun and not yet ended.
    private var isReading = false
    private var isDropping = false

    init(refused: @escaping (_ status: Int) -> HTTPFields) { self.refused = refused }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            underWay += 1
            isReading = true
            if head.version == .http1_0, head.headers.contains(name: "Expect") {
                // HTTP/1.0 has no interim responses, and the client sends the body anyway (RFC
                // 9110, section 10.1.1).
                head.headers.remove(name: "Expect")
                context.fireChannelRead(wrapInboundOut(.head(head)))
                return
            }
            if head.version != .http1_0, head.headers[canonicalForm: "host"].count != 1 {
                // Deliberately invalid target, so that the router answers 400.
                head.uri = "host"
                head.headers.replaceOrAdd(name: "Host", value: "invalid")
                context.fireChannelRead(wrapInboundOut(.head(head)))
                return
            }
        case .body: break
        case .end: isReading = false
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { problem = Self.problem(error) }
        context.fireErrorCaught(error)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            guard let problem, head.status == .badRequest, head.isEmpty else { break }
            // If the body breaks after the response, the client gets no second response.
            isDropping = underWay == 0 && isReading
            if !isDropping { write(problem, context) }
            promise?.succeed()
            return
        case .body: break
        case .end:
            underWay = max(0, underWay - 1)
            if isDropping {
                promise?.succeed()
                return
            }
        }
        context.write(data, promise: promise)
    }

    private func write(_ problem: Problem, _ context: ChannelHandlerContext) {
        let answer = problem.answer
        var fields = HTTPHeaders(
            (answer.fields + refused(answer.status.code)).map { ($0.name.rawName, $0.value) })
        fields.add(name: "Content-Length", value: "\(answer.body.count)")
        fields.add(name: "Connection", value: "close")
        let head = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: answer.status.code), headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
            wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
    }

    private static func problem(_ error: HTTPParserError) -> Problem {
        switch error {
        case .invalidMethod:
            Problem(
                status: .notImplemented, name: "unknown-method", title: "Unknown method",
                detail: "Nothing here knows this method; possible are \(Methods.possibleText).")
        case .headerOverflow:
            Problem(
                status: .requestHeaderFieldsTooLarge, name: "header-too-large",
                title: "Header too large", detail: "The header fields are too large.")
        default:
            Problem(
                status: .badRequest, name: "unreadable-request", title: "Unreadable request",
                detail: "The request is not HTTP/1.1 as RFC 9112 has it.")
        }
    }
}

extension HTTPResponseHead {
    fileprivate var isEmpty: Bool { headers[canonicalForm: "content-length"] == ["0"] }
}
