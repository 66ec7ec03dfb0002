import Demo
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct CorpusTests {
    /// Of several, sizes differ. One alone has the median's.
    @Test(
        .enabled(if: Slow.isOn),
        arguments: [
            (Corpus.Kind.posters, 112_000, 5), (.covers, 84_000, 5), (.large, 1_300_000, 1),
        ])
    func `the median of benchmark pictures is within a tenth of that of real ones`(
        kind: Corpus.Kind, bytes: Int, count: Int
    ) throws {
        let corpus = Corpus(seed: 1)
        let sizes = try (0..<count).map { try corpus.picture(kind, $0, of: count).count }.sorted()
        #expect(abs(sizes[count / 2] - bytes) < bytes / 10, "\(sizes)")
        #expect(Set(sizes).count == count)
    }

    @Test func `equal seeds make equal bytes, and other seeds other bytes`() throws {
        func file(_ seed: UInt64, _ index: Int) throws -> [UInt8] {
            try Corpus(seed: seed).picture(.covers, index, of: 3)
        }
        #expect(try file(1, 0) == file(1, 0))
        #expect(try file(1, 0) != file(1, 1))
        #expect(try file(1, 0) != file(2, 0))
    }
}
