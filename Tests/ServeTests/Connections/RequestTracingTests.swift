import Foundation
import Logging
import Pipeline
import PipelineSupport
import Serve
import Synchronization
import TestSupport
import Testing

@testable import Traces

/// Traces of requests at a running server.
@Suite(.timeLimit(.minutes(1))) struct RequestTracingTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    private static func field(_ flags: String = "01") -> String {
        "traceparent: 00-\(trace)-\(parent)-\(flags)\r\ntracestate: shop=1\r\n"
    }

    /// What a tracer handed over.
    private final class Spans: Sendable {
        private let list = Mutex<[SpanRecord]>([])

        var all: [SpanRecord] { list.withLock { $0 } }
        var names: [String] { all.map(\.name) }

        func tracer(share: Double = 1, tellsOrigins: Bool = false) -> Tracer {
            Tracer(Sampler(share: share, followsParent: true), tellsOrigins: tellsOrigins) {
                [self] span in
                list.withLock { $0.append(span) }
                stateChanged()
            }
        }

        func first(_ name: String) throws -> SpanRecord {
            try #require(all.first { $0.name == name })
        }

        /// Checks the spans against OpenTelemetry's schema. Their parents are here, or clients'.
        func check(clients: Set<String> = [RequestTracingTests.parent]) throws {
            let bytes = SpanMessage(all, of: ["service.name": "test"], version: "1").bytes
            let state = SpanCollector.check(bytes)
            #expect(state.problems.isEmpty, "\(state.problems)")
            #expect(state.orphans(besides: clients).isEmpty)
        }
    }

    /// Serves show 1 with one picture.
    private func with(
        _ spans: Spans, share: Double = 1, tellsOrigins: Bool = false,
        logger: Logger = Harness.silentLogger,
        _ body: (Harness, RunningServer) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            harness.servePicture()
            try await RunningServer.with(
                harness.pipeline,
                { $0.tracer = spans.tracer(share: share, tellsOrigins: tellsOrigins) },
                logger: logger
            ) { server in
                try await body(harness, server)
                await harness.pipeline.pictures.settled()
            }
        }
    }

    /// A path that only a responder understands, as if the picture was not known.
    private static let unusual = "/t/s/tvmaze/%73how/1"

    private func get(
        _ server: RunningServer, _ fields: String = "", path: String = "/t/s/tvmaze/show/1"
    ) async throws -> RawAnswer {
        let connection = try await server.connect()
        try await connection.send(request(path, fields))
        return try #require(await connection.answers(1).first)
    }

    @Test func `a miss has a span for each stage, below its client's`() async throws {
        let spans = Spans()
        try await with(spans) { harness, server in
            let answer = try await get(server, Self.field())
            let timing = try #require(answer.fields["server-timing"])
            // A picture is sent before its smaller levels are made.
            await harness.pipeline.pictures.settled()
            for stage in timing.split(separator: ", ").map({ $0.prefix { $0 != ";" } }) {
                #expect(spans.names.contains(String(stage)))
            }
        }
        #expect(
            Set(spans.names) == ["catalog", "fetch", "queue", "render", "store", "GET /t/"])
        #expect(spans.all.count == 6)
        let root = try spans.first("GET /t/")
        #expect(root.parent == 0x00f0_67aa_0ba9_02b7 && root.kind == .server)
        #expect(root.error == nil)
        #expect(root.attributes["http.request.method"] == "GET")
        #expect(root.attributes["http.route"] == "/t/")
        #expect(root.attributes["url.path"] == "/t/s/tvmaze/show/1")
        #expect(root.attributes["url.scheme"] == "http")
        #expect(root.attributes["http.response.status_code"] == 200)
        #expect(root.attributes["vitrine.cache"] == "miss")
        for span in spans.all {
            #expect(span.context.traceID == Self.trace && span.context.state == "shop=1")
            if span != root { #expect(span.parent == root.context.span) }
        }
        let fetch = try spans.first("fetch")
        #expect(fetch.kind == .client)
        #expect(fetch.attributes["server.address"] == "static.tvmaze.com")
        #expect(fetch.attributes["http.response.status_code"] == 200)
        #expect(fetch.attributes["vitrine.original"] == "fetched")
        let (queue, render) = (try spans.first("queue"), try spans.first("render"))
        #expect(queue.end == render.start)
        try spans.check()
    }

    @Test func `a hit has no span, whichever responder answers it`() async throws {
        let spans = Spans()
        try await with(spans) { harness, server in
            _ = try await get(server, Self.field())
            await harness.pipeline.pictures.settled()
            let count = spans.all.count
            for path in ["/t/s/tvmaze/show/1", Self.unusual, "/healthz"] {
                let answer = try await get(server, Self.field(), path: path)
                #expect(answer.status == 200)
            }
            #expect(spans.all.count == count)
        }
    }

    @Test func `the refresh of a stale picture is not its client's`() async throws {
        let spans = Spans()
        try await with(spans) { harness, server in
            _ = try await get(server)
            await harness.pipeline.pictures.settled()
            let count = spans.all.count
            harness.clock.advance(by: 30 * 86_400)
            let answer = try await get(server, Self.field(), path: Self.unusual)
            #expect(answer.fields["cache-status"] == "vitrine; fwd=stale")
            try await harness.origin.wait { $0.count("/original/1.jpg") == 2 }
            await eventually { harness.pipeline.pictures.waiting(for: harness.item(1)) == 0 }
            #expect(spans.all.count == count)
        }
    }

    @Test func `a coalesced miss has a wait with a link to the request that it waited for`()
        async throws
    {
        let spans = Spans()
        try await with(spans) { harness, server in
            let gate = Gate()
            harness.origin.on(
                "/original/1.jpg",
                .ok(FixtureImages.jpeg(width: 68, height: 100), type: "image/jpeg").delayed(
                    until: gate))
            let (first, second) = (try await server.connect(), try await server.connect())
            try await first.send(request("/t/s/tvmaze/show/1"))
            try await harness.origin.wait { $0.count("/original/1.jpg") == 1 }
            try await second.send(request("/t/s/tvmaze/show/1", Self.field()))
            await eventually { harness.pipeline.pictures.waiting(for: harness.item(1)) == 2 }
            gate.open()
            #expect(await first.answers(1).first?.status == 200)
            let answer = try #require(await second.answers(1).first)
            #expect(answer.fields["cache-status"] == "vitrine; fwd=miss; collapsed")
        }
        let wait = try spans.first("wait")
        let roots = spans.all.filter { $0.kind == .server }
        let joined = try #require(roots.first { $0.context.traceID == Self.trace })
        let leader = try #require(roots.first { $0.context.traceID != Self.trace })
        #expect(roots.count == 2)
        #expect(wait.parent == joined.context.span)
        #expect(wait.links == [leader.context])
        #expect(joined.attributes["vitrine.cache"] == "collapsed")
        for name in ["fetch", "queue", "render", "store"] {
            let span = try spans.first(name)
            #expect(span.parent == leader.context.span)
        }
        #expect(spans.all.count == 8)
        try spans.check()
    }

    @Test func `a failed origin is an error with its status`() async throws {
        let spans = Spans()
        try await with(spans) { harness, server in
            harness.origin.on("/original/1.jpg", .status(503))
            let answer = try await get(server, Self.field())
            #expect(answer.status == 502)
        }
        let (root, fetch) = (try spans.first("GET /t/"), try spans.first("fetch"))
        #expect(root.error == SpanError(type: "502"))
        #expect(fetch.error?.type == "unavailable")
        #expect(fetch.attributes["http.response.status_code"] == 503)
        #expect(fetch.attributes["http.request.resend_count"] == 3)
        #expect(!spans.names.contains("render"))
        try spans.check()
    }

    @Test func `bytes of no known format are an error of the render`() async throws {
        let spans = Spans()
        try await with(spans) { harness, server in
            harness.origin.on("/original/1.jpg", .html("<p>no picture</p>"))
            let answer = try await get(server)
            #expect(answer.status == 415)
        }
        let (render, root) = (try spans.first("render"), try spans.first("GET /t/"))
        #expect(render.error?.type == "not-an-image")
        #expect(root.error == nil)
        try spans.check()
    }

    @Test func `origins get traceparent only if they are to`() async throws {
        for tellsOrigins in [false, true] {
            let spans = Spans()
            try await with(spans, tellsOrigins: tellsOrigins) { harness, server in
                _ = try await get(server, Self.field())
                let fetch = try spans.first("fetch").context.parent
                let catalog = try spans.first("catalog").context.parent
                let requests = harness.origin.log.requests
                #expect(
                    requests.map { $0.header("traceparent") }
                        == (tellsOrigins ? [catalog, fetch] : [nil, nil]))
                #expect(
                    requests.map { $0.header("tracestate") }
                        == (tellsOrigins ? ["shop=1", "shop=1"] : [nil, nil]))
            }
        }
    }

    @Test func `a request that isn't sampled has no span, and origins hear that`() async throws {
        let spans = Spans()
        try await with(spans, tellsOrigins: true) { harness, server in
            _ = try await get(server, Self.field("00"))
            let fields = harness.origin.log.requests.compactMap { $0.header("traceparent") }
            #expect(fields.count == 2)
            #expect(fields.allSatisfy { $0.hasPrefix("00-\(Self.trace)-") && $0.hasSuffix("-00") })
        }
        #expect(spans.all.isEmpty)
    }
}
