import Foundation
import FoundationXML
import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct BenchPageTests {
    /// Rows that have every kind of plot.
    private var rows: [BenchRow] {
        let cpu = BenchQuantity.processorTime("ms/image")
        func render(_ level: String, threads: Int, _ rate: Double, peer: String? = nil)
            -> BenchRow
        {
            var row = ReportSamples.row(
                ["posters", "jpeg", level, "threads=\(threads)"]
                    + (peer.map { ["peer=\($0)"] } ?? []),
                [
                    (.rate("images/s"), [rate, rate + 1, nil]), (cpu, [1_000 / rate, 9, 8]),
                    (.stage("read", "ms/image"), [1, 1, 1]),
                ], peer: peer.map { "\($0) 1.0" })
            row.head.labels += [
                BenchSetting("corpus", "posters"), BenchSetting("format", "jpeg"),
                BenchSetting("level", level),
            ]
            return row
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

    @Test func `the page is well-formed, and links to nothing`() throws {
        let html = BenchPage(ReportSamples.report(rows)).html
        let parser = XMLParser(data: Data(html.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(!html.contains("<script"))
        #expect(!html.contains("src="))
        #expect(!html.contains("href="))
        #expect(!html.contains("url("))
    }

    @Test(arguments: [
        "Throughput by threads", "Processor time by level", "Rate, images/s", "Time per stage",
        "Other programs", "Latency",
    ])
    func `what was measured is plotted`(title: String) {
        let html = BenchPage(ReportSamples.report(rows)).html
        #expect(html.contains("<h3>\(title)</h3>"))
    }

    @Test func `a peer's bar is its processor time as a multiple of this program's`() throws {
        let plot = try #require(BenchPlots.peers(rows))
        // 50, 9 and 8 beside 12.5, 9 and 8.
        #expect(plot.svg.contains("<title>other, posters jpeg threads=1: 1.00 times this program"))
        var slower = rows
        slower[3].figures[1].samples = [25, 18, 16]
        #expect(try #require(BenchPlots.peers(slower)).svg.contains(": 2.00 times this program"))
    }

    @Test func `percentiles have their own places, up to the last nine`() throws {
        let plot = try #require(BenchPlots.latencies(rows).first)
        for label in ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"] {
            #expect(plot.svg.contains(">\(label)</text>"), "\(label)")
        }
        // Every further nine takes the same room.
        func place(_ label: String) throws -> Double {
            let tick = try #require(
                plot.svg.firstMatch(of: try Regex("x=\"([0-9.]+)\"[^>]*>\(label)<")))
            return try #require(tick[1].substring.flatMap { Double($0) })
        }
        let places = try ["0 %", "90 %", "99 %", "99[.]9 %"].map(place)
        for (from, to) in zip(places, places.dropFirst()) {
            #expect(abs(to - from - (places[1] - places[0])) < 1)
        }
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
        let html = BenchPage(report).html
        #expect(!html.contains("<script"))
        #expect(html.components(separatedBy: "</style>").count == 2)
        #expect(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"))
        let parser = XMLParser(data: Data(html.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
    }

    @Test(arguments: [(0.9, 0.2), (1, 0.2), (10, 2), (23, 5), (480, 100), (0, 1)])
    func `ticks are 1, 2 or 5 times a power of ten`(most: Double, step: Double) {
        #expect(abs(Axis.step(for: most) - step) < 1e-9)
    }

    @Test func `a logarithmic axis gives every power of ten the same room`() {
        let axis = Axis.logarithmic(15, 4_000, from: 0, to: 300)
        #expect(axis.ticks.map { $0.rounded() } == [10, 100, 1_000, 10_000])
        #expect(axis.ticks.map { axis.place($0).rounded() } == [0, 100, 200, 300])
        #expect(axis.place(1) == 0)
        #expect(axis.place(1e9) == 300)
    }

    @Test(arguments: [(0.5, "0.5 µs"), (120, "120 µs"), (1_500, "1.5 ms"), (3e6, "3 s")])
    func `times are printed with their unit`(microseconds: Double, text: String) {
        #expect(BenchText.time(microseconds: microseconds) == text)
    }

    @Test func `a table has peers as ratios, paired round by round`() {
        let text = BenchTable.text(of: rows, .thumbnails)
        let line = text.split(separator: "\n").last { $0.contains("peer=other") }
        // Processor times 50, 9 and 8 beside 12.5, 9 and 8; rates 20 and 21 beside 80 and 81.
        #expect(line?.contains("1.00 ×") == true, "\(text)")
        #expect(line?.contains("0.255 ×") == true, "\(text)")
    }
}
