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
}
