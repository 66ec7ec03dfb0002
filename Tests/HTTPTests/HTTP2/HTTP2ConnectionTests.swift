import Glibc
import TestSupport
import Testing

@testable import HTTP

/// HTTP/2 over TLS, by the loop.
@Suite(.timeLimit(.minutes(1))) struct HTTP2ConnectionTests {
    @Test func `hits, files and responders answer on streams of one connection`() async throws {
        let server = PlayedServer()
        let file = try PlayedFile(count: 3 << 20)
        server.source.serve(file, at: "/b/1")
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2(window: 1 << 30)
            let streams = ["/b/1", "/t/a", "/x"].map { peer.ask($0) }
            let answers = try streams.map { try peer.answer($0) }
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
        let server = PlayedServer()
        let file = try PlayedFile(count: 1_000)
        server.source.serve(file, at: "/b/1")
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2()
            let part = peer.ask("/b/1", fields: [("range", "bytes=10-19")])
            let known = peer.ask("/t/a", fields: [("if-none-match", "\"a\"")])
            let head = peer.ask("/b/1", method: "HEAD")
            #expect(try peer.answer(part).status == 206)
            #expect(try peer.answer(part).body == Array(file.bytes[10..<20]))
            #expect(try peer.answer(known).status == 304)
            #expect(try peer.answer(head).fields["content-length"] == "1000")
            #expect(try peer.answer(head).body.isEmpty)
        }
    }

    @Test(arguments: ["/t/a", "/b/1", "/x"])
    func `a body ends with its last bytes, and a response without one with its head`(path: String)
        async throws
    {
        let server = PlayedServer()
        server.source.serve(try PlayedFile(count: 100_000), at: "/b/1")
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2(window: 1 << 30)
            let answer = try peer.answer(peer.ask(path))
            #expect(answer.isEnded && (answer.bytesOfEnd ?? 0) > 0)
            guard path != "/x" else { return }
            let head = try peer.answer(peer.ask(path, method: "HEAD"))
            #expect(head.isEnded && head.bytesOfEnd == nil)
        }
    }

    @Test func `a picture on the disk is sent once it is read`() async throws {
        let server = PlayedServer()
        let read = server.source.store("/t/disk1")
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2()
            let slow = peer.ask("/t/disk1")
            // Others don't wait for it.
            #expect(try peer.answer(peer.ask("/t/a")).status == 200)
            read.end()
            #expect(try peer.answer(slow).status == 200)
        }
        #expect(server.counters.responded.now == 0)
    }

    @Test func `a file that is not in the page cache is read first`() async throws {
        let server = PlayedServer()
        let file = try PlayedFile(count: 1 << 20)
        server.source.serve(file, at: "/b/1")
        file.evict(from: 300_000)
        let ending = Watched(false)
        async let ended: Void = {
            _ = await file.fetches.wait { !$0.isEmpty }
            ending.change { $0 = true }
            for fetch in file.fetches.value { fetch.onEnd() }
        }()
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2(window: 1 << 30)
            #expect(try peer.answer(peer.ask("/b/1")).body == file.bytes)
        }
        await ended
        #expect(ending.value)
    }

    @Test func `a file that changes resets its stream, and others continue`() async throws {
        let server = PlayedServer()
        let file = try PlayedFile(count: 1 << 20)
        server.source.serve(file, at: "/b/1")
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2()
            let stream = peer.ask("/b/1")
            try peer.run { $0.streams[stream]?.body.count == 65_535 }
            file.change()
            peer.giveWindow(1 << 20, of: stream)
            #expect(try peer.answer(stream).reset == 2)  // INTERNAL_ERROR
            #expect(try peer.answer(peer.ask("/t/a")).status == 200)
        }
    }

    @Test func `a stream gets as much as its window takes, and other streams continue`()
        async throws
    {
        let server = PlayedServer()
        let file = try PlayedFile(count: 1 << 20)
        server.source.serve(file, at: "/b/1")
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2(window: 1_000)
            let stream = peer.ask("/b/1")
            #expect(try peer.answer(peer.ask("/t/a")).status == 200)
            try peer.ping()
            #expect(peer.streams[stream]?.body.count == 1_000)
            peer.giveWindow(1 << 20, of: stream)
            #expect(try peer.answer(stream).body == file.bytes)
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
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2(window: 25_000)
            let stream = peer.ask("/x")
            try peer.run { $0.streams[stream]?.body.count == 25_000 }
            try peer.ping()
            #expect(written.value == 2)
            peer.giveWindow(1 << 20, of: stream)
            let answer = try peer.answer(stream)
            #expect(answer.body == (0..<10).flatMap { [UInt8](repeating: $0, count: 10_000) })
            #expect(answer.reset == nil)
        }
    }

    @Test func `a body is read as fast as its responder wants it`() async throws {
        let server = PlayedServer { _, work in
            guard case .whole(let body) = await work.body(upTo: 1 << 20) else { return work.fail() }
            PlayedResponder.send(200, "\(body.count)", work)
        }
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2()
            let stream = peer.ask("/x", method: "POST", ends: false)
            // More than the server's window.
            peer.send([UInt8](repeating: 1, count: 300_000), on: stream, ends: true)
            #expect(try peer.answer(stream).body == Array("300000".utf8))
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
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2()
            let leaving = peer.ask("/1")
            let staying = peer.ask("/2")
            try peer.ping()
            peer.reset(leaving)
            try peer.ping()
            gate.open()
            #expect(try peer.answer(staying).body == Array("late".utf8))
            #expect(peer.streams[leaving]?.status == nil)
        }
        #expect(await ended.wait { $0.count == 2 }.contains(true))
    }

    @Test func `a client that leaves ends its requests`() async throws {
        let canceled = Watched(0)
        let server = PlayedServer { _, _ in
            let (never, _) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            canceled.change { $0 += 1 }
        }
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2()
            for _ in 0..<5 { _ = peer.ask("/x") }
            try peer.ping()
            peer.tls.socket.reset()
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
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2()
            let first = peer.ask("/1")
            #expect(try peer.answer(peer.ask("/2")).status == 503)
            gate.open()
            #expect(try peer.answer(first).status == 200)
        }
    }

    @Test func `a head that is too large is refused on its stream`() async throws {
        let server = PlayedServer()
        try await EncryptedServer.with(server) { site in
            let peer = try site.http2()
            let long = peer.ask("/t/a", fields: [("x-long", String(repeating: "a", count: 5_000))])
            #expect(try peer.answer(long).status == 400)
            #expect(try peer.answer(peer.ask("/t/a")).status == 200)
        }
        #expect(server.responder.refusals.value == [.headTooLarge(limit: 4_096)])
    }

    @Test func `a thread that stops says GOAWAY and finishes its streams`() async throws {
        let server = PlayedServer()
        let file = try PlayedFile(count: 1 << 20)
        server.source.serve(file, at: "/b/1")
        let files = try TLSSite.Files()
        try await server.serving(try files.identity(TicketKeys())) { port, thread in
            try await blocking {
                let peer = try HTTP2Peer(port: port, TLSPeer.Offer(files.authority.file))
                let stream = peer.ask("/b/1")
                try peer.run { $0.streams[stream]?.body.count == 65_535 }
                thread.stop()
                try peer.run { $0.farewells.count == 2 }
                #expect(peer.farewells == [0, 0])
                peer.giveWindow(1 << 20, of: stream)
                #expect(try peer.answer(stream).body == file.bytes)
                try peer.run { $0.isClosed }
                #expect(peer.tls.isFinished)
            }
            _ = await thread.ended()
        }
    }
}
