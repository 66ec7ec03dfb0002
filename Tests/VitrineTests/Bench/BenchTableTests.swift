import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct BenchTableTests {
    private func row(_ id: String, _ quantity: BenchQuantity) -> BenchRow {
        BenchRow(
            head: BenchRow.Head(.serve, [id]), figures: [BenchFigure(quantity, [1])], others: [nil])
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
        rows[0].head.state = .warm
        #expect(
            BenchTable.text(of: rows, .thumbnails) == """
                thumbnails    images/s  KB/image  cache  errors
                a           100 ±4.0 %      5.00   warm       2
                a: No.
                """)
    }
}
