import HTTPTypes
import NIOCore

/// Answers a request over HTTP/2 with the responder. Runs in a task of its own.
struct HTTP2Work: Sendable {
    private let stream: NIOLoopBound<HTTP2Stream>
    private let stack: HTTPStack
    private let eventLoop: any EventLoop

    /// On the event loop.
    init(_ stream: HTTP2Stream, _ stack: HTTPStack, _ eventLoop: any EventLoop) {
        self.stream = NIOLoopBound(stream, eventLoop: eventLoop)
        self.stack = stack
        self.eventLoop = eventLoop
    }

    /// Returns when the response is sent, or the stream is closed.
    func answer(_ request: Request, client: SocketAddress?) async {
        var request = request
        let declared = request.fields[.contentLength].flatMap { Int($0) } ?? 0
        request.body = { limit in
            declared > limit ? .tooLong : await read(upTo: limit)
        }
        let answer = await stack.respond(to: .init(request: request, client: client))
        let isSmall = BodyStream.isSmall(answer)
        do {
            try await eventLoop.submit { [stream] in
                stream.value.respond(answer, isSmall: isSmall)
            }.get()
            if isSmall { return }
            var isWhole = false
            try await stack.bodies.send(answer) { bytes, isLast in
                isWhole = isLast
                try await eventLoop.flatSubmit { [stream, eventLoop] in
                    stream.value.write(bytes, isLast: isLast, on: eventLoop)
                }.get()
            }
            if isWhole { return }
        } catch {
            // The client is gone, or the blob can't be read.
        }
        eventLoop.execute { [stream] in stream.value.fail() }
    }

    private func read(upTo limit: Int) async -> RequestBody {
        let body = try? await eventLoop.flatSubmit { [stream, eventLoop] in
            stream.value.read(upTo: limit, on: eventLoop)
        }.get()
        return body ?? .broken
    }
}
