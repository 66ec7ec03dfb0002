import NIOCore
import NIOHTTP1

/// Stands behind the HTTP codec and follows its responses.
final class AnswerWatch: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether the head of the response under way is written.
    private(set) var hasBegun = false
    /// Whether the connection closes after the response under way, or after the one before.
    private(set) var isLast = false
    /// Returns whether a response has to be the last one. Called for each response.
    var mustBeLast: () -> Bool = { false }
    /// Called when the client gets a 100 response.
    var onInvitation: () -> Void = {}
    /// Called when a response has left the codec.
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
