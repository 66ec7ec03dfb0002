import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct SeededRandomTests {
    @Test func `the numbers are SplitMix64's`() {
        var random = SeededRandom(seed: 0)
        #expect(
            (0..<3).map { _ in random.next() }
                == [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F])
    }

    @Test func `another salt is another stream`() {
        var streams = (0..<50).map { SeededRandom(seed: 7, 1, UInt64($0)) }
        let first = streams.indices.map { streams[$0].next() }
        #expect(Set(first).count == 50)
    }

    @Test func `draws stay within their range and reach its ends`() {
        var random = SeededRandom(seed: 3)
        let draws = (0..<400).map { _ in random.integer(in: -2...2) }
        #expect(Set(draws) == [-2, -1, 0, 1, 2])
        #expect((0..<400).allSatisfy { _ in (0..<1).contains(random.fraction()) })
        #expect((0..<400).allSatisfy { _ in (1...2).contains(random.number(in: 1...2)) })
        #expect(random.picks(3, of: Array(0..<9)).count == 3)
        #expect(random.picks(3, of: [1, 2]) == [1, 2])
    }

    @Test func `names show nothing of a number, and no two are equal`() {
        let names = (0..<2_000).map { SeededRandom.name(41, $0, length: 22) }
        #expect(Set(names).count == 2_000)
        #expect(names.allSatisfy { $0.count == 22 && !$0.contains("-") })
        #expect(names[7] == SeededRandom.name(41, 7, length: 22))
        #expect(names[7] != SeededRandom.name(42, 7, length: 22))
        let codes = SeededRandom.name(1, 7, length: 24, radix: 16)
        #expect(codes.allSatisfy(\.isHexDigit) && codes.lowercased() == codes)
    }
}
