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
    private let listener: OriginListener

    package static func start(_ security: Security = .plain) async throws -> OriginServer {
        let state = OriginState()
        let tls: TLSServer?
        switch security {
        case .plain: tls = nil
        case .tls(let authority, let names, let http2):
            tls = try TLSServer(authority, names: names, http2: http2)
        }
        let reserved = try LoopbackPort()
        let listener = try OriginListener(reserved, tls, state)
        return OriginServer(listener, reserved, state, isSecure: tls != nil)
    }

    private init(
        _ listener: OriginListener, _ reserved: LoopbackPort, _ state: OriginState, isSecure: Bool
    ) {
        self.listener = listener
        self.reserved = reserved
        self.state = state
        scheme = isSecure ? "https" : "http"
    }

    deinit {
        listener.close()
        state.closeAll()
    }

    /// Stops listening and closes every connection. Idempotent.
    package func stop() async {
        listener.close()
        state.closeAll()
        await listener.closed.wait()
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

    /// Responds to a path by a function, which runs on the connection's thread.
    package func on(_ path: String, host: String? = nil, answer: @escaping Answer) {
        state.add(host: host, path: path, answer: answer)
    }

    package var log: OriginLog { state.log.value }

    /// Returns once the log matches; throws when the task is canceled.
    package func wait(until isMet: @escaping @Sendable (OriginLog) -> Bool) async throws {
        _ = await state.log.wait(isMet)
        try Task.checkCancellation()
    }

    /// Returns once that many requests have arrived.
    package func waitForRequests(_ count: Int) async throws {
        try await wait { $0.requests.count >= count }
    }
}
