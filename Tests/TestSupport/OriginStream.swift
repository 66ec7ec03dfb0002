import NIOCore
import NIOHPACK
import NIOHTTP2

/// One request of an HTTP/2 connection.
final class OriginStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let state: OriginState
    private let number: Int
    private var head = HPACKHeaders()
    private var body: [UInt8] = []
    private var underWay: OriginRequest?

    init(_ state: OriginState, number: Int) {
        self.state = state
        self.number = number
    }

    func channelInactive(context: ChannelHandlerContext) {
        endRequest()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            head = frame.headers
            if frame.endStream { answer(context) }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { body += bytes.readableBytesView }
            if frame.endStream { answer(context) }
        default: break
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let request = OriginRequest(
            method: head.first(name: ":method") ?? "",
            authority: head.first(name: ":authority") ?? "",
            target: head.first(name: ":path") ?? "",
            headers: head.filter { !$0.name.hasPrefix(":") }.map { ($0.name, $0.value) },
            body: body, connection: number, httpVersion: "2")
        underWay = request
        state.change { $0.begin(request) }
        let reply = state.reply(to: request)
        if reply.isSilent { state.change { $0.silences.insert([request.host, request.path]) } }
        ReplyWriter(
            reply, to: StreamOutlet(context.channel), ended: endRequest
        ).start()
    }

    private func endRequest() {
        guard let request = underWay else { return }
        underWay = nil
        state.change { $0.end(request) }
    }
}

/// Writes an answer as frames of one stream.
private final class StreamOutlet: ReplyOutlet {
    let channel: any Channel

    init(_ channel: any Channel) {
        self.channel = channel
    }

    private func write(_ payload: HTTP2Frame.FramePayload) {
        channel.writeAndFlush(payload, promise: nil)
    }

    func sendRaw(_ bytes: [UInt8]) {
        reset()
    }

    func sendHead(_ reply: OriginReply) {
        var headers = HPACKHeaders([(":status", String(reply.status))])
        for (name, value) in reply.headers where name.lowercased() != "connection" {
            headers.add(name: name.lowercased(), value: value)
        }
        if case .length(let length) = reply.framing, reply.status != 304 {
            headers.add(name: "content-length", value: String(length ?? reply.body.count))
        }
        write(.headers(.init(headers: headers)))
    }

    func sendBody(_ bytes: ArraySlice<UInt8>, of reply: OriginReply) {
        write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)))))
    }

    func finish(_ reply: OriginReply) {
        write(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)))
    }

    func close() {
        reset()
    }

    func reset() {
        write(.rstStream(.internalError))
    }
}
