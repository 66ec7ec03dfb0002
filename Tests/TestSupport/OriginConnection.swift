/// One connection of an origin, in the protocol that was agreed.
final class OriginConnection: ConnectionUser {
    private let state: OriginState
    private let number: Int
    private let loop: ConnectionLoop
    private var requests: (any ConnectionUser)?

    init(_ state: OriginState, number: Int, _ loop: ConnectionLoop) {
        (self.state, self.number, self.loop) = (state, number, loop)
    }

    func established() {
        requests =
            loop.isHTTP2
            ? OriginSession(state, number: number, loop)
            : OriginRequests(state, number: number, loop)
    }

    func received(_ bytes: [UInt8]) { requests?.received(bytes) }

    func ended() { loop.close() }

    func closed() {
        requests?.closed()
        state.close(number)
    }
}

/// The requests of an HTTP/1.1 connection. Reads just as much of the protocol as a test client sends.
final class OriginRequests: ConnectionUser {
    private let state: OriginState
    private let number: Int
    private let loop: ConnectionLoop
    private var unread: [UInt8] = []
    private var underWay: OriginRequest?

    init(_ state: OriginState, number: Int, _ loop: ConnectionLoop) {
        (self.state, self.number, self.loop) = (state, number, loop)
    }

    func received(_ bytes: [UInt8]) {
        unread += bytes
        readRequest()
    }

    func ended() {}

    func closed() { endRequest() }

    private func readRequest() {
        guard underWay == nil, let request = parse() else { return }
        underWay = request
        state.change { $0.begin(request) }
        let reply = state.reply(to: request)
        if reply.isSilent { state.change { $0.silences.insert([request.host, request.path]) } }
        ReplyWriter(reply, to: ConnectionOutlet(self, loop, request), ended: endRequest).start()
    }

    private func endRequest() {
        guard let request = underWay else { return }
        underWay = nil
        state.change { $0.end(request) }
    }

    /// The next request once its last byte is in.
    private func parse() -> OriginRequest? {
        guard let blank = unread.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: unread[..<blank.lowerBound], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: true)
        let parts = lines.first?.split(separator: " ") ?? []
        guard parts.count == 3 else {
            loop.close()
            return nil
        }
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
        let length = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        let end = blank.upperBound + length
        guard unread.count >= end else { return nil }
        let body = Array(unread[blank.upperBound..<end])
        unread.removeFirst(end)
        return OriginRequest(
            method: String(parts[0]), authority: headers.first { $0.name == "host" }?.value ?? "",
            target: String(parts[1]), headers: headers, body: body, connection: number,
            httpVersion: "1.1")
    }

    fileprivate func answered() { readRequest() }
}

/// Writes an answer as HTTP/1.1.
private final class ConnectionOutlet: ReplyOutlet {
    private let requests: OriginRequests
    let loop: ConnectionLoop
    private let request: OriginRequest

    init(_ requests: OriginRequests, _ loop: ConnectionLoop, _ request: OriginRequest) {
        (self.requests, self.loop, self.request) = (requests, loop, request)
    }

    var isOpen: Bool { loop.isOpen }

    private func hasBody(_ reply: OriginReply) -> Bool {
        request.method != "HEAD" && reply.status != 204 && reply.status != 304
    }

    func sendRaw(_ bytes: [UInt8]) {
        loop.send(bytes)
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
        loop.send((text + "\r\n").utf8)
    }

    func sendBody(_ bytes: ArraySlice<UInt8>, of reply: OriginReply) {
        guard hasBody(reply) else { return }
        if case .chunked = reply.framing {
            loop.send(
                Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
        } else {
            loop.send(bytes)
        }
    }

    func finish(_ reply: OriginReply) {
        if case .chunked = reply.framing, hasBody(reply) { loop.send("0\r\n\r\n".utf8) }
        requests.answered()
    }

    func close() { loop.close() }

    func reset() { loop.reset() }
}
