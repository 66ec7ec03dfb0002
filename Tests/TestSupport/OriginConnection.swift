import Glibc
import NIOCore

/// One HTTP/1.1 connection. Reads just as much of the protocol as a test client sends.
final class OriginConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: OriginState
    private let number: Int
    private var unread = ByteBuffer()
    private var underWay: OriginRequest?
    private var context: ChannelHandlerContext?

    init(_ state: OriginState, number: Int) {
        self.state = state
        self.number = number
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        endRequest()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
        readRequest()
    }

    private func readRequest() {
        guard underWay == nil, let context, let request = parse() else { return }
        underWay = request
        state.change { $0.begin(request) }
        let reply = state.reply(to: request)
        if reply.isSilent { state.change { $0.silences.insert([request.host, request.path]) } }
        ReplyWriter(
            reply, to: ConnectionOutlet(self, context.channel, request),
            ended: endRequest
        ).start()
    }

    private func endRequest() {
        guard let request = underWay else { return }
        underWay = nil
        state.change { $0.end(request) }
    }

    /// The next request once its last byte is in.
    private func parse() -> OriginRequest? {
        let view = unread.readableBytesView
        guard let end = Self.endOfHead(view) else { return nil }
        let lines = String(decoding: view[..<end], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: true)
        let parts = lines.first?.split(separator: " ") ?? []
        guard parts.count == 3 else {
            context?.close(promise: nil)
            return nil
        }
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
        let length = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        let head = end - view.startIndex + 4
        guard unread.readableBytes >= head + length else { return nil }
        unread.moveReaderIndex(forwardBy: head)
        let body = unread.readBytes(length: length) ?? []
        return OriginRequest(
            method: String(parts[0]), authority: headers.first { $0.name == "host" }?.value ?? "",
            target: String(parts[1]), headers: headers, body: body, connection: number,
            httpVersion: "1.1")
    }

    private static func endOfHead(_ view: ByteBufferView) -> Int? {
        var index = view.startIndex
        while index + 3 < view.endIndex {
            if view[index] == 0x0d, view[index..<(index + 4)].elementsEqual("\r\n\r\n".utf8) {
                return index
            }
            index += 1
        }
        return nil
    }

    fileprivate func write(_ bytes: some Sequence<UInt8>) {
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: Array(bytes))), promise: nil)
    }

    fileprivate func answered() {
        readRequest()
    }
}

/// Writes an answer as HTTP/1.1.
private final class ConnectionOutlet: ReplyOutlet {
    private let connection: OriginConnection
    let channel: any Channel
    private let request: OriginRequest

    init(_ connection: OriginConnection, _ channel: any Channel, _ request: OriginRequest) {
        self.connection = connection
        self.channel = channel
        self.request = request
    }

    private func hasBody(_ reply: OriginReply) -> Bool {
        request.method != "HEAD" && reply.status != 204 && reply.status != 304
    }

    func sendRaw(_ bytes: [UInt8]) {
        connection.write(bytes)
    }

    func sendHead(_ reply: OriginReply) {
        var text = "HTTP/1.1 \(reply.status) Scripted\r\n"
        for (name, value) in reply.headers { text += "\(name): \(value)\r\n" }
        switch reply.framing {
        case .length(let length) where hasBody(reply):
            text += "Content-Length: \(length ?? reply.body.count)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .untilClose, .length: break
        }
        connection.write((text + "\r\n").utf8)
    }

    func sendBody(_ bytes: ArraySlice<UInt8>, of reply: OriginReply) {
        guard hasBody(reply) else { return }
        if case .chunked = reply.framing {
            connection.write(
                Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
        } else {
            connection.write(bytes)
        }
    }

    func finish(_ reply: OriginReply) {
        if case .chunked = reply.framing, hasBody(reply) { connection.write("0\r\n\r\n".utf8) }
        connection.answered()
    }

    func close() {
        channel.close(promise: nil)
    }

    /// Closing with a linger time of zero sends RST instead of FIN.
    func reset() {
        guard let options = channel as? any SocketOptionProvider else { return close() }
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { [channel] _ in
            channel.close(promise: nil)
        }
    }
}
