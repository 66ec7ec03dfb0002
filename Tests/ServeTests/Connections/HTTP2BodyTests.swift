import Logging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Bodies of requests over HTTP/2.
@Suite(.timeLimit(.minutes(1))) struct HTTP2BodyTests {
    private static let token = "a-token-of-the-operator"
    private static let fields = [
        ("authorization", "Bearer \(token)"), ("content-type", "application/json"),
    ]
    private static let body = #"{"item": "tvmaze/show/1"}"#

    private func with(
        _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ act: (TLSSite, HTTP2Client) async throws -> Void
    ) async throws {
        try await withHarness(HitSite.harness()) { harness in
            // It doesn't come.
            harness.servePicture(2, until: Gate())
            try await TLSSite.with(
                harness.pipeline,
                {
                    $0.adminToken = AdminToken(Self.token)
                    adjust(&$0)
                }
            ) { site in try await act(site, try await site.http2()) }
        }
    }

    @Test func `bodies that are not read leave the window of their connection`() async throws {
        try await with { _, client in
            let blank = String(repeating: " ", count: 10_000)
            for _ in 0..<30 {
                let stream = try await client.ask("/admin/purge", method: "POST", ends: false)
                // The response may come before the body's end.
                try? await client.send(blank, on: stream, ends: true)
                #expect(await client.answer(stream)?.status == 401)
            }
            let last = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            try await client.send(Self.body + blank, on: last, ends: true)
            #expect(await client.answer(last)?.status == 200)
        }
    }

    @Test func `a client may send as much again as was read, and no more`() async throws {
        try await with { _, client in
            let canceled = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            try await client.send(String(repeating: " ", count: 50_000), on: canceled)
            // The window grows once half of it is read.
            await client.state { $0.window > 32_000 }
            try await client.reset(canceled)
            let unread = try await client.ask("/t/m/tvmaze/show/2", ends: false)
            try await client.send(String(repeating: " ", count: 30_000), on: unread)
            let read = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            try await client.send(Self.body, on: read, ends: true)
            #expect(await client.answer(read)?.status == 200)
            let window = try await client.ping().window
            #expect((32_000...50_100).contains(window))
        }
    }

    @Test func `a body over the limit is answered 413 while the client sends`() async throws {
        try await with { _, client in
            let stream = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            let blank = String(repeating: " ", count: 100_000)
            for _ in 0..<20 { do { try await client.send(blank, on: stream) } catch { break } }
            #expect(await client.answer(stream)?.status == 413)
            let next = try await client.ask(HitSite.path)
            #expect(await client.answer(next)?.status == 200)
        }
    }

    @Test func `fields after a body end it`() async throws {
        try await with { _, client in
            let stream = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            try await client.send(Self.body, on: stream)
            try await client.sendTrailers([("x-checksum", "1")], on: stream)
            #expect(await client.answer(stream)?.status == 200)
        }
    }

    @Test func `an HTTP/2 client that expects 100 gets it when the body is read`() async throws {
        try await with { _, client in
            let expecting =
                Self.fields + [
                    ("expect", "100-continue"), ("content-length", "\(Self.body.utf8.count)"),
                ]
            let stream = try await client.ask(
                "/admin/purge", method: "POST", fields: expecting, ends: false)
            let state = await client.state { $0.streams[stream]?.status != nil }
            #expect(state.streams[stream]?.status == 100)
            try await client.send(Self.body, on: stream, ends: true)
            #expect(await client.answer(stream)?.status == 200)
            let refused = try await client.ask(
                "/admin/purge", method: "POST", fields: Array(expecting.dropFirst()), ends: false)
            #expect(await client.answer(refused)?.status == 401)
        }
    }
}
