/// An HTTP/2 client that sends the frames a test asks for. It doesn't enlarge windows by itself,
/// and keeps what it receives.
package final class HTTP2Client: Sendable {
    package typealias Stream = HTTP2Received.Stream
    package typealias State = HTTP2Received

    private let remote: ConnectionLoop.Remote
    private let received: Watched<State>

    /// - Parameter window: the initial window of each stream. The connection's window is unlimited.
    package static func open(
        port: Int, tls: TLSOffer, window: Int = 65_535
    ) async throws -> HTTP2Client {
        let received = Watched(State())
        let remote = try await ConnectionLoop.connect(to: port, room: 16_384, tls) { loop in
            Collector(loop, received, window: window)
        }
        return HTTP2Client(remote, received)
    }

    private init(_ remote: ConnectionLoop.Remote, _ received: Watched<State>) {
        self.remote = remote
        self.received = received
    }

    deinit { remote.run { $0.abort() } }

    /// Sends a request and returns its stream. With `ends` the request is complete.
    @discardableResult
    package func ask(
        _ path: String, method: String = "GET", authority: String = "localhost",
        fields: [(String, String)] = [], ends: Bool = true
    ) async throws -> Int {
        try await submit {
            $0.ask(path, method: method, authority: authority, fields: fields, ends: ends)
        }
    }

    /// Sends a part of the body of an incomplete request. With `ends` it is the last one.
    package func send(_ text: String, on stream: Int, ends: Bool = false) async throws {
        try await submit { $0.send(text.utf8, on: stream, ends: ends) }
    }

    /// Ends a request with fields after its body.
    package func sendTrailers(_ fields: [(String, String)], on stream: Int) async throws {
        try await submit { $0.send([], on: stream, ends: true, trailers: fields) }
    }

    /// Changes the size of the table for the fields of responses.
    package func setTableSize(_ bytes: Int) async throws {
        try await submit { $0.setTableSize(bytes) }
    }

    package func reset(_ stream: Int) async throws { try await submit { $0.reset(stream) } }

    /// Enlarges the window of a stream, or of the connection.
    package func giveWindow(_ bytes: Int, of stream: Int = 0) async throws {
        try await submit { $0.giveWindow(bytes, of: stream) }
    }

    /// Returns the state once the server has taken everything that was sent before.
    package func ping() async throws -> State {
        let seen = received.value.pongs
        try await submit { $0.ping() }
        return await state { $0.pongs > seen }
    }

    /// Returns once what was submitted is sent, as far as the server's windows take it.
    private func submit<Value: Sendable>(
        _ one: @escaping @Sendable (HTTP2ClientSession) -> Value
    ) async throws -> Value {
        let value: Value?? = await remote.sent { loop in
            (loop.user as? Collector)?.submit(one)
        }
        guard let value = value ?? nil else { throw RawConnection.Closed() }
        return value
    }

    /// Stops reading from the socket.
    package func stopReading() async throws { await remote.result { $0.reads = false } }

    /// Reads once from the socket, for a client that stopped reading.
    package func readOnce() { remote.run { $0.readOnce() } }

    package func close() async throws { await remote.result { $0.abort() } }

    /// Closes at once and drops unsent bytes, so the server gets RST.
    package func reset() async throws { await remote.result { $0.reset() } }

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

    private final class Collector: ConnectionUser {
        private let loop: ConnectionLoop
        private let state: Watched<State>
        private let session: HTTP2ClientSession

        init(_ loop: ConnectionLoop, _ state: Watched<State>, window: Int) {
            (self.loop, self.state) = (loop, state)
            session = HTTP2ClientSession(window: window, state)
            loop.send(session.output())
        }

        func submit<Value>(_ one: (HTTP2ClientSession) -> Value) -> Value {
            let value = one(session)
            loop.send(session.output())
            return value
        }

        func received(_ bytes: [UInt8]) {
            session.receive(bytes)
            loop.send(session.output())
        }

        func ended() {
            state.change { $0.isFinished = true }
            loop.close()
        }

        func closed() { state.change { $0.isClosed = true } }
    }
}
