import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct ByteRangesTests {
    @Test(
        arguments: [
            (nil, .whole), ("bytes=0-9", .parts([0..<10])), ("bytes=90-", .parts([90..<100])),
            ("bytes=-10", .parts([90..<100])), ("bytes=-500", .parts([0..<100])),
            ("bytes=50-500", .parts([50..<100])), ("Bytes = 0-0", .whole),
            ("BYTES=0-0", .parts([0..<1])), ("bytes=0-0, 5-6", .parts([0..<1, 5..<7])),
            ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=100-200,300-", .unsatisfiable), ("bytes=200-300,0-1", .parts([0..<2])),
            ("bytes=5-2", .whole), ("bytes=a-b", .whole), ("bytes=", .whole), ("bytes=-", .whole),
            ("items=0-1", .whole), ("bytes=0-99,0-99", .whole), ("bytes=1--2", .whole),
            ("bytes=0-99999999999999999999999", .parts([0..<100])),
            ("bytes=99999999999999999999999-", .unsatisfiable),
            ("bytes=" + (0...16).map { "\($0)-\($0)" }.joined(separator: ","), .whole),
        ] as [(String?, ByteRanges)])
    func `ranges are parsed as RFC 9110 requires`(field: String?, expected: ByteRanges) {
        #expect(ByteRanges(field, length: 100) == expected)
    }

    @Test func `an empty representation has no satisfiable range`() {
        #expect(ByteRanges("bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRanges("bytes=-1", length: 0) == .unsatisfiable)
    }
}
