/// The reply of an origin, and its faults.
package struct OriginReply: Sendable {
    enum Framing: Sendable {
        case length(Int?)
        case chunked
        case untilClose
    }

    enum Ending: Sendable {
        case keepsConnection, closes, resets
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// Replaces the response.
    var raw: [UInt8]?
    var framing = Framing.length(nil)
    var ending = Ending.keepsConnection
    /// Bytes of the body that are sent; `nil` for all.
    var sent: Int?
    var gate: Gate?
    var drip: (bytes: Int, every: Duration)?
    var isSilent = false

    package init(
        _ status: Int, body: [UInt8] = [], headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.body = body
        self.headers = headers
    }
}

extension OriginReply {
    package static func ok(
        _ body: [UInt8], type: String = "application/octet-stream",
        headers: [(name: String, value: String)] = []
    ) -> OriginReply {
        OriginReply(200, body: body, headers: [("Content-Type", type)] + headers)
    }

    package static func json(_ text: String, status: Int = 200) -> OriginReply {
        OriginReply(status, body: Array(text.utf8), headers: [("Content-Type", "application/json")])
    }

    /// The error page that some origins send with a good status.
    package static func html(_ text: String, status: Int = 200) -> OriginReply {
        OriginReply(status, body: Array(text.utf8), headers: [("Content-Type", "text/html")])
    }

    package static func status(
        _ status: Int, headers: [(name: String, value: String)] = []
    ) -> OriginReply {
        OriginReply(status, headers: headers)
    }

    package static func redirect(to location: String, status: Int = 302) -> OriginReply {
        OriginReply(status, headers: [("Location", location)])
    }

    /// Sends bytes that are not HTTP, then closes.
    package static func garbage(_ bytes: [UInt8] = Array("no HTTP at all\r\n\r\n".utf8))
        -> OriginReply
    {
        var reply = OriginReply(0)
        reply.raw = bytes
        return reply
    }

    /// Closes the connection without a byte.
    package static var nothing: OriginReply { garbage([]) }

    /// Never answers.
    package static var silence: OriginReply {
        var reply = OriginReply(0)
        reply.isSilent = true
        return reply
    }
}

extension OriginReply {
    private func with(_ change: (inout OriginReply) -> Void) -> OriginReply {
        var reply = self
        change(&reply)
        return reply
    }

    /// Ends the connection after that many bytes of the body.
    package func cut(after bytes: Int) -> OriginReply {
        with {
            $0.sent = bytes
            $0.ending = .closes
        }
    }

    /// Resets the connection after that many bytes of the body.
    package func reset(after bytes: Int) -> OriginReply {
        with {
            $0.sent = bytes
            $0.ending = .resets
        }
    }

    /// Answers only once the gate is open.
    package func delayed(until gate: Gate) -> OriginReply {
        with { $0.gate = gate }
    }

    /// Sends the body in pieces.
    package func dripping(_ bytes: Int, every pause: Duration) -> OriginReply {
        with { $0.drip = (bytes, pause) }
    }

    /// Declares another length than the body's.
    package func declaring(length: Int) -> OriginReply {
        with { $0.framing = .length(length) }
    }

    package func chunked() -> OriginReply {
        with { $0.framing = .chunked }
    }

    /// Without any length: the end of the connection ends the body.
    package func untilClose() -> OriginReply {
        with {
            $0.framing = .untilClose
            $0.ending = .closes
        }
    }

    /// Answers properly and closes the connection.
    package func closing() -> OriginReply {
        with {
            $0.headers.append(("Connection", "close"))
            $0.ending = .closes
        }
    }
}
