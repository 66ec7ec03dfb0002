import Foundation
import Synchronization
import Testing

@testable import Traces

/// Spans of requests, as they are handed over.
@Suite(.timeLimit(.minutes(1))) struct RequestTraceTests {
    private final class Spans: Sendable {
        private let list = Mutex<[SpanRecord]>([])
        var all: [SpanRecord] { list.withLock { $0 } }

        func tracer(_ share: Double = 1, tellsOrigins: Bool = false) -> Tracer {
            Tracer(Sampler(share: share, followsParent: true), tellsOrigins: tellsOrigins) {
                [self] span in list.withLock { $0.append(span) }
            }
        }
    }

    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let client = TraceContext(
        parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "a=1")

    @Test func `work of a request has spans below the request's, which is below the client's`()
        async throws
    {
        let spans = Spans()
        let trace = try #require(spans.tracer().begin(client, at: now))
        await RequestTrace.during(trace) {
            await RequestTrace.working {
                let span = Span.begin()
                // Also in tasks that outlive it.
                await Task { span?.end("fetch", ["a": "b"]) }.value
            }
        }
        trace.end("GET /t/", ["http.response.status_code": 200])
        let (child, root) = (try #require(spans.all.first), try #require(spans.all.last))
        #expect(spans.all.count == 2)
        #expect(child.name == "fetch" && child.kind == .internal)
        #expect(child.parent == root.context.span && !child.hasRemoteParent)
        #expect(root.kind == .server && root.hasRemoteParent)
        #expect(root.parent == client?.span)
        #expect(root.start == 1_700_000_000_000_000_000)
        #expect(root.start <= child.start && child.start <= child.end && child.end <= root.end)
        for span in spans.all {
            #expect(span.context.trace == client?.trace && span.context.state == "a=1")
        }
    }

    @Test func `a request without work leaves nothing`() async throws {
        let spans = Spans()
        let trace = try #require(spans.tracer().begin(nil, at: now))
        await RequestTrace.during(trace) { #expect(Span.begin() == nil) }
        trace.end("GET /t/", [:])
        #expect(!trace.isKept && spans.all.isEmpty)
    }

    @Test func `a request that isn't sampled leaves nothing, and only origins hear of it`()
        async throws
    {
        let spans = Spans()
        #expect(spans.tracer(0).begin(nil, at: now) == nil)
        let trace = try #require(spans.tracer(0, tellsOrigins: true).begin(nil, at: now))
        await RequestTrace.during(trace) {
            await RequestTrace.working {
                let fields = Span.begin()?.fields ?? []
                #expect(fields.map(\.name) == ["traceparent"])
                #expect(fields.first?.value.hasSuffix("-00") == true)
                Span.begin()?.end("fetch")
            }
        }
        trace.end("GET /t/", [:])
        #expect(!trace.isKept && spans.all.isEmpty)
    }

    @Test func `origins get the span that asks them, only if they are to`() async throws {
        for tellsOrigins in [true, false] {
            let trace = try #require(
                Spans().tracer(tellsOrigins: tellsOrigins).begin(client, at: now))
            await RequestTrace.during(trace) {
                await RequestTrace.working {
                    let span = Span.begin()
                    let fields = span?.fields ?? []
                    let expected = [span?.context.parent ?? "", "a=1"]
                    #expect(
                        fields.map(\.name) == (tellsOrigins ? ["traceparent", "tracestate"] : []))
                    #expect(fields.map(\.value) == (tellsOrigins ? expected : []))
                }
            }
        }
    }

    @Test func `no span ends before it begins`() async throws {
        let spans = Spans()
        let trace = try #require(spans.tracer().begin(nil, at: now))
        await RequestTrace.during(trace) {
            await RequestTrace.working {
                let early = ContinuousClock.now - .seconds(60)
                Span.begin()?.end("late", at: early)
                Span.begin(at: early)?.end("early", at: early)
            }
        }
        #expect(spans.all.count == 2)
        for span in spans.all { #expect(span.start <= span.end) }
    }

    @Test func `OTLP's JSON has text for large numbers and digits for identifiers`() throws {
        let context = try #require(client)
        let record = SpanRecord(
            context: context, parent: 1, hasRemoteParent: true, name: "fetch", kind: .client,
            start: 1_700_000_000_000_000_001, end: 1_700_000_000_000_000_002,
            attributes: ["b": 5, "a": "x/\""],
            error: SpanError(type: "timedOut", message: "It was slow."), links: [context])
        let bytes = SpanMessage([record], of: ["service.name": "shop"], version: "1.2").bytes
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},\
                "scopeSpans":[{"scope":{"name":"vitrine","version":"1.2"},"spans":[{"attributes":[\
                {"key":"a","value":{"stringValue":"x/\\""}},{"key":"b","value":{"intValue":"5"}},\
                {"key":"error.type","value":{"stringValue":"timedOut"}}],\
                "endTimeUnixNano":"1700000000000000002","flags":769,"kind":3,"links":[{"flags":257,\
                "spanId":"00f067aa0ba902b7","traceId":"4bf92f3577b34da6a3ce929d0e0e4736","traceState":"a=1"}],\
                "name":"fetch","parentSpanId":"0000000000000001","spanId":"00f067aa0ba902b7",\
                "startTimeUnixNano":"1700000000000000001","status":{"code":2,"message":"It was slow."},\
                "traceId":"4bf92f3577b34da6a3ce929d0e0e4736","traceState":"a=1"}]}]}]}
                """)
    }
}
