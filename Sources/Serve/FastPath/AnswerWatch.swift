import NIOCore
import NIOHTTP1

/// Sits behind the HTTP codec and knows how far its requests and answers are.
final class AnswerWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Requests begun and not answered.
    private(set) var underWay = 0
    /// Whether a request has begun and not ended.
    private(set) var isReading = false
    /// Whether the answer under way is the last one.
    private(set) var isLast = false
    /// Called when an answer has left the codec.
    var onAnswer: () -> Void = {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            underWay += 1
            isReading = true
            // The codec does not say keep-alive to HTTP/1.0.
            if head.version == .http1_0 { isLast = true }
        case .body: break
        case .end: isReading = false
        }
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        var isEnd = false
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isLast = isLast || head.headers[canonicalForm: "connection"].contains("close")
        case .body: break
        case .end: isEnd = true
        }
        context.write(data, promise: promise)
        guard isEnd else { return }
        // What can't be parsed is answered without having begun.
        underWay = max(0, underWay - 1)
        onAnswer()
    }
}
