import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct ServiceMetricsTests {
    @Test func `metrics cover requests, fetches, renders and the process`() async throws {
        let lines = try await ServedMetrics.lines()
        for expected in [
            #"vitrine_http_requests_total{cache="miss",route="/t/",status="200"} 1"#,
            #"vitrine_http_request_seconds_count{cache="miss",route="/t/"} 1"#,
            #"vitrine_fetch_requests_total{host="static.tvmaze.com",status="200"} 2"#,
            #"vitrine_fetch_requests_total{host="static.tvmaze.com",status="500"} 1"#,
            #"vitrine_fetch_attempts_total{host="static.tvmaze.com"} 6"#,
            #"vitrine_fetch_retries_total{host="static.tvmaze.com"} 3"#,
            #"vitrine_fetch_attempts_total{host="api.tvmaze.com"} 3"#,
            #"vitrine_fetch_breaker_state{host="api.tvmaze.com"} 0"#,
            #"vitrine_fetch_waiting{host="api.tvmaze.com"} 0"#,
            #"vitrine_render_seconds_count{format="jpeg",lane="quick"} 1"#,
            #"vitrine_render_queue_seconds_count{lane="quick"} 1"#,
            #"vitrine_thumbnails_rendered_total{by="planar",format="webp"} 2"#,
            #"vitrine_render_failures_total{reason="not-an-image"} 1"#, "vitrine_renders_total 2",
            #"vitrine_render_waiting{lane="slow"} 0"#,
            "vitrine_render_overdue 0",
            "vitrine_store_heals_total 0", #"vitrine_build_info{version="1.2"} 1"#,
            "vitrine_store_originals 1", "vitrine_memory_tier_evictions_total 0",
            "vitrine_walks_waiting 0", "vitrine_lookups_waiting 0",
        ] {
            #expect(lines.contains { $0 == expected }, "\(expected)")
        }
        for name in [
            "process_resident_memory_bytes", "process_open_fds",
            #"vitrine_store_bytes{kind="originals"}"#, #"vitrine_store_bytes{kind="thumbnails"}"#,
        ] {
            #expect(lines.contains { $0.hasPrefix(name + " ") && !$0.hasSuffix(" 0") })
        }
        let start = lines.compactMap { line in
            line.hasPrefix("process_start_time_seconds ") ? Double(line.dropFirst(27)) : nil
        }
        let now = Date().timeIntervalSince1970
        #expect(start.count == 1 && start.allSatisfy { (now - 86_400...now + 1).contains($0) })
        // Each name is written once.
        let names = lines.filter { $0.hasPrefix("# TYPE ") }
        #expect(Set(names).count == names.count, "\(names)")
    }

    @Test(arguments: [
        ("/t/m/tvmaze/show/1", "/t/"), ("/", "/"), ("/metrics", "/metrics"),
        ("/wp-login.php", "other"), ("", "/"),
    ])
    func `metrics group paths into a few routes`(path: String, route: String) {
        #expect(RequestMetrics.route(path) == route)
    }

    @Test func `a miss has Server-Timing, a hit does not`() async throws {
        try await withHarness { harness in
            harness.servePicture()
            let target = "/t/s/tvmaze/show/1"
            let timing = try #require(await ask(harness, target).fields[.serverTiming])
            let parts = timing.split(separator: ", ").map { $0.split(separator: ";dur=") }
            #expect(parts.allSatisfy { $0.count == 2 && Double($0[1]) != nil }, "\(timing)")
            #expect(
                Set(parts.map { String($0[0]) }).isSuperset(of: ["catalog", "fetch", "render"]))
            #expect(await ask(harness, target).fields[.serverTiming] == nil)
        }
    }
}
