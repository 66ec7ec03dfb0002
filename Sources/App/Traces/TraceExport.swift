import Catalog
import Fetch
import Foundation
import Logging
import Metrics
import Traces

/// Sends spans to the collector that the environment names: OTLP over HTTP, in JSON.
final class TraceExport: Sendable {
    let tracer: Tracer
    let queue: SpanQueue
    private let fetcher: Fetcher

    /// Returns nil if no collector is named.
    ///
    /// - Throws: `FetchError` if the network settings can't work.
    init?(
        _ traces: TraceSettings?, _ settings: Settings, _ registry: MetricRegistry, logger: Logger
    ) throws(FetchError) {
        guard let traces else { return nil }
        var fetching = settings.endpointFetching(within: traces.timeout)
        fetching.caFile = traces.certificates ?? fetching.caFile
        let fetcher = try Fetcher(fetching)
        let queue = SpanQueue(traces.limits, SpanQueue.counters(registry), logger: logger) {
            await Self.send($0, traces, by: fetcher)
        }
        self.fetcher = fetcher
        self.queue = queue
        tracer = Tracer(traces.sampler, tellsOrigins: traces.tellsOrigins) { queue.add($0) }
    }

    /// Sends what waits once more, and stops.
    func close() async {
        await queue.close()
        await fetcher.shutdown()
    }

    /// Bytes of an answer. Collectors say in some hundred what they reject.
    private static let maxAnswer = 1 << 20

    static func send(
        _ spans: [SpanRecord], _ traces: TraceSettings, by fetch: any Fetching
    ) async -> SpanQueue.End {
        var request = FetchRequest(url: traces.url, purpose: .api, maxBytes: maxAnswer)
        request.method = .post
        request.headers =
            [(name: "Content-Type", value: "application/json")]
            + traces.headers.map { (name: $0.name, value: $0.value.reveal()) }
        request.body = SpanMessage(spans, of: traces.resource, version: Version.number).bytes
        let response: FetchResponse
        do {
            response = try await fetch.fetch(request)
        } catch {
            switch error.cause {
            case .invalidURL, .hostNotAllowed, .addressRefused, .tooManyRedirects, .tooLarge,
                .configuration:
                return .refused("\(error)")
            case .resolveFailed, .connectFailed, .resting, .held, .tlsFailed, .notTrusted,
                .timedOut, .truncated, .protocolError, .redirectRefused, .canceled, .stopped:
                return .failed("\(error)")
            }
        }
        switch response.status {
        case 200..<300: return .taken(rejected: rejected(response.body))
        // The protocol names these (docs/specification.md, "Retryable Response Codes").
        case 429, 502, 503, 504:
            return .failed(
                "It answered \(response.status).",
                pause: response.header("retry-after").flatMap { Int($0) }.flatMap {
                    $0 > 0 ? .seconds($0) : nil
                })
        default: return .refused("It answered \(response.status).")
        }
    }

    /// Returns how many spans the collector didn't take (`ExportTraceServiceResponse`).
    private static func rejected(_ body: [UInt8]) -> Int {
        // An answer that can't be read means that all are taken, because its status says so.
        let answer = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let partial = answer?["partialSuccess"] as? [String: Any]
        // 64-bit numbers are texts, and some collectors send them as numbers.
        switch partial?["rejectedSpans"] {
        case let number as Int: return number
        case let text as String: return Int(text) ?? 0
        default: return 0
        }
    }
}
