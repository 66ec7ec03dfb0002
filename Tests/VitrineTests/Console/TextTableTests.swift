import Testing

@testable import Console

@Suite(.timeLimit(.minutes(1))) struct TextTableTests {
    @Test func `a cell that is longer than its column moves the rest of its line`() {
        let table = TextTable(
            widest: [1: 5],
            rows: [
                ["key", "value", "origin"], ["k", "v", "default"], ["k", "very long", "flag"],
            ])
        #expect(
            table.lines == [
                "key  value  origin",
                "k    v      default",
                "k    very long  flag",
            ])
    }
}
