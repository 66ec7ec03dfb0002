import Foundation
import Glibc
import TestSupport
import Testing

@testable import HitServer

@Suite(.timeLimit(.minutes(1))) struct HitThreadTests {
    @Test func `a hit thread that can't start reports the cause`() async throws {
        let thread = try HitThread()
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
    func `a hit thread whose sockets can't be watched reports the cause`(isWake: Bool) async throws
    {
        let directory = try TemporaryDirectory()
        let file = open(try directory.write([], to: "plain"), O_RDONLY)
        let thread = try HitThread()
        let wake = vitrineEvent()
        let context = PlayedServer().context()
        try thread.start { _ in
        } _: { () throws(SystemError) in
            try HitLoop(
                listener: isWake ? -1 : file, wake: isWake ? file : wake,
                HitLookup(PlayedSource()), context, takeReturned: { [] })
        }
        #expect(await thread.ended()?.code == EPERM)
        close(file)
        close(wake)
    }

    @Test func `a document is repeated for the same head, and another head is handed over`()
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
            #expect(server.counters.of(.catalog).whole.now == 2)
            #expect(server.counters.of(.catalog).notModified.now == 1)
            let other = head.replacingOccurrences(of: "gzip", with: "gzap")
            try await client.send(other)
            let handovers = await server.handovers.wait { $0.count == 1 }
            #expect(handovers.first?.inbound == Array(other.utf8))
        }
    }

    @Test func `a hit is answered, and another request is handed over with its bytes`()
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
            try await client.send(Self.request("/t/a") + Self.request("/t/b") + "rest")
            #expect(await client.answers(2).count == 2)
            let handovers = await server.handovers.wait { $0.count == 1 }
            let handover = try #require(handovers.first)
            #expect(
                String(decoding: handover.inbound, as: UTF8.self) == Self.request("/t/b") + "rest")
            #expect(handover.hasServed && !handover.ends && !handover.hasUnsent)
            #expect(server.counters.hits.now == 2)
            close(handover.socket)
        }
    }

    @Test func `a returned connection is answered starting with its unread bytes`() async throws {
        let server = PlayedServer()
        try await server.serving { port, thread in
            let client = try await RawConnection.open(port: port)
            try await client.send(Self.request("/t/b"))
            let first = await server.handovers.wait { $0.count == 1 }
            let socket = try #require(first.first).socket
            thread.adopt(
                ReturnedConnection(
                    socket: socket,
                    inbound: Array((Self.request("/t/a") + Self.request("/t/a")).utf8)))
            #expect(await client.answers(2).map(\.status) == [200, 200])
            try await client.send(Self.request("/t/a"))
            #expect(await client.answers(3).count == 3)
            // An incomplete request goes to the general server, which waits for the rest.
            thread.adopt(ReturnedConnection(socket: dup(socket), inbound: Array("GET /t".utf8)))
            let second = await server.handovers.wait { $0.count == 2 }
            let handover = try #require(second.last)
            #expect(handover.inbound == Array("GET /t".utf8))
            close(handover.socket)
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
            let handovers = await server.handovers.wait { $0.count == 1 }
            #expect(server.counters.hits.now == 1)
            for handover in handovers { close(handover.socket) }
        }
        // The thread has freed the entry and its charge.
        #expect(server.source.charged == 0)
    }

    private static func request(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
    }
}
