import ArgumentParser
import Imaging
import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct ThumbnailPeerTests {
    private func wanted(
        _ levels: [Level], _ format: ThumbnailFormat = .jpeg,
        size: (width: Int, height: Int)? = nil
    ) -> ThumbnailPeer.Wanted {
        var imaging = ImagingConfiguration()
        imaging.perLevel = [LevelSettings(level: "s", values: [.jpegQuality: 70])]
        return ThumbnailPeer.Wanted(
            levels: levels, format: format, imaging: imaging, size: size)
    }

    private let levels = [
        Level(name: "m", width: 320, height: 480), Level(name: "s", width: 160, height: 240),
    ]

    private func script(_ name: String, _ wanted: ThumbnailPeer.Wanted) throws -> String {
        try #require(ThumbnailPeer.all.first { $0.name == name }).script(wanted)
    }

    @Test func `vipsthumbnail gets each level's box and quality`() throws {
        #expect(
            try script("vipsthumbnail", wanted(levels)) == """
                "$PROGRAM" --size '320x480>' -o "$OUT/%s.m.jpg[Q=80,strip]" "$@" \
                && "$PROGRAM" --size '160x240>' -o "$OUT/%s.s.jpg[Q=70,strip]" "$@"
                """)
        #expect(
            try script("vipsthumbnail", wanted([levels[0]], .webp))
                == "\"$PROGRAM\" --size '320x480>' -o \"$OUT/%s.m.webp[Q=80,strip,effort=2]\" \"$@\""
        )
    }

    @Test func `ImageMagick makes each level from the one before`() throws {
        #expect(
            try script("imagemagick", wanted(levels)) == """
                for f; do b=${f##*/}; b=${b%.*}; "$PROGRAM" "$f" -strip \
                -thumbnail '320x480>' -quality 80 -write "$OUT/$b.m.jpg" \
                -thumbnail '160x240>' -quality 70 "$OUT/$b.s.jpg" || exit 1; done
                """)
    }

    @Test(arguments: [(640, 960, true), (639, 2_000, false), (2_000, 959, false)])
    func `a size hint is given only where it can't enlarge a picture`(
        width: Int, height: Int, isGiven: Bool
    ) throws {
        let wanted = wanted(levels, size: (width, height))
        #expect(
            try script("imagemagick", wanted).contains("-define jpeg:size=640x960 ") == isGiven)
        #expect(try script("graphicsmagick", wanted).contains("-size 640x960 ") == isGiven)
    }

    @Test(arguments: [
        ("libvips 8.14.1", "libvips", "8.14.1"),
        ("Version: ImageMagick 6.9.11-60 Q16 x86_64", "ImageMagick", "6.9.11-60"),
        ("ffmpeg version 5.1.9-0+deb12u1 Copyright", "ffmpeg version", "5.1.9-0+deb12u1"),
        ("usage: convert A B", "ImageMagick", nil),
    ])
    func `a program is known by its version, not by its name`(
        line: String, marker: String, version: String?
    ) {
        #expect(ThumbnailPeer.version(in: line, after: marker) == version)
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
        let rows = ThumbnailBench.addScaling(
            to: [row(1, [10, 20, nil]), row(2, [20, 30, 50])])
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
        #expect(ThumbnailQuality.score(in: text) == score)
    }

    @Test func `quality stands in the rows of all levels of its format`() {
        let rows = ["jpeg", "webp"].flatMap { format in
            ["all-levels", "m"].map { level in
                ReportSamples.row(
                    ["posters", format, level, "threads=1"], [(.rate("images/s"), [1, 2])],
                    others: [nil, nil])
            }
        }
        let added = ThumbnailQuality.add([.jpeg: 80], to: rows)
        #expect(added.map { $0["quality"]?.samples } == [[80, 80], nil, nil, nil])
    }
}
