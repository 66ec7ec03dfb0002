import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// An origin on a loopback port that responds and misbehaves as a test scripts it.
///
///     let origin = try await OriginServer.start()
///     origin.on("/poster.jpg", .status(503), .ok(bytes))        // the second time it works
///     … fetch "\(origin.url)/poster.jpg" …
///     #expect(origin.log.count("/poster.jpg") == 2)
///
/// It listens until it is stopped or released.
package final class OriginServer: Sendable {
    package typealias Answer = @Sendable (OriginRequest) -> OriginReply

    package enum Security: Sendable {
        case plain
        /// With a certificate for these names and for 127.0.0.1.
        case tls(CertificateAuthority, names: [String], http2: Bool = false)
    }

    package var port: Int { reserved.number }
    /// Kept after a stop, so that clients of a stopped origin don't reach another test's.
    private let reserved: LoopbackPort
    private let scheme: String
    private let state: OriginState
    private let listener: any Channel

    package static func start(_ security: Security = .plain) async throws -> OriginServer {
        let state = OriginState()
        let tls: NIOSSLContext?
        switch security {
        case .plain: tls = nil
        case .tls(let authority, let names, let http2):
            let configuration = try authority.serverConfiguration(
                names: names, protocols: http2 ? ["h2", "http/1.1"] : ["http/1.1"])
            tls = try NIOSSLContext(configuration: configuration)
        }
        let reserved = try LoopbackPort()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try set(up: channel, tls, state) }
            }
            .withBoundSocket(reserved.socket()).get()
        return OriginServer(listener, reserved, state, isSecure: tls != nil)
    }

    private init(
        _ listener: any Channel, _ reserved: LoopbackPort, _ state: OriginState, isSecure: Bool
    ) {
        self.listener = listener
        self.reserved = reserved
        self.state = state
        scheme = isSecure ? "https" : "http"
    }

    deinit {
        listener.close(promise: nil)
        state.closeAll()
    }

    /// Stops listening and closes every connection. Idempotent.
    package func stop() async {
        let closed = listener.closeFuture
        listener.close(promise: nil)
        state.closeAll()
        do { try await closed.get() } catch {}  // that it is closed is all that counts
    }

    private static func set(
        up channel: any Channel, _ tls: NIOSSLContext?, _ state: OriginState
    ) throws {
        guard let number = state.open(channel) else { throw ChannelError.ioOnClosedChannel }
        let pipeline = channel.pipeline.syncOperations
        guard let tls else {
            return try pipeline.addHandler(OriginConnection(state, number: number))
        }
        try pipeline.addHandler(NIOSSLServerHandler(context: tls))
        channel.configureHTTP2SecureUpgrade(
            h2ChannelConfigurator: { channel in
                channel.configureHTTP2Pipeline(
                    mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                ) { stream in
                    stream.eventLoop.makeCompletedFuture {
                        try stream.pipeline.syncOperations.addHandler(
                            OriginStream(state, number: number))
                    }
                }.map { _ in }
            },
            http1ChannelConfigurator: { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        OriginConnection(state, number: number))
                }
            }
        ).whenFailure { _ in channel.close(promise: nil) }
    }
}

extension OriginServer {
    /// `http://127.0.0.1:PORT`, without final slash.
    package var url: String { "\(scheme)://127.0.0.1:\(port)" }

    /// A value of `--connect-to` that sends a public name to this origin.
    package func connectTo(host: String, port publicPort: Int? = nil) -> String {
        "\(host):\(publicPort ?? (scheme == "https" ? 443 : 80)):127.0.0.1:\(port)"
    }

    /// Responds to a path with these replies; the last one repeats.
    ///
    /// - Parameters:
    ///   - path: without query; a final `*` stands for any rest. The route added last wins.
    ///   - host: `nil` is any.
    package func on(_ path: String, host: String? = nil, _ replies: OriginReply...) {
        let next = Atomic<Int>(0)
        let script = replies
        on(path, host: host) { _ in
            let index = next.add(1, ordering: .relaxed).oldValue
            return script.isEmpty ? .status(404) : script[min(index, script.count - 1)]
        }
    }

    /// Responds to a path by a function, which runs on an event loop and must not block.
    package func on(_ path: String, host: String? = nil, answer: @escaping Answer) {
        state.add(host: host, path: path, answer: answer)
    }

    package var log: OriginLog { state.log }

    /// Returns once the log matches; throws when the task is canceled.
    package func wait(until isMet: @escaping @Sendable (OriginLog) -> Bool) async throws {
        try await state.wait(until: isMet)
    }

    /// Returns once that many requests have arrived.
    package func waitForRequests(_ count: Int) async throws {
        try await wait { $0.requests.count >= count }
    }
}
