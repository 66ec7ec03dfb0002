import ArgumentParser
import Imaging
import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct ThumbnailPeerTests {
    @Test(arguments: [ThumbnailFormat.jpeg, .webp])
    func `vipsthumbnail gets each level's box, quality and effort`(format: ThumbnailFormat) throws {
        var imaging = ImagingConfiguration()
        imaging.perLevel = [LevelSettings(level: "s", values: [.jpegQuality: 70])]
        let levels = [
            Level(name: "m", width: 320, height: 480), Level(name: "s", width: 160, height: 240),
        ]
        let (m, s) =
            format == .jpeg
            ? ("m.jpg[Q=80,strip]", "s.jpg[Q=70,strip]")
            : ("m.webp[Q=80,strip,effort=2]", "s.webp[Q=80,strip,effort=2]")
        let corpus = try Corpus("none", in: "/proc/self/task")
        #expect(
            WantedThumbnails(corpus, levels, format, imaging).script == """
                "$PROGRAM" --size '320x480>' -o "$OUT/%s.\(m)" "$@" \
                && "$PROGRAM" --size '160x240>' -o "$OUT/%s.\(s)" "$@"
                """)
    }

    @Test(arguments: [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])])
    func `threads are doubled up to the cores`(cores: Int, threads: [Int]) throws {
        #expect(try ThumbnailBenchOptions.parse([]).threadCounts(cores: cores) == threads)
    }

    @Test func `scaling compares with one thread, round by round`() throws {
        func row(_ threads: Int, _ rates: [Double?]) -> BenchRow {
            ReportSamples.row(
                ["posters", "jpeg", "threads=\(threads)"], [(.rate("images/s"), rates)])
        }
        let rows = BenchRow.withScaling([row(1, [10, 20, nil]), row(2, [20, 30, 50])])
        #expect(rows[0][BenchQuantity.scaling.name] == nil)
        #expect(rows[1][BenchQuantity.scaling.name]?.samples == [100, 75, nil])
    }

    @Test func `a renderer's outcome becomes figures per picture`() {
        let outcome = RenderOutcome(
            images: 10, wall: 2, processor: 1, bytes: 50_000, peakMemory: 3_000_000, errors: 1,
            firstError: "No.", digest: "ab")
        let sample = outcome.sample
        #expect(
            sample.values.map(\.quantity.header) == [
                "images/s", "CPU ms/image", "KB/image", "peak MB",
            ])
        #expect(sample.values.map(\.value) == [5, 100, 5, 3])
        #expect(sample.errors == 1)
        #expect(sample.digest == "ab")
    }

    @Test(arguments: [
        ("81.25\n", 81.25), ("Score:\n-3.5\n", -3.5), ("no number\n", nil), ("", nil),
    ])
    func `the tool's score is the first number on a line of its own`(
        text: String, score: Double?
    ) {
        #expect(ThumbnailBench.score(in: text) == score)
    }
}
