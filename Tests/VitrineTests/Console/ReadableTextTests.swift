import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ReadableTextTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (2_950, "3.0 KB"), (999_949, "1.0 MB"),
        (375_000_000, "375 MB"), (27_055_000_000, "27.1 GB"), (Int.max, "9.2 EB"),
    ])
    func `a size has the unit that leaves at most three digits`(bytes: Int, text: String) {
        #expect(ReadableText.size(bytes) == text)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_677_721, "1,677,721")])
    func `thousands are apart`(number: Int, text: String) {
        #expect(ReadableText.count(number) == text)
    }

    @Test(arguments: [
        (0.4, "0 seconds"), (1.0, "1 second"), (89, "89 seconds"), (90, "2 minutes"),
        (5_000, "83 minutes"), (5_400, "2 hours"), (604_000, "7 days"), (-3, "0 seconds"),
    ])
    func `a span is rounded to one unit`(seconds: Double, text: String) {
        #expect(ReadableText.span(seconds) == text)
    }

    @Test(arguments: [
        (0.04, "0.0 s"), (9.4, "9.4 s"), (29.4, "29 s"), (60, "1 min"), (590, "9 min 50 s"),
        (3_600, "1 h"), (7_500, "2 h 5 min"), (-1, "0.0 s"),
    ])
    func `a duration has its two largest units`(seconds: Double, text: String) {
        #expect(ReadableText.duration(seconds) == text)
    }

    @Test func `columns are aligned, and a sentence takes the room that is left`() {
        let table = TextTable(
            right: [1],
            rows: [
                ["m", "9", "webp"], ["large", "10", "jpeg"], ["xl", "none of these is there"],
            ])
        #expect(
            table.lines == ["m       9  webp", "large  10  jpeg", "xl     none of these is there"])
    }
}

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
