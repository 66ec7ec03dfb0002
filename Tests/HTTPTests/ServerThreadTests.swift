import Foundation
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct ServerThreadTests {
    @Test func `a thread that can't start reports the cause`() async throws {
        let thread = try ServerThread()
        let failed = Watched<[SystemError]>([])
        try thread.start { error in
            failed.change { $0.append(error) }
        } _: { () throws(SystemError) in
            throw SystemError("epoll_create1", EMFILE)
        }
        #expect(await thread.ended() == SystemError("epoll_create1", EMFILE))
        #expect(await failed.wait { !$0.isEmpty } == [SystemError("epoll_create1", EMFILE)])
        // A later call returns the same.
        thread.stop()
        #expect(await thread.ended()?.code == EMFILE)
    }

    /// epoll doesn't watch plain files.
    @Test(arguments: [true, false])
    func `a thread whose sockets can't be watched reports the cause`(isWake: Bool) async throws {
        let directory = try TemporaryDirectory()
        let file = open(try directory.write([], to: "plain"), O_RDONLY)
        let thread = try ServerThread()
        let wake = vitrineEvent()
        let context = PlayedServer().context()
        try thread.start { _ in
        } _: { () throws(SystemError) in
            try ServerLoop(
                [ServerListener(isWake ? -1 : file)], wake: isWake ? file : wake,
                HitLookup(PlayedSource()), context)
        }
        #expect(await thread.ended()?.code == EPERM)
        close(file)
        close(wake)
    }

    @Test func `a document is repeated for the same fields, and others are a responder's`()
        async throws
    {
        let server = PlayedServer()
        let head = "GET /v1/a HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n"
        server.source.serve(
            "document", to: "GET /v1/a HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\n\r\n")
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            let known = head.replacingOccurrences(
                of: "\r\n\r\n", with: "\r\nIf-None-Match: \"d\"\r\n\r\n")
            try await client.send(head + head + known)
            let answers = await client.answers(3)
            #expect(answers.map(\.status) == [200, 200, 304])
            #expect(answers.first?.body == Array("document".utf8))
            #expect(server.source.documentHeads.value.count == 1)
            #expect(server.prepared(.catalog).whole.now == 2)
            #expect(server.prepared(.catalog).notModified.now == 1)
            let other = head.replacingOccurrences(of: "gzip", with: "gzap")
            let twice = head.replacingOccurrences(of: "Host", with: "Accept-Encoding: gzip\r\nHost")
            try await client.send(other + twice)
            #expect(await client.answers(5).suffix(2).map(\.status) == [404, 404])
            #expect(server.responder.heads.value == [other, twice])
        }
    }

    @Test(arguments: [
        ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2", "X-Real-IP: 192.0.2.3"],
        ["Via: 1.1 a\r\nUser-Agent: a", "Via: 1.1 a\r\nUser-Agent: b\r\nX-Request-Id: 1"],
        ["Forwarded: for=192.0.2.1\r\nDNT: 1", "Forwarded: for=192.0.2.2\r\nCookie: a=b"],
    ])
    func `a document is repeated whatever a proxy tells of its clients`(fields: [String])
        async throws
    {
        let server = PlayedServer()
        server.source.serve(
            "document", to: "GET /v1/a HTTP/1.1\r\nhost: a\r\nforwarded: \r\n\r\n")
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            for (count, fields) in fields.enumerated() {
                try await client.send("GET /v1/a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n")
                #expect(await client.answers(count + 1).last?.status == 200)
            }
            #expect(server.source.documentHeads.value.count == 1)
            #expect(server.responder.heads.value.isEmpty)
        }
    }

    @Test func `a full table of documents is cleared`() throws {
        let source = PlayedSource()
        source.serve("document", to: "GET / HTTP/1.1\r\n\r\n")
        let head = RequestHead(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        let offer = try #require(source.document(head))
        var table = HitTable(source, capacity: 3)
        let counts = (0..<7).map { name in
            withUnsafeBytes(of: name) { _ = table.insert($0, 0, offer) }
            return table.count
        }
        #expect(counts == [1, 2, 3, 1, 2, 3, 1])
    }

    @Test func `a hit is answered, and another request by a responder, each in its order`()
        async throws
    {
        let server = PlayedServer()
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/t/a"))
            let answers = await client.answers(1)
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.body == Array("picture".utf8))
            #expect(answers.first?.fields["cache-control"] == "max-age=7;")
            let more = ["/t/a", "/t/b", "/t/a", "/t/c"].map { get($0) }.joined()
            try await client.send(more + "rest")
            #expect(await client.answers(5).map(\.status) == [200, 200, 404, 200, 404])
            #expect(await client.answers(5).last?.body == Array("/t/c".utf8))
            #expect(server.responder.heads.value == ["/t/b", "/t/c"].map { get($0) })
            #expect(server.prepared().whole.now == 3 && server.counters.responded.now == 2)
        }
    }

    @Test func `a picture that was evicted is looked up again`() async throws {
        let server = PlayedServer()
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/t/a"))
            #expect(await client.answers(1).map(\.status) == [200])
            server.source.retire()
            try await client.send(get("/t/a"))
            #expect(await client.answers(2).map(\.status) == [200, 404])
            #expect(server.prepared().whole.now == 1)
        }
        // The thread has freed the entry and its charge.
        #expect(server.source.charged == 0)
    }

}
