import Foundation
import FoundationXML
import Imaging
import Testing

@testable import App
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

    @Test(arguments: [
        ([150.0, 152], "<b>151</b> <i>2 rounds</i>"), ([150, nil], "<b>150</b> <i>1 round</i>"),
        ([150, 153, 156], "<b>153</b> <i>± 2.0 %</i>"),
    ])
    func `a number has a spread only of three rounds or more`(
        samples: [Double?], card: String
    ) throws {
        var row = rows[1]
        row.figures = [BenchFigure(.rate("images/s"), samples)]
        let html = try BenchPage(ReportSamples.report([row])).html
        #expect(html.contains(card))
        #expect(!html.contains("± 0.0 %"))
    }

    @Test func `a number of a busy machine says so`() throws {
        var row = rows[1]
        row.figures = [BenchFigure(.rate("images/s"), [150, 151, 152])]
        row.others = [0.5, 0.6, 0.7]
        let html = try BenchPage(ReportSamples.report([row])).html
        #expect(html.contains("class=\"card doubtful\""))
        #expect(html.contains("<i>± 0.7 %, busy machine</i>"))
    }

    @Test func `the page says how many rounds there were, not how many were planned`() throws {
        var store = ReportSamples.row(["a"], [(.wallTime, [1, nil, nil])], subject: .store)
        #expect(try BenchPage(ReportSamples.report([store])).html.contains(" 1 round; "))
        // Its processor time has three rounds, and its rate two.
        var pictures = rows[0]
        #expect(
            try BenchPage(ReportSamples.report([store, pictures])).html
                .contains(" 1 to 3 rounds; "))
        pictures.figures.removeLast()
        #expect(
            try BenchPage(ReportSamples.report([store, pictures])).html
                .contains(" 1 to 2 rounds; "))
        store.figures[0].samples = [1, 1, nil]
        #expect(
            try BenchPage(ReportSamples.report([store, pictures])).html.contains(" 2 rounds; "))
    }

    @Test func `two configurations stand beside each other, with what differs`() throws {
        func row(_ name: String, _ rate: Double, _ quality: Double) -> BenchRow {
            var row = ReportSamples.row(
                ["a"],
                [
                    (.rate("images/s"), [rate, rate, rate]),
                    (.quality, [quality, quality, quality]),
                ])
            row.head = row.head.with(configuration: name)
            return row
        }
        var report = ReportSamples.report([row("fast", 100, 80), row("small", 50, 82)])
        var settings = (Settings(), Settings())
        settings.1.imaging.lane = .libvips
        settings.1.cacheDirectory = "/srv/other"
        report.settings = BenchRun.settings([("fast", settings.0), ("small", settings.1)])
        let html = try BenchPage(report).html
        #expect(html.contains("<h2>fast and small</h2>"))
        #expect(html.contains("<th>fast</th><th>small</th><th>ratio</th><th>verdict</th>"))
        #expect(
            html.contains(
                "<td>a</td><td>rate</td><td>100 images/s</td><td>50.0 images/s</td>"
                    + "<td>0.500 ×</td><td>slower</td>"))
        #expect(html.contains("<td>looks better</td>"))
        // Whichever settings differ, and no others.
        #expect(html.contains("<li>imaging.lane differs: auto, then libvips.</li>"))
        #expect(html.contains("<li>cache.directory differs: "))
        #expect(html.contains(", then /srv/other.</li>"))
        #expect(html.components(separatedBy: " differs: ").count == 3)
        let parser = XMLParser(data: Data(html.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(!(try BenchPage(ReportSamples.report(rows)).html.contains("class=\"compared\"")))
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
