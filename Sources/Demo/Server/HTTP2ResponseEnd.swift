import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOSSL

/// Ends a response over HTTP/2 with its last bytes, instead of with an empty frame after them.
///
/// The HTTP server package sends the end in a frame of its own. libcurl has finished at
/// `Content-Length`, and resets the stream if the end hasn't arrived with the last bytes. The package
/// answers more than 200 resets in 30 seconds with GOAWAY, and every transfer under way fails.
final class HTTP2ResponseEnd: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private var isHead = false
    /// Bytes of the body that are not written yet; nil if the response doesn't say.
    private var remaining: Int?
    private var hasEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .headers(let frame) = unwrapInboundIn(data),
            let method = frame.headers.first(name: ":method")
        {
            isHead = method == "HEAD"
        }
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .headers(var frame):
            if let status = frame.headers.first(name: ":status"), !status.hasPrefix("1") {
                let length = frame.headers.first(name: "content-length").flatMap { Int($0) }
                remaining = isHead || status == "204" || status == "304" ? 0 : length
                hasEnded = remaining == 0
                frame.endStream = frame.endStream || hasEnded
            }
            context.write(wrapOutboundOut(.headers(frame)), promise: promise)
        case .data(var frame):
            // The end is sent already.
            if hasEnded, frame.data.readableBytes == 0 {
                promise?.succeed()
                return
            }
            if let before = remaining {
                remaining = before - frame.data.readableBytes
                hasEnded = remaining == 0
                frame.endStream = frame.endStream || hasEnded
            }
            context.write(wrapOutboundOut(.data(frame)), promise: promise)
        default: context.write(data, promise: promise)
        }
    }

    /// Adds an ``HTTP2ResponseEnd`` before the codec of a stream, because the HTTP server package
    /// can't. Does nothing on a connection with HTTP/1.1.
    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        func handlerAdded(context: ChannelHandlerContext) {
            let pipeline = context.pipeline.syncOperations
            // A stream has no TLS of its own.
            guard (try? pipeline.handler(type: NIOSSLServerHandler.self)) == nil else { return }
            do {
                try pipeline.addHandler(HTTP2ResponseEnd(), position: .first)
            } catch {
                context.close(promise: nil)
            }
        }
    }
}
