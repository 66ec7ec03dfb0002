import App
import ArgumentParser
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Console
@testable import vitrine_bench

/// Cases of programs that make thumbnails: what is counted, and what is checked.
@Suite(.timeLimit(.minutes(1))) struct MeasuredCaseTests {
    /// A round of a program that writes two thumbnails.
    private func round(_ script: String) async throws -> BenchSample {
        try await withScratchDirectory { directory in
            let head = BenchRow.Head(.thumbnails, ["a"], "a")
            return try await BenchContext.sample(directory).program(head, 2, of: "image") {
                output in
                MeasuredProgram.Order("/bin/sh", ["-c", "OUT=\(output); " + script])
            } check: { output, sample in
                try sample.addThumbnails(in: output, images: 2, expected: 2)
            }.round(1)
        }
    }

    @Test func `thumbnails that a program didn't write are errors`() async throws {
        let both = try await round("printf ab > $OUT/1; printf c > $OUT/2")
        #expect(both.errors == 0)
        let bytes = both.values.first { $0.quantity == .bytesOut("KB/image") }?.value
        #expect(bytes == 0.0015)
        let one = try await round("printf ab > $OUT/1")
        #expect(one.errors == 1)
        #expect(one.firstError == "1 of 2 thumbnails are missing.")
    }

    @Test func `the digest covers every thumbnail of a round`() async throws {
        let first = try await round("printf ab > $OUT/1; printf c > $OUT/2").digest
        #expect(first != nil)
        #expect(try await round("printf ab > $OUT/1; printf c > $OUT/2").digest == first)
        #expect(try await round("printf ab > $OUT/1; printf d > $OUT/2").digest != first)
        #expect(try await round("printf xb > $OUT/1; printf c > $OUT/2").digest != first)
    }

    @Test func `a renderer's digest covers every picture and level, whatever the order of work`()
        async throws
    {
        try await withScratchDirectory { directory in
            let files = try (1...3).map { number in
                let path = "\(directory)/\(number).jpg"
                try Data(FixtureImages.jpeg(width: 90, height: 60, seed: UInt64(number)))
                    .write(to: URL(filePath: path))
                return path
            }
            let levels = [
                Level(name: "a", width: 30, height: 20), Level(name: "b", width: 60, height: 40),
            ]
            let renderer = try Renderer(.patient)
            func outcome(
                _ files: [String], _ names: [String] = ["a", "b"],
                _ formats: [ThumbnailFormat] = [.jpeg], concurrency: Int = 1
            ) async -> RenderOutcome {
                await RenderJob(
                    files: files, levels: names, formats: formats, concurrency: concurrency,
                    maxBytes: 1 << 20
                ).run(on: renderer, levels)
            }
            let first = await outcome(files)
            #expect(first.images == 3)
            #expect(first.errors == 0)
            #expect(first.digest?.count == 64)
            #expect(await outcome(files, concurrency: 3).digest == first.digest)
            #expect(await outcome(files, ["a"]).digest != first.digest)
            let both = await outcome(files, ["a"], [.jpeg, .webp]).digest
            #expect(await outcome(files, ["a"], [.jpeg]).digest != both)
            #expect(await outcome(files, ["a"], [.webp]).digest != both)
            #expect(await outcome([files[0], files[1], files[0]]).digest != first.digest)
            let missing = await outcome(files + ["\(directory)/none.jpg"])
            #expect(missing.images == 3)
            #expect(missing.errors == 1)
            #expect(missing.firstError?.contains("none.jpg") == true)
            await renderer.shutdown()
        }
    }
}

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

    @Test func `vipsthumbnail converts colors that are not in sRGB`() throws {
        let imaging = ImagingConfiguration()
        let levels = [Level(name: "m", width: 320, height: 480)]
        for (name, isTagged) in [
            ("inputs-jpeg-p3", true), ("inputs-jpeg-cmyk", true), ("inputs-png", false),
        ] {
            let corpus = try Corpus(name, in: "/proc/self/task")
            let script = WantedThumbnails(corpus, levels, .jpeg, imaging).script
            #expect(script.contains("--eprofile srgb") == isTagged)
        }
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
