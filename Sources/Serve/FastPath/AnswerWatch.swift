import NIOCore
import NIOHTTP1

/// Sits behind the HTTP codec and knows how far its answer is.
final class AnswerWatch: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether the head of the answer under way is written.
    private(set) var hasBegun = false
    /// Whether the answer under way, or the one before, says that the connection ends with it.
    private(set) var isLast = false
    /// Asked for each answer: whether it has to be the last one.
    var mustBeLast: () -> Bool = { false }
    /// Called when the client is told to send its body.
    var onInvitation: () -> Void = {}
    /// Called when an answer has left the codec.
    var onAnswer: () -> Void = {}

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where (100..<200).contains(head.status.code):
            context.write(data, promise: promise)
            onInvitation()
        case .head(var head):
            hasBegun = true
            if mustBeLast() { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            isLast = head.headers[canonicalForm: "connection"].contains("close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            hasBegun = false
            onAnswer()
        }
    }
}
