import Foundation
import Glibc
import TestSupport
import Testing

@testable import HitServer

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

    @Test func `a document is repeated for the same head, and another head is a responder's`()
        async throws
    {
        let server = PlayedServer()
        let head = "GET /v1/a HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n"
        server.source.serve("document", to: head)
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            let known = head.replacingOccurrences(
                of: "\r\n\r\n", with: "\r\nIf-None-Match: \"d\"\r\n\r\n")
            server.source.serve("document", to: known)
            try await client.send(head + head + known)
            let answers = await client.answers(3)
            #expect(answers.map(\.status) == [200, 200, 304])
            #expect(answers.first?.body == Array("document".utf8))
            #expect(server.prepared(.catalog).whole.now == 2)
            #expect(server.prepared(.catalog).notModified.now == 1)
            let other = head.replacingOccurrences(of: "gzip", with: "gzap")
            try await client.send(other)
            #expect(await client.answers(4).last?.status == 404)
            #expect(server.responder.heads.value == [other])
        }
    }

    @Test func `a hit is answered, and another request by a responder, each in its order`()
        async throws
    {
        let server = PlayedServer()
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(Self.request("/t/a"))
            let answers = await client.answers(1)
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.body == Array("picture".utf8))
            #expect(answers.first?.fields["cache-control"] == "max-age=7;")
            let more = ["/t/a", "/t/b", "/t/a", "/t/c"].map(Self.request).joined()
            try await client.send(more + "rest")
            #expect(await client.answers(5).map(\.status) == [200, 200, 404, 200, 404])
            #expect(await client.answers(5).last?.body == Array("/t/c".utf8))
            #expect(server.responder.heads.value == ["/t/b", "/t/c"].map(Self.request))
            #expect(server.prepared().whole.now == 3 && server.counters.responded.now == 2)
        }
    }

    @Test func `a picture that was evicted is looked up again`() async throws {
        let server = PlayedServer()
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(Self.request("/t/a"))
            #expect(await client.answers(1).map(\.status) == [200])
            server.source.retire()
            try await client.send(Self.request("/t/a"))
            #expect(await client.answers(2).map(\.status) == [200, 404])
            #expect(server.prepared().whole.now == 1)
        }
        // The thread has freed the entry and its charge.
        #expect(server.source.charged == 0)
    }

    private static func request(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
    }
}
