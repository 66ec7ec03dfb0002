import HTTPTypes
import HitServer
import NIOCore

/// Answers a request over HTTP/2 with the responder. Runs in a task of its own.
struct HTTP2Work: Sendable {
    /// What the work calls on the event loop of its connection.
    protocol Connection: AnyObject {
        /// Returns the body of a request once it is complete. Called once.
        func read(
            _ stream: HTTP2Stream, upTo limit: Int, on eventLoop: any EventLoop
        ) -> EventLoopFuture<RequestBody>
        /// Sends the head of a response, and its body if that is in memory.
        func respond(_ answer: Response, isSmall: Bool, on stream: HTTP2Stream)
        /// Sends a piece of a body, whose predecessor is sent. Returns when the connection has taken it.
        func write(
            _ bytes: ByteBuffer, isLast: Bool, on stream: HTTP2Stream, _ eventLoop: any EventLoop
        ) -> EventLoopFuture<Void>
        /// The rest of a response can't be sent.
        func fail(_ stream: HTTP2Stream)
    }

    private let connection: NIOLoopBound<any Connection>
    private let stream: NIOLoopBound<HTTP2Stream>
    private let stack: HTTPStack
    private let eventLoop: any EventLoop

    /// On the event loop.
    init(
        _ connection: any Connection, _ stream: HTTP2Stream, _ stack: HTTPStack,
        _ eventLoop: any EventLoop
    ) {
        self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
        self.stream = NIOLoopBound(stream, eventLoop: eventLoop)
        self.stack = stack
        self.eventLoop = eventLoop
    }

    /// Returns when the response is sent, or the stream is closed.
    func answer(_ request: Request, client: String?) async {
        var request = request
        let declared = request.fields[.contentLength].flatMap { Int($0) } ?? 0
        request.body = { limit in
            declared > limit ? .tooLong : await read(upTo: limit)
        }
        let answer = await stack.respond(to: .init(request: request, client: client))
        let isSmall = BodyStream.isSmall(answer)
        do {
            try await eventLoop.submit { [connection, stream] in
                connection.value.respond(answer, isSmall: isSmall, on: stream.value)
            }.get()
            if isSmall { return }
            var isWhole = false
            try await stack.bodies.send(answer) { bytes, isLast in
                isWhole = isLast
                try await eventLoop.flatSubmit { [connection, stream, eventLoop] in
                    connection.value.write(
                        ByteBuffer(bytes: bytes), isLast: isLast, on: stream.value, eventLoop)
                }.get()
            }
            if isWhole { return }
        } catch {
            // The client is gone, or the blob can't be read.
        }
        eventLoop.execute { [connection, stream] in connection.value.fail(stream.value) }
    }

    private func read(upTo limit: Int) async -> RequestBody {
        let body = try? await eventLoop.flatSubmit { [connection, stream, eventLoop] in
            connection.value.read(stream.value, upTo: limit, on: eventLoop)
        }.get()
        return body ?? .broken
    }
}
