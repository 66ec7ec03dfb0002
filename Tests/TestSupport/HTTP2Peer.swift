/// An HTTP/2 client over TLS that sends what a test asks for. It enlarges windows only when it is
/// told to, and keeps what it receives. It blocks, for at most ten seconds a call. Belongs to one
/// thread.
package final class HTTP2Peer {
    package typealias Stream = HTTP2Received.Stream

    package let tls: TLSPeer
    private let session: HTTP2ClientSession

    /// - Parameter window: the initial window of each stream. The connection's window is unlimited.
    package init(port: Int, _ offer: TLSPeer.Offer, window: Int = 65_535) throws {
        var offer = offer
        offer.applications = ["h2"]
        tls = try TLSPeer(port: port, offer)
        session = HTTP2ClientSession(window: window, keepsBodies: true)
    }

    package var streams: [Int: Stream] { session.received.streams }
    /// The codes of GOAWAY.
    package var farewells: [Int] { session.received.farewells }

    package var isClosed: Bool { session.received.isClosed }

    // MARK: Requests

    /// Submits a request and returns its stream. With `ends` the request is complete.
    package func ask(
        _ path: String, method: String = "GET", fields: [(String, String)] = [], ends: Bool = true
    ) -> Int {
        session.ask(path, method: method, authority: "localhost", fields: fields, ends: ends)
    }

    /// Submits a part of the body of an incomplete request. With `ends` it is the last one.
    package func send(_ bytes: [UInt8], on stream: Int, ends: Bool = false) {
        session.send(bytes, on: stream, ends: ends)
    }

    package func reset(_ stream: Int) { session.reset(stream) }

    /// Enlarges the window of a stream, or of the connection.
    package func giveWindow(_ bytes: Int, of stream: Int = 0) {
        session.giveWindow(bytes, of: stream)
    }

    // MARK: Bytes

    /// Sends what was submitted.
    package func flush() throws {
        let bytes = session.output()
        if !bytes.isEmpty { try tls.send(bytes) }
    }

    /// Sends what was submitted, and receives until the condition holds or the server has closed.
    package func run(until isMet: (HTTP2Peer) -> Bool) throws {
        while !session.received.isClosed {
            // A server that closes may do so before it has read everything.
            do { try flush() } catch is TLSPeer.Failure {}
            if isMet(self) { return }
            do {
                let bytes = try tls.receiveRecord()
                session.received.isClosed = bytes.isEmpty
                session.receive(bytes)
            } catch is TLSPeer.Failure {
                session.received.isClosed = true
            }
        }
    }

    /// Returns what was received on a stream once it has ended.
    package func answer(_ stream: Int) throws -> Stream {
        try run { peer in
            peer.streams[stream].map { $0.isEnded || $0.reset != nil } ?? false
        }
        return streams[stream] ?? Stream()
    }

    /// Returns once the server has taken everything that was sent before.
    package func ping() throws {
        let seen = session.received.pongs
        session.ping()
        try run { $0.session.received.pongs > seen }
    }
}
