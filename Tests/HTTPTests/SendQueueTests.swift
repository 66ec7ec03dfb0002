import CLinux
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Responses that the kernel sends from files.
@Suite(.timeLimit(.minutes(1))) struct SendQueueTests {
    /// More than a socket buffers.
    private static let large = 8 << 20

    @Test func `requests behind a large file are answered in their order`() async throws {
        let file = try PlayedFile(count: Self.large)
        let server = PlayedServer(file)
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            let row = ["/t/a", "/b/1", "/t/a", "/b/1", "/t/a"]
            // The last one closes, so that the responses are parsed once.
            try await client.send(
                row.map { get($0) }.joined()
                    + "HEAD /b/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let answers = RawAnswer.parse(await client.receivedUntilClosed(), heads: [5])
            try #require(answers.count == 6)
            #expect(answers.map(\.status) == [200, 200, 200, 200, 200, 200])
            #expect(answers.map(\.body.count) == [7, Self.large, 7, Self.large, 7, 0])
            let areWhole = answers[1].body == file.bytes && answers[3].body == file.bytes
            #expect(areWhole)
            #expect(answers[5].fields["content-length"] == "\(Self.large)")
            #expect(answers[5].fields["accept-ranges"] == "bytes")
            #expect(file.sent == 2 * Self.large)
            #expect(server.prepared(.blob).whole.now == 3 && server.prepared().whole.now == 3)
            #expect(server.responder.heads.value.isEmpty)
        }
    }

    @Test func `a client that doesn't read keeps no other waiting, and gets the rest later`()
        async throws
    {
        let server = PlayedServer()
        let file = try PlayedFile(count: Self.large)
        server.source.serve(file, at: "/o/1")
        try await server.serving { port, _ in
            let slow = try await RawConnection.open(port: port, reads: false)
            try await slow.send(get("/o/1", "Connection: close\r\n"))
            let other = try await RawConnection.open(port: port)
            try await other.send(
                get("/o/1") + get("/t/a", "Connection: close\r\n"))
            let received = RawAnswer.parse(await other.receivedUntilClosed())
            #expect(received.map(\.body.count) == [Self.large, 7])
            #expect(file.sent < 2 * Self.large)
            try await slow.startReading()
            let answers = RawAnswer.parse(await slow.receivedUntilClosed())
            let isWhole = answers.map(\.body) == [file.bytes]
            #expect(isWhole)
        }
    }

    @Test func `a client that takes nothing from the kernel is disconnected, one that reads stays`()
        async throws
    {
        // As a stream of events: a little at the start, then nothing for long.
        let server = PlayedServer(sendLimit: 300) { _, work in
            work.begin(ResponseHead(status: 200, reason: "OK"), hasLength: false)
            // The kernel takes it all, and that of the silent client takes less.
            _ = await work.write([UInt8](repeating: 1, count: 60_000), isLast: false)
            let (never, _) = AsyncStream<Void>.makeStream()
            for await _ in never {}
        }
        try await server.serving { port, _ in
            let reader = try await RawConnection.open(port: port)
            try await reader.send(get("/x"))
            _ = await reader.received { $0.count > 60_000 }
            let silent = try await RawConnection.open(port: port, reads: false)
            try await silent.send(get("/x"))
            await eventually { server.counters.timedOut.now == 1 }
            #expect(server.counters.open.now == 1)
            withExtendedLifetime((reader, silent)) {}
        }
    }

    @Test func `what counts a body is dropped once the body is sent, or its client has gone`()
        async throws
    {
        final class Hold: Sendable {
            let count: Watched<Int>
            init(_ count: Watched<Int>) {
                self.count = count
                count.change { $0 += 1 }
            }
            deinit { count.change { $0 -= 1 } }
        }
        let holds = Watched(0)
        let server = PlayedServer { _, work in
            let body = [UInt8](repeating: 1, count: Self.large)
            var head = ResponseHead(status: 200, reason: "OK")
            head.add("Content-Length", "\(body.count)")
            work.respond(head, HeldBody(body, Hold(holds)))
        }
        try await server.serving { port, _ in
            let silent = try await RawConnection.open(port: port, reads: false)
            try await silent.send(get("/x"))
            _ = try await silent.readSome()
            let reader = try await RawConnection.open(port: port)
            try await reader.send(get("/x"))
            #expect(await reader.answers(1).first?.body.count == Self.large)
            _ = await holds.wait { $0 == 1 }
            try await silent.close()
            _ = await holds.wait { $0 == 0 }
        }
    }

    @Test func `many clients with rows of files get all of them`() async throws {
        let server = PlayedServer()
        let files = try [700_000, 1_950_000, 300_000].map { try PlayedFile(count: $0) }
        for (number, file) in files.enumerated() {
            server.source.serve(file, at: "/b/\(number)")
        }
        let row =
            (0..<9).map { get("/b/\($0 % 3)") } + [get("/t/a", "Connection: close\r\n")]
        try await server.serving { port, _ in
            try await withThrowingTaskGroup(of: [Int].self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let client = try await RawConnection.open(port: port)
                        // Half of them send everything at once.
                        if number % 2 == 0 { try await client.send(row.joined()) }
                        for one in row where number % 2 == 1 { try await client.send(one) }
                        return RawAnswer.parse(await client.receivedUntilClosed()).map(\.body.count)
                    }
                }
                let counts = files.map(\.bytes.count)
                for try await sizes in group { #expect(sizes == counts + counts + counts + [7]) }
            }
            #expect(server.responder.heads.value.isEmpty)
        }
    }

    @Test func `a client that leaves in the middle gives its connection back`() async throws {
        let file = try PlayedFile(count: Self.large)
        let server = PlayedServer(file)
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port, reads: false)
            try await client.send(get("/b/1"))
            _ = try await client.readSome()
            #expect(server.counters.open.now == 1)
            try await client.reset()
            await server.allClosed()
            #expect(file.sent < Self.large)
        }
    }

    @Test(arguments: [true, false])
    func `a file that changes under a response ends its connection`(isShorter: Bool) async throws {
        let file = try PlayedFile(count: Self.large)
        try await PlayedServer(file).serving { port, _ in
            let client = try await RawConnection.open(port: port, reads: false)
            try await client.send(get("/b/1"))
            _ = try await client.readSome()
            if isShorter { file.truncate(to: 1 << 20) } else { file.change() }
            try await client.startReading()
            let received = await client.receivedUntilClosed()
            #expect(RawAnswer.parse(received).isEmpty)
            #expect(received.count > 0 && received.count < Self.large)
            #expect(try await status(of: "/t/a", port: port) == 200)
        }
    }

    @Test func `what the disk has to read is read by another thread`() async throws {
        let file = try PlayedFile(count: 3 << 20)
        file.evict(from: 1 << 20)
        try await PlayedServer(file).serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/b/1") + get("/t/a"))
            let fetches = await file.fetches.wait { $0.count == 1 }
            #expect(fetches[0].range == 1 << 20..<2 << 20 && file.sent == 1 << 20)
            #expect(try await status(of: "/t/a", port: port) == 200)
            fetches[0].onEnd()
            let more = await file.fetches.wait { $0.count == 2 }
            #expect(more.last?.range == 2 << 20..<3 << 20)
            more.last?.onEnd()
            let answers = await client.answers(2)
            #expect(answers.map(\.body.count) == [3 << 20, 7])
            let isWhole = answers.first?.body == file.bytes
            #expect(isWhole)
        }
    }

    @Test func `a client that leaves while the disk is read harms nothing`() async throws {
        let file = try PlayedFile(count: 1 << 20)
        file.evict(from: 0)
        let server = PlayedServer(file)
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/b/1"))
            let fetches = await file.fetches.wait { $0.count == 1 }
            try await client.reset()
            fetches[0].onEnd()
            fetches[0].onEnd()
            await server.allClosed()
        }
    }

    @Test func `a thread that stops finishes its files, and closes the others at once`()
        async throws
    {
        let file = try PlayedFile(count: Self.large)
        try await PlayedServer(file).serving { port, thread in
            let idle = try await RawConnection.open(port: port)
            try await idle.send(get("/t/a"))
            _ = await idle.answers(1)
            let slow = try await RawConnection.open(port: port, reads: false)
            try await slow.send(get("/b/1") + get("/t/a"))
            _ = try await slow.readSome()
            thread.stop()
            _ = await idle.receivedUntilClosed()
            try await slow.startReading()
            let answers = RawAnswer.parse(await slow.receivedUntilClosed())
            let isWhole = answers.map(\.body) == [file.bytes]
            #expect(isWhole)
            #expect(await thread.ended() == nil)
        }
    }

    @Test func `a thread that is aborted waits for no client`() async throws {
        let server = try PlayedServer(PlayedFile(count: Self.large))
        try await server.serving { port, thread in
            let slow = try await RawConnection.open(port: port, reads: false)
            try await slow.send(get("/b/1"))
            _ = try await slow.readSome()
            thread.stop()
            thread.abort()
            #expect(await thread.ended() == nil)
        }
    }

    @Test(arguments: [
        ("bytes=0-0", "", 206, 0..<1), ("bytes=10-19", "", 206, 10..<20),
        ("bytes=990-2000", "", 206, 990..<1_000), ("bytes=990-", "", 206, 990..<1_000),
        ("bytes=-7", "", 206, 993..<1_000), ("bytes=-7000", "", 206, 0..<1_000),
        ("BYTES=1-2", "", 206, 1..<3), ("bytes=0-999999999999999", "", 206, 0..<1_000),
        ("bytes=1-2", "If-Range: \"f\"\r\n", 206, 1..<3),
        ("bytes=1-2", "If-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 206, 1..<3),
        ("bytes=1-2", "If-Range: \"g\"\r\n", 200, 0..<1_000),
        ("bytes=1-2", "If-None-Match: \"f\"\r\n", 304, 0..<0),
    ])
    func `one range is answered from the file`(
        range: String, fields: String, status: Int, part: Range<Int>
    ) async throws {
        let server = PlayedServer()
        let file = try PlayedFile(count: 1_000)
        for target in ["/b/1", "/sheet/m/1"] { server.source.serve(file, at: target) }
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/b/1", "Range: \(range)\r\n" + fields))
            let answer = await client.answers(1).first
            #expect(answer?.status == status)
            #expect(answer?.body == Array(file.bytes[part]))
            #expect(answer?.fields["content-length"] == (status == 304 ? nil : "\(part.count)"))
            let named = "bytes \(part.lowerBound)-\(part.upperBound - 1)/1000"
            #expect(answer?.fields["content-range"] == (status == 206 ? named : nil))
            // A route without ranges ignores the field.
            try await client.send(get("/sheet/m/1", "Range: \(range)\r\n"))
            #expect(await client.answers(2).last?.status == 200)
        }
    }

    @Test(arguments: [
        "bytes=0-0,2-3", "bytes=1000-", "bytes=5-4", "bytes=", "bytes=-", "bytes=-0", "items=0-1",
        "bytes=a-b", "bytes=0 - 1", "bytes=1-2\r\nRange: bytes=3-4",
        // Dates in the forms of RFC 850 and asctime, which a responder reads.
        "bytes=1-2\r\nIf-Range: Sunday, 06-Nov-94 08:49:37 GMT",
        "bytes=1-2\r\nIf-Range: Sun Nov  6 08:49:37 1994",
    ])
    func `any other range is a responder's`(range: String) async throws {
        let server = try PlayedServer(PlayedFile(count: 1_000))
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/b/1", "Range: \(range)\r\n"))
            #expect(await client.answers(1).map(\.status) == [404])
            #expect(server.responder.heads.value.count == 1)
        }
    }

    @Test func `a client is stuck if it takes next to nothing in the time`() throws {
        let file = try PlayedFile(count: 4 << 20)
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for socket in pair { close(socket) } }
        _ = fcntl(pair[0], F_SETFL, O_NONBLOCK)
        let transport = Transport(pair[0])
        let send = SendQueue(at: 0)
        send.append(
            SendQueue.FilePart(
                prepared: file.response(.blob), file: file, range: 0..<file.bytes.count))
        #expect(send.advance(transport) == .full)
        #expect(!send.isStuck(transport, at: 100, for: 100))
        #expect(send.isStuck(transport, at: 101, for: 100))
        // What it reads counts, even if the socket has no room for more yet.
        var input = [UInt8](repeating: 0, count: 64 << 10)
        #expect(read(pair[1], &input, input.count) > SendQueue.leastProgress)
        #expect(!send.isStuck(transport, at: 200, for: 100))
        #expect(!send.isStuck(transport, at: 300, for: 100))
        #expect(send.isStuck(transport, at: 301, for: 100))
    }
}
