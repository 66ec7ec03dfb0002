import Glibc
import NIOCore
import NIOPosix

/// A TCP client that sends exactly the given bytes and collects received ones.
package final class RawConnection: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
    }

    private let channel: any Channel
    private let state: Watched<State>

    /// With `reads: false` it never reads, like a client that hangs.
    package static func open(
        port: Int, reads: Bool = true, tls: TLSClient? = nil
    ) async throws -> RawConnection {
        let state = Watched(State())
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: reads)
            .channelOption(.socketOption(.so_rcvbuf), value: reads ? 262_144 : 4_096)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(tls.handler())
                    }
                    try channel.pipeline.syncOperations.addHandler(Collector(state))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel, state)
    }

    private init(_ channel: any Channel, _ state: Watched<State>) {
        self.channel = channel
        self.state = state
    }

    deinit { channel.close(promise: nil) }

    package func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Starts reading on a connection that was opened without.
    package func startReading() async throws {
        try await unlessClosed { try await channel.setOption(.autoRead, value: true).get() }
    }

    /// Stops reading from the socket.
    package func stopReading() async throws {
        try await unlessClosed { try await channel.setOption(.autoRead, value: false).get() }
    }

    /// Closes the sending half.
    package func finish() async throws {
        try await unlessClosed { try await channel.close(mode: .output) }
    }

    package func close() async throws {
        try await unlessClosed { try await channel.close() }
    }

    /// Reads once on a connection that was opened without reading. Returns all received bytes once
    /// there are more.
    package func readSome() async throws -> [UInt8] {
        let count = state.value.bytes.count
        channel.read()
        return await received { $0.count > count }
    }

    /// Closes at once and drops unsent bytes, so the server gets RST.
    package func reset() async throws {
        try await unlessClosed {
            if let options = channel as? any SocketOptionProvider {
                try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            try await channel.close()
        }
    }

    /// Returns all received bytes once they match or no more can come.
    package func received(
        where isMet: @escaping @Sendable ([UInt8]) -> Bool
    ) async -> [UInt8] {
        await state.wait { $0.isClosed || isMet($0.bytes) }.bytes
    }

    /// Returns all received bytes once the server has closed.
    package func receivedUntilClosed() async -> [UInt8] {
        await state.wait { $0.isClosed }.bytes
    }

    /// Returns `count` responses in their order; `heads` says which of them respond to HEAD.
    package func answers(_ count: Int, heads: Set<Int> = []) async -> [RawAnswer] {
        let bytes = await received { RawAnswer.parse($0, heads: heads).count >= count }
        return RawAnswer.parse(bytes, heads: heads)
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: Watched<State>

        init(_ received: Watched<State>) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data).readableBytesView
            received.change { $0.bytes += bytes }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent {
                received.change { $0.isClosed = true }
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

/// An HTTP/1.1 response as received.
package struct RawAnswer: Sendable, Equatable {
    package var status: Int
    /// Fields by their names in lower case.
    package var fields: [String: String]
    package var body: [UInt8]

    /// Returns the complete responses at the start of `bytes`.
    package static func parse(_ bytes: [UInt8], heads: Set<Int> = []) -> [RawAnswer] {
        var rest = bytes[...]
        var answers: [RawAnswer] = []
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
                .split(separator: "\r\n")
            guard let first = lines.first else { break }
            var answer = RawAnswer(
                status: Int(first.split(separator: " ").dropFirst().first ?? "") ?? 0, fields: [:],
                body: [])
            for line in lines.dropFirst() {
                let halves = line.split(separator: ":", maxSplits: 1)
                guard halves.count == 2 else { continue }
                answer.fields[halves[0].lowercased()] = String(halves[1].drop { $0 == " " })
            }
            let hasBody = !heads.contains(answers.count) && answer.status != 304
            let length = hasBody ? Int(answer.fields["content-length"] ?? "") ?? 0 : 0
            guard rest.distance(from: end.upperBound, to: rest.endIndex) >= length else { break }
            answer.body = Array(rest[end.upperBound..<end.upperBound + length])
            rest = rest[(end.upperBound + length)...]
            answers.append(answer)
        }
        return answers
    }
}
