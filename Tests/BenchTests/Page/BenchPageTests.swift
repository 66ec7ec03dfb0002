import Foundation
import FoundationXML
import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct BenchPageTests {
    /// Rows that have every kind of plot.
    private var rows: [BenchRow] {
        let cpu = BenchQuantity.processorTime("ms/image")
        func render(_ level: String, threads: Int, _ rate: Double, peer: String? = nil)
            -> BenchRow
        {
            ReportSamples.row(
                ["posters", "jpeg", level, "threads=\(threads)"]
                    + (peer.map { ["peer=\($0)"] } ?? []),
                [
                    (.rate("images/s"), [rate, rate + 1, nil]), (cpu, [1_000 / rate, 9, 8]),
                ], peer: peer.map { "\($0) 1.0" })
        }
        var histogram = LatencyHistogram()
        for value in 1...20_000 { histogram.record(nanoseconds: UInt64(value) * 1_000) }
        var hits = ReportSamples.row(
            ["hits"], [(.rate("requests/s"), [9])], subject: .serve)
        hits.latency = histogram.summary
        return [
            render("all-levels", threads: 1, 80), render("all-levels", threads: 2, 150),
            render("m", threads: 1, 160), render("all-levels", threads: 1, 20, peer: "other"),
            hits,
        ]
    }

    @Test func `the page is well-formed, and links to nothing outside`() throws {
        let html = try BenchPage(ReportSamples.report(rows)).html
        let parser = XMLParser(data: Data(html.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(!html.contains("src=") && !html.contains("url("))
        #expect(!html.contains("href=\"h"))
    }

    @Test func `the JSON of the report stands in the page`() throws {
        let report = ReportSamples.report(rows)
        let html = try BenchPage(report).html
        let begin = try #require(html.range(of: "id=\"report\">"))
        let end = try #require(html.range(of: "</script>"))
        let json = Data(html[begin.upperBound..<end.lowerBound].utf8)
        #expect(try JSONDecoder().decode(BenchReport.self, from: json) == report)
    }

    @Test func `the page begins with numbers, then one chart beside others, then words`() throws {
        let html = try BenchPage(ReportSamples.report(rows)).html
        let places = try [
            "About 150 posters a second on this machine, five JPEG levels.",
            "Beside other programs", "<section id=\"thumbnails\">", "<details>",
        ].map { try #require(html.range(of: $0)).lowerBound }
        #expect(places == places.sorted())
        #expect(html.contains("<td>posters jpeg all-levels threads=1</td>"))
        #expect(html.contains(">1.00 × less CPU</span>"))
    }

    @Test func `text from outside means itself`() throws {
        let hostile = "</style><script>alert('x')</script>&\"\u{1}"
        var report = ReportSamples.report(rows)
        report.machine.processor = hostile
        report.arguments = [hostile]
        report.warnings = [hostile]
        report.notes = [hostile]
        report.settings = [BenchSetting(hostile, hostile)]
        report.machine.libraries = [BenchSetting(hostile, hostile)]
        for place in report.rows.indices {
            report.rows[place].head.id += hostile
            report.rows[place].head.note = hostile
            report.rows[place].head.peer = hostile
            report.rows[place].firstError = hostile
            report.rows[place].figures[0].quantity.unit = hostile
        }
        let html = try BenchPage(report).html
        #expect(html.components(separatedBy: "<script").count == 2)
        #expect(html.components(separatedBy: "</style>").count == 2)
        #expect(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"))
        let parser = XMLParser(data: Data(html.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
    }

    @Test(arguments: [
        (0.5, "µs", "0.500 µs"), (120, "µs/request", "120 µs/request"),
        (1_500, "µs", "1.50 ms"), (3e6, "µs", "3.00 s"),
        (250_000, "requests/s", "250,000 requests/s"),
    ])
    func `times are printed in a unit with few digits`(value: Double, unit: String, text: String) {
        #expect(BenchText.figure(value, unit) == text)
    }
}
