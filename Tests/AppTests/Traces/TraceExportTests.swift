import Fetch
import TestSupport
import Testing

@testable import App
@testable import Traces

/// Messages to a collector.
@Suite(.timeLimit(.minutes(1))) struct TraceExportTests {
    private let spans = (1...2).map { number in
        SpanRecord(
            context: TraceContext(
                trace: .init(high: 1, low: 2), span: UInt64(number), isSampled: true, state: "a=1"),
            parent: number == 1 ? nil : 1, hasRemoteParent: false, name: "fetch", kind: .client,
            start: 1, end: 2, attributes: ["http.response.status_code": 503],
            error: SpanError(type: "unavailable", message: "The origin answered 503."),
            links: [
                TraceContext(trace: .init(high: 1, low: 3), span: 9, isSampled: true, state: "")
            ])
    }

    private func send(
        to url: String, _ variables: [String: String] = [:]
    ) async throws -> SpanQueue.End {
        var configuration = FetchConfiguration()
        configuration.reach = .endpoints
        configuration.retry.attempts = 1
        configuration.connectTimeout = .seconds(600)
        configuration.totalTimeout = .seconds(600)
        let fetcher = try Fetcher(configuration)
        var problems: [ConfigurationError] = []
        let settings = TraceSettings.read(
            ["OTEL_EXPORTER_OTLP_ENDPOINT": url].merging(variables) { $1 }, &problems)
        let end = await TraceExport.send(spans, try #require(settings), by: fetcher)
        await fetcher.shutdown()
        return end
    }

    @Test func `a message is as OpenTelemetry's schema says, and has the headers`() async throws {
        let collector = try await SpanCollector.start()
        let end = try await send(
            to: collector.url,
            ["OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b", "OTEL_SERVICE_NAME": "pictures"])
        #expect(end == .taken(rejected: 0))
        let state = collector.current
        #expect(state.problems.isEmpty, "\(state.problems)")
        #expect(state.messages == 1 && state.spans.count == 2)
        #expect(state.resource["service.name"] == "pictures")
        #expect(state.spans.first?.links == ["0000000000000009"])
        #expect(collector.origin.log.requests.first?.header("x-key") == "a b")
    }

    @Test(arguments: [
        (
            OriginReply.json(#"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"x"}}"#),
            SpanQueue.End.taken(rejected: 1)
        ),
        (.json(#"{"partialSuccess":{"rejectedSpans":2}}"#), .taken(rejected: 2)),
        (.json(#"{"partialSuccess":{}}"#), .taken(rejected: 0)),
        (.json("no JSON"), .taken(rejected: 0)),
        (
            .status(429, headers: [("Retry-After", "7")]),
            .failed("It answered 429.", pause: .seconds(7))
        ),
        (.status(503), .failed("It answered 503.")),
        (.status(502), .failed("It answered 502.")),
        (.status(400), .refused("It answered 400.")),
        (.status(401), .refused("It answered 401.")),
        (.status(500), .refused("It answered 500.")),
        (.redirect(to: "/other"), .refused("It answered 302.")),
    ])
    func `the answer says what becomes of the spans`(reply: OriginReply, end: SpanQueue.End)
        async throws
    {
        let origin = try await OriginServer.start()
        origin.on("/v1/traces", reply)
        #expect(try await send(to: origin.url) == end)
        #expect(origin.log.requests.count == 1)
    }

    @Test func `a collector that is away may come back`() async throws {
        let collector = try await SpanCollector.start()
        await collector.die()
        let end = try await send(to: collector.url)
        guard case .failed(let reason, nil) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(reason.hasPrefix("No connection to 127.0.0.1"))
    }
}
