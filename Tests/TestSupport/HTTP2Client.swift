import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Synchronization

/// An HTTP/2 client that sends the frames a test asks for. It doesn't enlarge windows by itself,
/// and collects received frames.
package final class HTTP2Client: Sendable {
    /// The received frames of a stream.
    package struct Stream: Sendable, Equatable {
        package var status: Int?
        /// Fields of the head by their names.
        package var fields: [String: String] = [:]
        /// Bytes of the body.
        package var bytes = 0
        package var isEnded = false
        /// Bytes of the frame that ended it; nil if that was the head.
        package var bytesOfEnd: Int?
        /// The code of RST_STREAM.
        package var reset: Int?
    }

    package struct State: Sendable {
        package var streams: [Int: Stream] = [:]
        /// The server's setting.
        package var maxHeaderListSize: Int?
        /// Bytes by which the server has enlarged the connection's window.
        package var window = 0
        /// Acknowledged PING frames.
        package var pongs = 0
        /// Acknowledged SETTINGS frames.
        package var acknowledgments = 0
        /// The codes of GOAWAY.
        package var farewells: [Int] = []
        package var isClosed = false
    }

    private let channel: any Channel
    private let received: Watched<State>
    private let next = Atomic<Int>(1)

    /// - Parameter window: the initial window of each stream. The connection's window is unlimited.
    package static func open(
        port: Int, tls: TLSClient, window: Int = 65_535
    ) async throws -> HTTP2Client {
        let received = Watched(State())
        let settings =
            nioDefaultSettings + [
                HTTP2Setting(parameter: .initialWindowSize, value: window)
            ]
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(tls.handler())
                    try pipeline.addHandler(
                        NIOHTTP2Handler(mode: .client, initialSettings: settings))
                    try pipeline.addHandler(Collector(received))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let client = HTTP2Client(channel, received)
        try await client.giveWindow(1 << 30)
        return client
    }

    private init(_ channel: any Channel, _ received: Watched<State>) {
        self.channel = channel
        self.received = received
    }

    deinit { channel.close(promise: nil) }

    /// Sends a request and returns its stream. With `ends` the request is complete.
    @discardableResult
    package func ask(
        _ path: String, method: String = "GET", authority: String = "localhost",
        fields: [(String, String)] = [], ends: Bool = true
    ) async throws -> Int {
        let number = next.add(2, ordering: .relaxed).oldValue
        let headers = HPACKHeaders(
            [
                (":method", method), (":scheme", "https"), (":authority", authority),
                (":path", path),
            ] + fields)
        try await send(number, .headers(.init(headers: headers, endStream: ends)))
        return number
    }

    /// Sends a part of the body of an incomplete request. With `ends` it is the last one.
    package func send(_ text: String, on stream: Int, ends: Bool = false) async throws {
        let bytes = ByteBuffer(string: text)
        try await send(stream, .data(.init(data: .byteBuffer(bytes), endStream: ends)))
    }

    /// Ends a request with fields after its body.
    package func sendTrailers(_ fields: [(String, String)], on stream: Int) async throws {
        try await send(stream, .headers(.init(headers: HPACKHeaders(fields), endStream: true)))
    }

    /// Changes the size of the table for the fields of responses.
    package func setTableSize(_ bytes: Int) async throws {
        let setting = HTTP2Setting(parameter: .headerTableSize, value: bytes)
        try await send(0, .settings(.settings([setting])))
    }

    package func reset(_ stream: Int) async throws {
        try await send(stream, .rstStream(.cancel))
    }

    /// Enlarges the window of a stream, or of the connection.
    package func giveWindow(_ bytes: Int, of stream: Int = 0) async throws {
        try await send(stream, .windowUpdate(windowSizeIncrement: bytes))
    }

    /// Returns the state once the server has taken everything that was sent before.
    package func ping() async throws -> State {
        let seen = received.value.pongs
        try await send(0, .ping(HTTP2PingData(withInteger: 0), ack: false))
        return await state { $0.pongs > seen }
    }

    private func send(_ stream: Int, _ payload: HTTP2Frame.FramePayload) async throws {
        try await channel.writeAndFlush(
            HTTP2Frame(streamID: HTTP2StreamID(stream), payload: payload))
    }

    /// Stops reading from the socket.
    package func stopReading() async throws {
        try await unlessClosed { try await channel.setOption(.autoRead, value: false).get() }
    }

    /// Reads once from the socket, for a client that stopped reading.
    package func readOnce() { channel.read() }

    package func close() async throws {
        try await unlessClosed { try await channel.close() }
    }

    /// Returns the state once it matches or the connection is closed.
    @discardableResult
    package func state(where isMet: @escaping @Sendable (State) -> Bool) async -> State {
        await received.wait { $0.isClosed || isMet($0) }
    }

    /// Returns the frames of a stream once it has ended.
    package func answer(_ stream: Int) async -> Stream? {
        let state = await state { state in
            state.streams[stream].map { $0.isEnded || $0.reset != nil } ?? false
        }
        return state.streams[stream]
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame

        private let received: Watched<State>

        init(_ received: Watched<State>) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            let stream = Int(frame.streamID)
            received.change { state in
                switch frame.payload {
                case .headers(let headers):
                    state.streams[stream, default: Stream()].status =
                        headers.headers.first(name: ":status").flatMap { Int($0) }
                    state.streams[stream]?.fields = Dictionary(
                        headers.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
                    state.streams[stream]?.isEnded = headers.endStream
                case .data(let data):
                    state.streams[stream, default: Stream()].bytes += data.data.readableBytes
                    state.streams[stream]?.isEnded = data.endStream
                    if data.endStream {
                        state.streams[stream]?.bytesOfEnd = data.data.readableBytes
                    }
                case .rstStream(let code):
                    state.streams[stream, default: Stream()].reset = code.networkCode
                case .windowUpdate(let bytes): if stream == 0 { state.window += bytes }
                case .ping(_, ack: true): state.pongs += 1
                case .settings(.ack): state.acknowledgments += 1
                case .settings(.settings(let settings)):
                    for setting in settings where setting.parameter == .maxHeaderListSize {
                        state.maxHeaderListSize = setting.value
                    }
                case .goAway(_, let code, _): state.farewells.append(code.networkCode)
                default: break
                }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            received.change { $0.isClosed = true }
        }
    }
}
