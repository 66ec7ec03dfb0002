import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct BenchTableTests {
    private func row(_ id: String, _ quantity: BenchQuantity) -> BenchRow {
        BenchRow(
            head: BenchRow.Head(.serve, [id], id), figures: [BenchFigure(quantity, [1])],
            others: [nil])
    }

    @Test func `rows with the same headline share a table, in the order of their first rows`() {
        let rows = [
            row("hit", .rate("requests/s")), row("rate", .latency(99)),
            row("304", .rate("requests/s")), row("miss", .rate("pictures/s")),
        ]
        #expect(
            BenchTable.groups(of: rows).map { $0.map(\.shortID) } == [
                ["hit", "304"], ["rate"], ["miss"],
            ])
    }

    @Test func `machine, kernel, versions, settings, seed and load are printed`() {
        var report = ReportSamples.report([])
        report.before = BenchLoad(averages: [1.5, 2, 3], clock: nil)
        report.after = BenchLoad(averages: [4, 5, 6], clock: nil)
        report.notes = ["A peer is missing."]
        report.warnings = ["It was busy."]
        #expect(
            BenchTable.opening(of: report) == """
                vitrine 0.1.0 on A CPU, 2 cores, 8 GiB
                A system, kernel 6.1 x86_64, governor performance
                seed 1, 3 rounds, load 1.50 2.00 3.00
                """)
        #expect(
            BenchTable.closing(of: report) == """
                Settings: levels m=320x480.
                Versions: libvips 8.14.1.
                Note: A peer is missing.
                Warning: It was busy.
                12.5 s, load 4.00 5.00 6.00.
                """)
    }

    @Test func `a figure is printed with its spread, errors with their sentence`() {
        var rows = [
            ReportSamples.row(
                ["a"], [(.rate("images/s"), [90, 100, 104]), (.bytesOut("KB/image"), [5, 5, 5])])
        ]
        rows[0].errors = 2
        rows[0].firstError = "No."
        #expect(
            BenchTable.text(of: rows, "thumbnails") == """
                thumbnails    images/s     KB/image
                a           100 ±4.0 %  5.00 ±0.0 %

                a: 2 failed. No.
                """)
    }

    @Test func `no line is wider than 100 columns, whatever was measured`() {
        let rows = (0..<3).map { number in
            var row = ReportSamples.row(
                [String(repeating: "long", count: 10), "\(number)"],
                (0..<9).map { place in
                    (BenchQuantity(name: "figure \(place)", unit: "ms/thing"), [1_234_567, 9, 8])
                })
            row.firstError = String(repeating: "It failed. ", count: 30)
            return row
        }
        var report = ReportSamples.report(rows)
        report.settings = (0..<40).map { BenchSetting("setting \($0)", "value") }
        let lines =
            (BenchTable.text(of: rows, "thumbnails") + "\n" + BenchTable.closing(of: report))
            .split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(lines.contains { $0.contains("figure 0") })
    }

    @Test func `a peer has what this program is beside it, paired round by round`() {
        let cpu = BenchQuantity.processorTime("ms/image")
        let rows = [
            ReportSamples.row(["a"], [(cpu, [12.5, 9, 8])]),
            ReportSamples.row(["a", "peer=other"], [(cpu, [50, 9, 8])], peer: "other 1"),
            ReportSamples.row(["b", "peer=other"], [(cpu, [50, 9, 8])], peer: "other 1"),
        ]
        #expect(
            BenchBeside.of(rows[1], among: rows) == BenchBeside(times: 1, what: "less CPU"))
        #expect(BenchBeside.of(rows[0], among: rows) == nil)
        #expect(BenchBeside.of(rows[2], among: rows) == nil)
    }

    @Test func `of several peers the best one is quoted`() {
        let perCore = BenchQuantity.perCore
        let rows = [(nil, 140_000.0), ("nginx", 70_000), ("h2o", 100_000)].map { peer, hits in
            ReportSamples.row(
                ["hit", "http2"] + (peer.map { ["peer=\($0)"] } ?? []),
                [(.rate("requests/s"), [9]), (perCore, [hits])], subject: .serve,
                peer: peer.map { "\($0) 1" })
        }
        #expect(
            BenchTable.closing(of: ReportSamples.report(rows)).hasSuffix(
                "\nAbout 140,000 thumbnails a second and core over HTTP/2; 1.40 times h2o per core."
            ))
    }

    @Test func `what one would quote stands at the end, beside the peer`() {
        let perCore = BenchQuantity.perCore
        let rows = [
            ReportSamples.row(
                ["posters", "jpeg", "all-levels", "threads=1"], [(.rate("images/s"), [100, 101])]),
            ReportSamples.row(
                ["posters", "jpeg", "all-levels", "threads=2"], [(.rate("images/s"), [214, 216])]),
            ReportSamples.row(
                ["hit", "keep-alive"], [(.rate("requests/s"), [9]), (perCore, [140_000])],
                subject: .serve),
            ReportSamples.row(
                ["hit", "keep-alive", "peer=nginx"],
                [(.rate("requests/s"), [9]), (perCore, [100_000])], subject: .serve,
                peer: "nginx 1.22"),
        ]
        #expect(
            BenchTable.closing(of: ReportSamples.report(rows)).hasSuffix(
                """

                About 215 posters a second on this machine, five JPEG levels.
                About 140,000 thumbnails a second and core from memory; 1.40 times nginx per core.
                """))
    }
}
