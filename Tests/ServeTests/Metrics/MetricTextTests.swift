import CoreMetrics
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct MetricTextTests {
    private func text(_ count: (any MetricsFactory) -> Void) -> [Substring] {
        let registry = MetricRegistry()
        count(registry)
        return String(decoding: MetricText.of(registry.snapshot), as: UTF8.self)
            .split(separator: "\n")
    }

    @Test func `counters with the same name and labels share one value`() {
        let lines = text { registry in
            for amount in [1, 2] {
                Counter(
                    label: "vitrine_http_requests_total",
                    dimensions: [("status", "200"), ("route", "/t/")], factory: registry
                ).increment(by: amount)
            }
            Counter(
                label: "vitrine_http_requests_total",
                dimensions: [("route", "/o/"), ("status", "404")], factory: registry
            ).increment()
        }
        #expect(
            lines == [
                "# HELP vitrine_http_requests_total "
                    + "Requests by route, status and cache result.",
                "# TYPE vitrine_http_requests_total counter",
                #"vitrine_http_requests_total{route="/o/",status="404"} 1"#,
                #"vitrine_http_requests_total{route="/t/",status="200"} 3"#,
            ])
    }

    @Test func `a timer is a cumulative histogram in seconds`() {
        let lines = text { registry in
            let timer = Timer(label: "wait_seconds", factory: registry)
            for milliseconds in [1, 30, 60_000] as [Int64] {
                timer.recordNanoseconds(milliseconds * 1_000_000)
            }
        }
        #expect(lines.first == "# TYPE wait_seconds histogram")
        #expect(lines.contains(#"wait_seconds_bucket{le="0.0005"} 0"#))
        #expect(lines.contains(#"wait_seconds_bucket{le="0.001"} 1"#))
        #expect(lines.contains(#"wait_seconds_bucket{le="0.05"} 2"#))
        #expect(lines.contains(#"wait_seconds_bucket{le="30"} 2"#))
        #expect(lines.contains(#"wait_seconds_bucket{le="+Inf"} 3"#))
        #expect(lines.contains { $0.hasPrefix("wait_seconds_sum 60.03") })
        #expect(lines.last == "wait_seconds_count 3")
    }

    @Test func `gauges increase and decrease`() {
        let lines = text { registry in
            let gauge = Gauge(label: "level", factory: registry)
            gauge.record(5)
            gauge.record(2.5)
        }
        #expect(lines == ["# TYPE level gauge", "level 2.5"])
    }

    @Test func `special characters in labels are escaped`() {
        let lines = text { registry in
            Counter(label: "odd", dimensions: [("name", "a\"b\\c\nd\r\n")], factory: registry)
                .increment()
        }
        let expected = #"odd{name="a\"b\\c\nd"# + "\r" + #"\n"} 1"#
        #expect(lines.last.map { Array($0.utf8) } == Array(expected.utf8))
    }

    @Test(arguments: [
        ("/t/m/tvmaze/show/1", "/t/"), ("/", "/"), ("/metrics", "/metrics"),
        ("/wp-login.php", "other"), ("", "/"),
    ])
    func `metrics group paths into a few routes`(path: String, route: String) {
        #expect(RequestMetrics.route(path) == route)
    }
}
