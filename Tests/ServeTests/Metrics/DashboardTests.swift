import Foundation
import Metrics
import Testing

@testable import Fleet
@testable import Serve
@testable import WorkQueue

/// Every metric that the alerts and the dashboard use exists.
@Suite(.timeLimit(.minutes(1))) struct DashboardTests {
    private static let config = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../config").standardized

    /// Added by Prometheus, or by a histogram's buckets.
    private static let given: Set<Substring> = ["instance", "job", "le"]

    private static func read(_ name: String) throws -> String {
        try String(contentsOf: config.appending(path: name), encoding: .utf8)
    }

    /// The PromQL expressions in the files that operators use.
    private static func expressions() throws -> [String] {
        // Blocks of YAML end with the next key.
        let alerts = try read("alerts.yml").matches(of: /expr:(?s)(.*?)\n +(?:for|labels):/)
            .map { String($0.1) }
        let dashboard = try JSONSerialization.jsonObject(
            with: Data(read("grafana-dashboard.json").utf8))
        let panels = (dashboard as? [String: Any])?["panels"] as? [[String: Any]] ?? []
        let targets = panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }
        return alerts + targets.compactMap { $0["expr"] as? String }
    }

    /// Labels of all series, by the name of the metric.
    private static func labels(of lines: [String]) -> [Substring: Set<Substring>] {
        lines.filter { !$0.hasPrefix("#") }.reduce(into: [:]) { found, line in
            let name = line.prefix { $0 != "{" && $0 != " " }
            found[name, default: []].formUnion(line.matches(of: /([a-z]+)="/).map(\.1))
        }
    }

    /// What a node of a fleet adds.
    private static func fleetLines() -> [String] {
        let registry = MetricRegistry()
        let worker = WorkerMetrics(registry)
        worker.count(.done)
        worker.count(done: 1, failed: 1)
        var text = registry.text
        FleetMetrics(
            isReached: true, backlog: Backlog(), nodes: [], purges: (3, 1, 1), worker: (1, 2)
        ).write(to: &text)
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `every metric and label of the alerts and the dashboard is served`() async throws {
        let served = Self.labels(
            of: try await ServedMetrics.lines(sharing: true) + Self.fleetLines())
        let expressions = try Self.expressions()
        #expect(expressions.count > 30)
        for expression in expressions {
            var known = Self.given
            for selector in expression.matches(
                of: /((?:vitrine|process)_[a-z_]+)(?:\{([^}]*)\})?/)
            {
                let labels = try #require(served[selector.1], "\(selector.1) in \(expression)")
                let wanted = (selector.2 ?? "").matches(of: /([a-z]+)[=!]/).map(\.1)
                #expect(labels.union(Self.given).isSuperset(of: wanted), "\(expression)")
                known.formUnion(labels)
            }
            for group in expression.matches(of: /by \(([^)]*)\)/) {
                let names = group.1.matches(of: /[a-z]+/).map(\.0)
                #expect(known.isSuperset(of: names), "\(expression)")
            }
        }
    }

    @Test func `every metric is in an alert, on the dashboard or in the docs`() async throws {
        let docs = try FileManager.default.contentsOfDirectory(
            atPath: Self.config.appending(path: "../docs").path
        ).filter { $0.hasSuffix(".md") }
        let texts = try (["alerts.yml", "grafana-dashboard.json"] + docs.map { "../docs/\($0)" })
            .map(Self.read).joined()
        let lines = try await ServedMetrics.lines(sharing: true) + Self.fleetLines()
        let names = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        #expect(names.count > 50)
        #expect(names.filter { !texts.contains($0) } == [])
    }

    @Test func `every alert has a name of its own`() throws {
        let names = try Self.read("alerts.yml").matches(of: /- alert: (.*)/).map(\.1)
        #expect(names.count > 10)
        #expect(Set(names).count == names.count)
    }

    @Test func `each alert names its section of the runbook, which has one besides`() throws {
        let alerts = try Self.read("alerts.yml").components(separatedBy: "- alert: ").dropFirst()
        let names = alerts.map { String($0.prefix { $0 != "\n" }) }
        for (name, alert) in zip(names, alerts) {
            let address =
                #"runbook_url: '{{ query "vitrine:runbook" | first | label "url" }}#"#
                + "\(name.lowercased())'\n"
            #expect(alert.contains(address), "\(name)")
        }
        let sections = try Self.read("../docs/runbook.md").matches(of: /\n## (.*)/).map {
            String($0.1)
        }
        // What comes by letter, not by an alert.
        #expect(sections == ["A picture must go"] + names)
    }

    @Test func `the scrape configuration uses the metrics path and loads the alerts`() throws {
        let scrape = try Self.read("prometheus.yml")
        #expect(scrape.contains("metrics_path: /metrics\n"))
        #expect(scrape.contains("- alerts.yml\n"))
        let jobs = try Self.expressions().flatMap { $0.matches(of: /job="([a-z-]+)"/).map(\.1) }
        #expect(!jobs.isEmpty && jobs.allSatisfy { scrape.contains("job_name: \($0)\n") })
    }
}
