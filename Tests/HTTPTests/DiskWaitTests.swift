import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Requests whose pictures have to be read from a disk that is slow.
@Suite(.timeLimit(.minutes(1))) struct DiskWaitTests {
    @Test func `a request that waits for the disk keeps no other connection waiting`() async throws
    {
        let server = PlayedServer()
        let read = server.source.store("/t/disk")
        try await server.serving { port, _ in
            let slow = try await RawConnection.open(port: port)
            try await slow.send(get("/t/disk"))
            _ = await read.isStarted.wait { $0 }
            #expect(try await status(of: "/t/a", port: port) == 200)
            read.end()
            let answers = await slow.answers(1)
            #expect(answers.first?.body == Array("picture".utf8))
            // As the source said when the picture was found.
            #expect(answers.first?.fields["cache-status"] == "stale")
            #expect(answers.first?.fields["age"] == "3")
            #expect(server.prepared().whole.now == 1)
            #expect(server.prepared(isStale: true).whole.now == 1)
            #expect(server.responder.heads.value.isEmpty)
        }
    }

    @Test func `pipelined responses keep their order around one that waits`() async throws {
        let server = PlayedServer()
        let reads = [server.source.store("/t/disk1"), server.source.store("/t/disk2")]
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            let targets = ["/t/a", "/t/disk1", "/t/a", "/t/disk2", "/t/a"]
            try await client.send(targets.map { get($0) }.joined())
            #expect(await client.answers(1).map { $0.fields["cache-status"] } == ["hit"])
            _ = await reads[0].isStarted.wait { $0 }
            // What arrives meanwhile comes after the others.
            try await client.send(get("/t/disk", method: "PUT") + get("/t/a"))
            reads[0].end()
            _ = await reads[1].isStarted.wait { $0 }
            reads[1].end()
            let answers = await client.answers(7)
            // The last but one needs a responder, because the disk has no such picture.
            #expect(
                answers.map { $0.fields["cache-status"] } == [
                    "hit", "stale", "hit", "stale", "hit", nil, "hit",
                ])
            #expect(server.responder.heads.value == [get("/t/disk", method: "PUT")])
        }
    }

    @Test func `a response without a body waits for no disk`() async throws {
        let server = PlayedServer()
        let read = server.source.store("/t/disk")
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/t/disk", method: "HEAD"))
            let answers = await client.answers(1, heads: [0])
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.fields["content-length"] == "7")
            try await client.send(
                "GET /t/disk HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"a\"\r\n\r\n")
            #expect(await client.answers(2, heads: [0]).map(\.status) == [200, 304])
            #expect(!read.isStarted.value)
        }
    }

    @Test func `a client that leaves while the disk is slow harms nothing`() async throws {
        let server = PlayedServer()
        let read = server.source.store("/t/disk")
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/t/disk"))
            _ = await read.isStarted.wait { $0 }
            try await client.close()
            read.end()
            read.end()
            #expect(try await status(of: "/t/a", port: port) == 200)
        }
    }

    @Test func `a thread that stops answers what waits for the disk first`() async throws {
        let server = PlayedServer()
        let read = server.source.store("/t/disk")
        try await server.serving { port, thread in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/t/disk"))
            _ = await read.isStarted.wait { $0 }
            thread.stop()
            read.end()
            let answers = RawAnswer.parse(await client.receivedUntilClosed())
            #expect(answers.map(\.status) == [200])
            #expect(await thread.ended() == nil)
        }
    }

    @Test func `requests beyond the bound go to a responder`() async throws {
        let server = PlayedServer()
        let reads = (0..<129).map { server.source.store("/t/disk\($0)") }
        try await server.serving { port, thread in
            var clients: [RawConnection] = []
            for (number, read) in reads.enumerated().dropLast() {
                let client = try await RawConnection.open(port: port)
                try await client.send(get("/t/disk\(number)"))
                _ = await read.isStarted.wait { $0 }
                clients.append(client)
            }
            let last = try await RawConnection.open(port: port)
            try await last.send(get("/t/disk128"))
            #expect(await last.answers(1).map(\.status) == [404])
            #expect(!reads[128].isStarted.value)
            for read in reads { read.end() }
            for client in clients { #expect(await client.answers(1).map(\.status) == [200]) }
        }
    }

    @Test func `a query that means nothing leads to the same entry`() async throws {
        let server = PlayedServer()
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            let targets = ["/t/a", "/t/a?x=1", "/t/a?", "/t/a?a?b"]
            for target in targets { try await client.send(get(target)) }
            #expect(await client.answers(4).map(\.status) == [200, 200, 200, 200])
            let charge = server.source.charged
            try await client.send(get("/t/a?y=2"))
            _ = await client.answers(5)
            #expect(charge > 0 && server.source.charged == charge)
            #expect(server.responder.heads.value.isEmpty)
        }
    }
}
