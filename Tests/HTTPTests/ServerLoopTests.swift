import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// Requests that responders answer.
@Suite(.timeLimit(.minutes(1))) struct ServerLoopTests {
    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /x HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)"
    }

    /// Answers with the body of the request.
    private static func echo(limit: Int = 1_000) -> PlayedResponder.Answer {
        { _, work in
            switch await work.body(upTo: limit) {
            case .whole(let bytes):
                PlayedResponder.send(200, String(decoding: bytes, as: UTF8.self), work)
            case .tooLong: PlayedResponder.send(413, "", work)
            case .broken: PlayedResponder.send(400, "", work)
            }
        }
    }

    @Test(arguments: [
        ("", nil), ("X-Request-Id: mine;1\r\n", "mine;1"), ("x-request-id: a b\r\n", nil),
        ("X-Request-Id: \(String(repeating: "a", count: 65))\r\n", nil),
        (
            "X-Request-Id: \(String(repeating: "a", count: 64))\r\n",
            String(repeating: "a", count: 64)
        ),
    ])
    func `hits and 304 responses carry the client's id, or one of their own`(
        field: String, id: String?
    ) async throws {
        let server = PlayedServer()
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(
                get("/t/a", field) + get("/t/a", field + "If-None-Match: \"a\"\r\n"))
            let answers = await client.answers(2)
            #expect(answers.map(\.status) == [200, 304])
            let ids = answers.compactMap { $0.fields["x-request-id"] }
            if let id {
                #expect(ids == [id, id])
            } else {
                #expect(Set(ids).count == 2)
                #expect(ids.allSatisfy { $0.count == 16 && $0.allSatisfy(\.isHexDigit) })
            }
            #expect(server.responder.heads.value.isEmpty)
        }
    }

    @Test(arguments: [
        ("Content-Length: 5\r\n", "hello"),
        ("Transfer-Encoding: chunked\r\n", "3\r\nhel\r\n2;x\r\nlo\r\n0\r\nT: u\r\n\r\n"),
    ])
    func `a body reaches its responder in any pieces, and what follows is answered`(
        field: String, body: String
    ) async throws {
        let server = PlayedServer(Self.echo())
        try await server.serving { port, _ in
            let whole = Self.post(field, body) + get("/t/a")
            let client = try await RawConnection.open(port: port)
            try await client.send(whole + whole)
            for byte in whole.utf8 { try await client.send([byte]) }
            let answers = await client.answers(6)
            #expect(answers.map(\.status) == [200, 200, 200, 200, 200, 200])
            #expect(
                answers.map { String(decoding: $0.body, as: UTF8.self) } == [
                    "hello", "picture", "hello", "picture", "hello", "picture",
                ])
        }
    }

    @Test func `a body that is too long is not read, and what follows is answered`() async throws {
        let server = PlayedServer(Self.echo(limit: 3))
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(
                Self.post("Content-Length: 9\r\n", "too long ") + get("/t/a"))
            #expect(await client.answers(2).map(\.status) == [413, 200])
        }
    }

    @Test func `a broken body ends its connection after the response`() async throws {
        let server = PlayedServer(Self.echo())
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(
                Self.post("Transfer-Encoding: chunked\r\n", "zz\r\n") + get("/t/a"))
            let answers = RawAnswer.parse(await client.receivedUntilClosed())
            #expect(answers.map(\.status) == [400])
            #expect(answers.first?.fields["connection"] == "close")
        }
    }

    @Test(arguments: [
        ("1.1", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "chunked"), ("1.0", "abcde", nil),
    ])
    func `a body without length is sent in chunks, or until the end to HTTP/1.0`(
        version: String, body: String, coding: String?
    ) async throws {
        let server = PlayedServer { _, work in
            work.begin(ResponseHead(status: 200, reason: "OK"), hasLength: false)
            _ = await work.write(Array("abc".utf8), isLast: false)
            _ = await work.write(Array("de".utf8), isLast: true)
        }
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send("GET /x HTTP/\(version)\r\nHost: a\r\nConnection: close\r\n\r\n")
            let received = String(decoding: await client.receivedUntilClosed(), as: UTF8.self)
            let answer = RawAnswer.parse(Array(received.utf8)).first
            #expect(received.hasSuffix("\r\n\r\n\(body)"))
            #expect(answer?.fields["transfer-encoding"] == coding)
        }
    }

    @Test
    func `a piece waits for a client that doesn't read, and fails once it leaves`()
        async throws
    {
        let written = Watched<[Bool]>([])
        let server = PlayedServer { _, work in
            work.begin(ResponseHead(status: 200, reason: "OK"), hasLength: false)
            while true {
                let isTaken = await work.write(
                    [UInt8](repeating: 0, count: 1 << 20), isLast: false)
                written.change { $0.append(isTaken) }
                if !isTaken { return }
            }
        }
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port, reads: false)
            try await client.send(get("/x"))
            _ = try await client.readSome()
            // More than any socket buffers would have been written otherwise.
            #expect(try await status(of: "/t/a", port: port) == 200)
            #expect(written.value.count < 16)
            try await client.reset()
            _ = await written.wait { $0.last == false }
        }
    }

    @Test func `a client that leaves ends the wait for it`() async throws {
        let (isWaiting, isCanceled) = (Watched(false), Watched(false))
        let server = PlayedServer { _, _ in
            let (never, _) = AsyncStream<Void>.makeStream()
            isWaiting.change { $0 = true }
            for await _ in never {}
            isCanceled.change { $0 = true }
        }
        try await server.serving { port, _ in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/x"))
            _ = await isWaiting.wait { $0 }
            try await client.finish()
            _ = await isCanceled.wait { $0 }
        }
    }

    @Test func `a late response is not sent to a later client with the same socket`() async throws {
        let work = Watched<RequestWork?>(nil)
        let gate = Gate()
        let server = PlayedServer { request, given in
            guard request.head.target.contains("/late") else {
                return PlayedResponder.send(404, "", given)
            }
            work.change { $0 = given }
            await gate.wait()
        }
        try await server.serving { port, _ in
            let first = try await RawConnection.open(port: port)
            try await first.send(get("/late"))
            let late = try #require(await work.wait { $0 != nil })
            try await first.reset()
            await server.allClosed()
            let second = try await RawConnection.open(port: port)
            try await second.send(get("/t/a"))
            #expect(await second.answers(1).map(\.status) == [200])
            PlayedResponder.send(500, "late", late)
            #expect(await late.write([1], isLast: true) == false)
            guard case .broken = await late.body(upTo: 9) else {
                Issue.record("a body of nothing")
                return
            }
            try await second.send(get("/x"))
            #expect(await second.answers(2).map(\.status) == [200, 404])
            gate.open()
        }
    }

    @Test
    func `requests beyond the responders' places get 503, and their connections stay`()
        async throws
    {
        let gate = Gate()
        let server = PlayedServer(places: 1) { _, work in
            await gate.wait()
            PlayedResponder.send(200, "", work)
        }
        try await server.serving { port, _ in
            let first = try await RawConnection.open(port: port)
            try await first.send(get("/x"))
            _ = await server.responder.heads.wait { $0.count == 1 }
            let second = try await RawConnection.open(port: port)
            try await second.send(String(repeating: get("/x") + get("/t/a"), count: 2))
            #expect(await second.answers(4).map(\.status) == [503, 200, 503, 200])
            #expect(server.responder.refusals.value == [.overloaded, .overloaded])
            gate.open()
            #expect(await first.answers(1).map(\.status) == [200])
        }
    }

    @Test func `a thread that stops finishes what responders answer`() async throws {
        let gate = Gate()
        let server = PlayedServer { _, work in
            await gate.wait()
            PlayedResponder.send(200, "", work)
        }
        try await server.serving { port, thread in
            let client = try await RawConnection.open(port: port)
            try await client.send(get("/x"))
            _ = await server.responder.heads.wait { $0.count == 1 }
            thread.stop()
            await thread.stoppedAccepting()
            #expect(server.counters.open.now == 1)
            gate.open()
            let answers = RawAnswer.parse(await client.receivedUntilClosed())
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.fields["connection"] == "close")
            #expect(await thread.ended() == nil)
        }
    }
}
