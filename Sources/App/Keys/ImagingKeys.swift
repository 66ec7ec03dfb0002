import Imaging
import Memory

extension ConfigurationKey {
    static let imaging: [Self] = [
        .single(
            "imaging.threads", \.imaging.threads, .integer(0...1_024, zero: "is one per core"),
            "Threads for small pictures, and as many for expensive ones; 0 is one per core."),
        .share(
            "imaging.memory", \.memory.shares.imaging, settled: \.imaging.memory,
            (64 << 20)...(1 << 40),
            "Memory that renders may take together, as predicted; auto is a share of memory.budget. A "
                + "picture that needs most of it is rendered alone, one that needs more is refused. A "
                + "quarter at most is kept for small ones."),
        .single(
            "imaging.queueLimit", \.imaging.queueLimit, .integer(1...10_000_000),
            "Renders waiting, small ones and expensive ones each; one more is refused with 503."),
        .share(
            "imaging.queueMemory", \.memory.queue, settled: \.imaging.queueMemory,
            (1 << 20)...(1 << 40),
            "Bytes of originals that wait for a render, a part of memory.originals; more are refused "
                + "with 503. auto is all of it."),
        .single(
            "imaging.deadline", \.imaging.deadline, .duration(.milliseconds(100)...hour),
            "Processor time of a render in this process; the largest allowed take about 3 s."),
        .share(
            "imaging.maxBytes", \.memory.maxBytes, settled: \.imaging.maxBytes,
            (1 << 10)...(4 << 30),
            "Bytes of an original; auto is 256MiB, or four fifths of memory.originals where that is "
                + "less."),
        .single(
            "imaging.maxPixels", \.imaging.maxPixels, .integer(1...10_000_000_000),
            "Pixels of an original before decoding; the largest cameras have 102 million."),
        .single(
            "imaging.maxSide", \.imaging.maxSide, .integer(1...1_000_000),
            "Either side of an original in pixels."),
        .single(
            "imaging.maxFrames", \.imaging.maxFrames, .integer(1...10_000),
            "Frames or pages of an original; only the first is shown."),
        .single(
            "imaging.isolate", \.imaging.isolation.scope, .choice,
            "Which pictures are rendered in child processes without rights: others is all but JPEG, "
                + "PNG and WebP, which saves some processor time; none is for debugging."),
        .automatic(
            "imaging.idleChildren", \.memory.shares.idleChildren,
            settled: \.imaging.isolation.idle, 0...1_024,
            "Child processes kept for the next picture of their source, 10MiB of memory.budget each: no "
                + "child renders pictures of two sources, or of two hosts of signed URLs. auto is one "
                + "for each 160MiB of memory.budget, and 8 at most."),
        .share(
            "imaging.childMemory", \.memory.child, settled: \.imaging.isolation.memory,
            (64 << 20)...(64 << 30),
            "Memory of one child, imaging.memory at most; auto is all of it."),
        .single(
            "imaging.childJobs", \.imaging.isolation.jobs, .integer(1...1_000_000),
            "Pictures after which a child is replaced: what a library leaks goes with it."),
        .single(
            "imaging.childDeadline", \.imaging.isolation.deadline,
            .duration(.milliseconds(10)...hour),
            "Processor time of a child for a picture; on the clock four times that."),
        .single(
            "imaging.childDeadlinePerMegapixel", \.imaging.isolation.deadlinePerMegapixel,
            .duration(.zero...hour), "And so much more for each megapixel."),
        .single(
            "imaging.jpegQuality", \.imaging.jpegQuality, .integer(1...100), "Quality of JPEG."),
        .single(
            "imaging.webpQuality", \.imaging.webpQuality, .integer(1...100), "Quality of WebP."),
        .single(
            "imaging.webpEffort", \.imaging.webpEffort, .integer(0...6),
            "libwebp's method: 6 is slowest and smallest; 2 costs half of 4 for 2.7 % more bytes."),
        .single(
            "imaging.avifQuality", \.imaging.avifQuality, .integer(1...100),
            "Quality of AVIF; 50 has half the bytes of WebP at 80, 60 is as exact as that in 30 % "
                + "fewer."),
        .single(
            "imaging.avifEffort", \.imaging.avifEffort, .integer(0...9),
            "libaom's effort: 9 is slowest and smallest; 4 costs nine times 1 for 2 % fewer bytes."),
        .single(
            "imaging.pngCompression", \.imaging.pngCompression, .integer(0...9),
            "zlib's level: 9 is slowest and smallest; 3 costs a third of 6 for 3 % more bytes."),
        Self(
            path: "imaging.perLevel", shape: .map, expected: Settings.perLevelExpectation,
            summary: "Any of the six settings above for one level alone, by the level's name: "
                + "{xs.webpQuality: 75}. A changed setting renders anew only what it concerns.",
            print: { settings in settings.perLevelTexts },
            apply: { texts, settings in settings.setPerLevel(texts) }),
        .single(
            "imaging.background", \.imaging.background, .colour,
            "What transparent pictures are flattened on where the format has no alpha."),
    ]
}

extension Settings {
    static let perLevelExpectation =
        "a mapping from LEVEL.SETTING to a number, such as xs.webpQuality: 75"

    /// `xs.webpQuality=75`, by level and setting.
    var perLevelTexts: [String] {
        imaging.perLevel.flatMap { own in
            EncoderSetting.allCases.compactMap { setting in
                own.values[setting].map { "\(own.level).\(setting.rawValue)=\($0)" }
            }
        }
    }

    /// Replaces all settings of single levels; each text is as in ``perLevelTexts``.
    mutating func setPerLevel(_ texts: [String]) -> ConfigurationKey.Rejection? {
        var found: [String: [EncoderSetting: Int]] = [:]
        for text in texts {
            func rejection(_ expected: String) -> ConfigurationKey.Rejection {
                ConfigurationKey.Rejection(text: text, expected: expected)
            }
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            let name = parts[0].split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, name.count == 2, !name[0].isEmpty else {
                return rejection(Self.perLevelExpectation)
            }
            guard let setting = EncoderSetting(rawValue: String(name[1])) else {
                let known = EncoderSetting.allCases.map(\.rawValue).listed(by: "or")
                return rejection("a level's name, a dot and \(known)")
            }
            let syntax = ValueSyntax.integer(setting.range)
            guard let value = syntax.parse(String(parts[1])) else {
                return rejection(syntax.expected)
            }
            guard found[String(name[0]), default: [:]].updateValue(value, forKey: setting) == nil
            else { return rejection("each name once") }
        }
        imaging.perLevel = found.sorted { $0.key < $1.key }.map {
            LevelSettings(level: $0.key, values: $0.value)
        }
        return nil
    }
}
