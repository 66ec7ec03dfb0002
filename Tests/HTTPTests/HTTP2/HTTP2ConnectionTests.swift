import Glibc
import TestSupport
import Testing

@testable import HTTP

/// HTTP/2 over TLS, by the loop.
@Suite(.timeLimit(.minutes(1))) struct HTTP2ConnectionTests {
    private func answer(
        _ path: String, method: String = "GET", _ peer: HTTP2Client
    ) async throws -> HTTP2Client.Stream? {
        await peer.answer(try await peer.ask(path, method: method))
    }

    @Test func `hits, files and responders answer on streams of one connection`() async throws {
        let file = try PlayedFile(count: 3 << 20)
        let server = PlayedServer(file)
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2(window: 1 << 30)
            var streams: [Int] = []
            for path in ["/b/1", "/t/a", "/x"] { streams.append(try await peer.ask(path)) }
            var answers: [HTTP2Client.Stream] = []
            for stream in streams { answers.append(try #require(await peer.answer(stream))) }
            #expect(answers.map(\.status) == [200, 200, 404])
            #expect(answers[0].body == file.bytes)
            #expect(answers[1].body == Array("picture".utf8))
            #expect(answers[1].fields["etag"] == "\"a\"")
            #expect(answers[2].body == Array("/x".utf8))
            #expect(answers.allSatisfy { $0.fields["connection"] == nil })
        }
        let head = server.responder.heads.value.first
        #expect(head == "GET /x HTTP/1.1\r\nhost: localhost\r\n\r\n")
        #expect(file.sent == file.bytes.count)
    }

    @Test func `a range of a file is sent with 206, and a known picture with 304`() async throws {
        let file = try PlayedFile(count: 1_000)
        try await EncryptedServer.with(PlayedServer(file)) { site, _ in
            let peer = try await site.http2()
            let part = try await peer.ask("/b/1", fields: [("range", "bytes=10-19")])
            let known = try await peer.ask("/t/a", fields: [("if-none-match", "\"a\"")])
            let head = try await peer.ask("/b/1", method: "HEAD")
            #expect(await peer.answer(part)?.status == 206)
            #expect(await peer.answer(part)?.body == Array(file.bytes[10..<20]))
            #expect(await peer.answer(known)?.status == 304)
            #expect(await peer.answer(head)?.fields["content-length"] == "1000")
            #expect(await peer.answer(head)?.body == [])
        }
    }

    @Test(arguments: ["/t/a", "/b/1", "/x"])
    func `a body ends with its last bytes, and a response without one with its head`(path: String)
        async throws
    {
        let server = try PlayedServer(PlayedFile(count: 100_000))
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2(window: 1 << 30)
            let answer = try #require(await self.answer(path, peer))
            #expect(answer.isEnded && (answer.bytesOfEnd ?? 0) > 0)
            guard path != "/x" else { return }
            let head = try #require(await self.answer(path, method: "HEAD", peer))
            #expect(head.isEnded && head.bytesOfEnd == nil)
        }
    }

    @Test func `a picture on the disk is sent once it is read`() async throws {
        let server = PlayedServer()
        let read = server.source.store("/t/disk1")
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            let slow = try await peer.ask("/t/disk1")
            // Others don't wait for it.
            #expect(try await answer("/t/a", peer)?.status == 200)
            // It starts when what came with it is sent.
            _ = await read.isStarted.wait { $0 }
            read.end()
            #expect(await peer.answer(slow)?.status == 200)
        }
        #expect(server.counters.responded.now == 0)
    }

    @Test func `a file that is not in the page cache is read first`() async throws {
        let file = try PlayedFile(count: 1 << 20)
        file.evict(from: 300_000)
        try await EncryptedServer.with(PlayedServer(file)) { site, _ in
            let peer = try await site.http2(window: 1 << 30)
            let stream = try await peer.ask("/b/1")
            for fetch in await file.fetches.wait({ !$0.isEmpty }) { fetch.onEnd() }
            #expect(await peer.answer(stream)?.body == file.bytes)
        }
    }

    @Test func `a file that changes resets its stream, and others continue`() async throws {
        let file = try PlayedFile(count: 1 << 20)
        try await EncryptedServer.with(PlayedServer(file)) { site, _ in
            let peer = try await site.http2()
            let stream = try await peer.ask("/b/1")
            await peer.state { $0.streams[stream]?.bytes == 65_535 }
            file.change()
            try await peer.giveWindow(1 << 20, of: stream)
            #expect(await peer.answer(stream)?.reset == 2)  // INTERNAL_ERROR
            #expect(try await answer("/t/a", peer)?.status == 200)
        }
    }

    @Test func `a stream gets as much as its window takes, and other streams continue`()
        async throws
    {
        let file = try PlayedFile(count: 1 << 20)
        try await EncryptedServer.with(PlayedServer(file)) { site, _ in
            let peer = try await site.http2(window: 1_000)
            let stream = try await peer.ask("/b/1")
            #expect(try await answer("/t/a", peer)?.status == 200)
            #expect(try await peer.ping().streams[stream]?.bytes == 1_000)
            try await peer.giveWindow(1 << 20, of: stream)
            #expect(await peer.answer(stream)?.body == file.bytes)
        }
    }

    @Test func `a responder's pieces wait for the window`() async throws {
        let written = Watched(0)
        let server = PlayedServer { _, work in
            work.begin(ResponseHead(status: 200, reason: "OK"), hasLength: false)
            for index in 0..<10 {
                let piece = [UInt8](repeating: UInt8(index), count: 10_000)
                guard await work.write(piece, isLast: index == 9) else { return }
                written.change { $0 += 1 }
            }
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2(window: 25_000)
            let stream = try await peer.ask("/x")
            await peer.state { $0.streams[stream]?.bytes == 25_000 }
            _ = try await peer.ping()
            #expect(written.value == 2)
            try await peer.giveWindow(1 << 20, of: stream)
            let answer = try #require(await peer.answer(stream))
            #expect(answer.body == (0..<10).flatMap { [UInt8](repeating: $0, count: 10_000) })
            #expect(answer.reset == nil)
        }
    }

    @Test func `a body is read as fast as its responder wants it`() async throws {
        let server = PlayedServer { _, work in
            guard case .whole(let body) = await work.body(upTo: 1 << 20) else { return work.fail() }
            PlayedResponder.send(200, "\(body.count)", work)
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            let stream = try await peer.ask("/x", method: "POST", ends: false)
            // More than the server's window.
            try await peer.send(String(repeating: "a", count: 300_000), on: stream, ends: true)
            #expect(await peer.answer(stream)?.body == Array("300000".utf8))
        }
    }

    @Test func `resetting a stream cancels its request only`() async throws {
        let ended = Watched<[Bool]>([])
        let gate = Gate()
        let server = PlayedServer { request, work in
            await gate.wait()
            ended.change { $0.append(Task.isCancelled) }
            PlayedResponder.send(200, "late", work)
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            let leaving = try await peer.ask("/1")
            let staying = try await peer.ask("/2")
            _ = try await peer.ping()
            try await peer.reset(leaving)
            let state = try await peer.ping()
            gate.open()
            #expect(await peer.answer(staying)?.body == Array("late".utf8))
            #expect(state.streams[leaving]?.status == nil)
        }
        #expect(await ended.wait { $0.count == 2 }.contains(true))
    }

    @Test
    func `work is canceled if its client has the stream reset, and gives its place back once`()
        async throws
    {
        let (started, canceled) = (Watched(0), Watched(0))
        let gate = Gate()
        let server = PlayedServer(places: 3) { request, work in
            started.change { $0 += 1 }
            if request.head.target == "/stays" {
                await gate.wait()
                return PlayedResponder.send(200, "", work)
            }
            let (never, _) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            canceled.change { $0 += 1 }
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            for number in 1...50 {
                let stream = try await peer.ask(
                    "/x", method: "POST", fields: [("content-length", "1")], ends: false)
                _ = await started.wait { $0 == number }
                try await peer.send("aa", on: stream)
                // PROTOCOL_ERROR
                #expect(await peer.answer(stream)?.reset == 1)
                _ = await canceled.wait { $0 == number }
            }
            // The last of them may still give its place back.
            var staying: [Int] = []
            while staying.count < 3 {
                let stream = try await peer.ask("/stays")
                let before = 50 + staying.count
                _ = try await peer.ping()
                let isRefused = await peer.state { _ in true }.streams[stream]?.status == 503
                if isRefused { continue }
                _ = await started.wait { $0 > before }
                staying.append(stream)
            }
            // There are three, as at the start.
            #expect(try await answer("/stays", peer)?.status == 503)
            gate.open()
            for stream in staying { #expect(await peer.answer(stream)?.status == 200) }
        }
    }

    @Test func `a file that a responder has to send is not kept open by the connection`()
        async throws
    {
        let server = PlayedServer()
        let opened = try WeakFile(server.source, at: "/b/once")
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            let parts = try await peer.ask("/b/once", fields: [("range", "bytes=0-1,3-4")])
            #expect(await peer.answer(parts)?.status == 404)
            server.source.forget("/b/once")
            await eventually { opened.file == nil }
        }
    }

    @Test func `an HTTP/2 client that takes nothing from the kernel is disconnected`() async throws
    {
        let server = PlayedServer(sendLimit: 300) { _, work in
            work.begin(ResponseHead(status: 200, reason: "OK"), hasLength: false)
            // The kernel takes it all, and the client's takes less.
            _ = await work.write([UInt8](repeating: 1, count: 60_000), isLast: false)
            let (never, _) = AsyncStream<Void>.makeStream()
            for await _ in never {}
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2(window: 1 << 20)
            try await peer.stopReading()
            try await peer.ask("/x")
            await server.allClosed()
        }
        #expect(server.counters.timedOut.now == 1)
    }

    @Test func `a client that leaves ends its requests`() async throws {
        let canceled = Watched(0)
        let server = PlayedServer { _, _ in
            let (never, _) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            canceled.change { $0 += 1 }
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            for _ in 0..<5 { try await peer.ask("/x") }
            _ = try await peer.ping()
            try await peer.reset()
        }
        _ = await canceled.wait { $0 == 5 }
        await server.allClosed()
    }

    @Test func `requests beyond the responders' places get 503 on their streams`() async throws {
        let gate = Gate()
        let server = PlayedServer(places: 1) { _, work in
            await gate.wait()
            PlayedResponder.send(200, "", work)
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            let first = try await peer.ask("/1")
            #expect(try await answer("/2", peer)?.status == 503)
            gate.open()
            #expect(await peer.answer(first)?.status == 200)
        }
    }

    @Test func `a head that is too large is refused on its stream`() async throws {
        let server = PlayedServer()
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            let field = ("x-long", String(repeating: "a", count: 5_000))
            let long = try await peer.ask("/t/a", fields: [field])
            #expect(await peer.answer(long)?.status == 400)
            #expect(try await answer("/t/a", peer)?.status == 200)
        }
        #expect(server.responder.refusals.value == [.headTooLarge(limit: 4_096)])
    }

    @Test func `a thread that stops says GOAWAY and finishes its streams`() async throws {
        let file = try PlayedFile(count: 1 << 20)
        try await EncryptedServer.with(PlayedServer(file)) { site, thread in
            let peer = try await site.http2()
            let stream = try await peer.ask("/b/1")
            await peer.state { $0.streams[stream]?.bytes == 65_535 }
            thread.stop()
            #expect(await peer.state { $0.farewells.count == 2 }.farewells == [0, 0])
            try await peer.giveWindow(1 << 20, of: stream)
            #expect(await peer.answer(stream)?.body == file.bytes)
            #expect(await peer.state { $0.isClosed }.isFinished)
            _ = await thread.ended()
        }
    }
}
