import Metrics
import Testing
import Threads

@Suite(.timeLimit(.minutes(1))) struct MetricTextTests {
    private func lines(_ registry: MetricRegistry) -> [Substring] {
        String(decoding: registry.text.bytes, as: UTF8.self).split(separator: "\n")
    }

    @Test func `series with the same labels share one value`() {
        let registry = MetricRegistry()
        let requests = registry.counters("requests_total", "Requests.", by: "route", "status")
        for amount in [1, 2] { requests["/t/", "200"].add(amount) }
        requests["/o/", "404"].add()
        #expect(
            lines(registry) == [
                "# HELP requests_total Requests.",
                "# TYPE requests_total counter",
                #"requests_total{route="/o/",status="404"} 1"#,
                #"requests_total{route="/t/",status="200"} 3"#,
            ])
    }

    @Test func `a histogram is cumulative and in seconds`() {
        let registry = MetricRegistry()
        let waits = registry.histograms("wait_seconds", "Waits.")
        for milliseconds in [1, 30, 60_000] { waits[].record(.milliseconds(milliseconds)) }
        let lines = lines(registry)
        #expect(lines.contains("# TYPE wait_seconds histogram"))
        #expect(lines.contains(#"wait_seconds_bucket{le="0.0005"} 0"#))
        #expect(lines.contains(#"wait_seconds_bucket{le="0.001"} 1"#))
        #expect(lines.contains(#"wait_seconds_bucket{le="0.05"} 2"#))
        #expect(lines.contains(#"wait_seconds_bucket{le="30"} 2"#))
        #expect(lines.contains(#"wait_seconds_bucket{le="+Inf"} 3"#))
        #expect(lines.contains { $0.hasPrefix("wait_seconds_sum 60.03") })
        #expect(lines.last == "wait_seconds_count 3")
    }

    @Test func `histograms of several threads are added`() {
        var counts = Histogram.Counts()
        for seconds in [0.002, 20] {
            let histogram = Histogram()
            histogram.record(seconds, times: 2)
            counts += histogram.counts
        }
        var text = MetricText()
        text.histograms("wait_seconds", "Waits.", by: ["lane"], [["quick"]: counts])
        let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains(#"wait_seconds_bucket{lane="quick",le="0.0025"} 2"#))
        #expect(lines.contains(#"wait_seconds_bucket{lane="quick",le="+Inf"} 4"#))
        #expect(lines.contains(#"wait_seconds_count{lane="quick"} 4"#))
    }

    @Test func `a gauge is read at each scrape, and metrics are in the order of their names`() {
        let registry = MetricRegistry()
        registry.show { $0.gauge("level", "Level.", 2.5) }
        registry.show { $0.gauge("depth", "Depth.", 7) }
        #expect(
            lines(registry) == [
                "# HELP depth Depth.", "# TYPE depth gauge", "depth 7",
                "# HELP level Level.", "# TYPE level gauge", "level 2.5",
            ])
    }

    @Test func `a metric without series is not written`() {
        let registry = MetricRegistry()
        _ = registry.counters("requests_total", "Requests.", by: "route")
        #expect(lines(registry).isEmpty)
    }

    @Test func `special characters in labels are escaped`() {
        let registry = MetricRegistry()
        registry.counters("odd", "Odd.", by: "name")["a\"b\\c\nd\r\n"].add()
        let expected = #"odd{name="a\"b\\c\nd"# + "\r" + #"\n"} 1"#
        #expect(lines(registry).last.map { Array($0.utf8) } == Array(expected.utf8))
    }
}
