import Demo
import Testing

@Suite(.timeLimit(.minutes(2))) struct CorpusTests {
    @Test(arguments: [Corpus.Kind.posters, .covers])
    func `benchmark pictures weigh what real ones weigh`(kind: Corpus.Kind) throws {
        let corpus = Corpus(seed: 1)
        let sizes = try (0..<5).map { try corpus.picture(kind, $0, of: 5).count }.sorted()
        let wanted = Double(kind.medianBytes)
        #expect((wanted * 0.85...wanted * 1.15).contains(Double(sizes[2])), "\(sizes)")
        #expect(sizes[0] < sizes[4])
    }

    @Test func `equal seeds make equal bytes, others don't`() throws {
        func file(_ seed: UInt64, _ index: Int) throws -> [UInt8] {
            try Corpus(seed: seed).picture(.covers, index, of: 3)
        }
        #expect(try file(1, 0) == file(1, 0))
        #expect(try file(1, 0) != file(1, 1))
        #expect(try file(1, 0) != file(2, 0))
    }
}
