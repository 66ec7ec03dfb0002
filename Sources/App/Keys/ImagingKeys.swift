import Catalog
import Imaging
import Memory
import Pipeline
import Serve

extension ConfigurationKey {
    static let imaging: [Self] = [
        .single(
            "imaging.threads", \.imaging.threads, .integer(0...1_024, zero: "is one per core"),
            "Threads for small pictures, and as many for expensive ones; 0 is one per "
                + "core."),
        .share(
            "imaging.memory", \.memory.imaging, resolved: \.imaging.memory,
            (64 << 20)...(1 << 40),
            "Predicted memory of all running renders. A picture that needs most of it is "
                + "rendered alone, one that needs more is rejected. auto is a share of "
                + "memory.budget."),
        .single(
            "imaging.queueLimit", \.imaging.queueLimit, .integer(1...10_000_000),
            "Limit of queued renders, one for small and one for expensive pictures. Further "
                + "requests get 503."),
        .share(
            "imaging.maxBytes", \.memory.maxBytes, resolved: \.imaging.maxBytes,
            (1 << 10)...(4 << 30),
            "Size limit of an original. auto is 256MiB, or four fifths of the memory for originals "
                + "if that is less."),
        .single(
            "imaging.maxPixels", \.imaging.maxPixels, .integer(1...10_000_000_000),
            "Pixel limit of an original, checked before decoding. The largest cameras have "
                + "102 million."),
        .single(
            "imaging.maxFrames", \.imaging.maxFrames, .integer(1...10_000),
            "Limit of an original's frames or pages. Only the first is shown."),
        .single(
            "imaging.lane", \.imaging.lane, .choice,
            "The code that makes thumbnails. auto: the faster one (planar, which resamples brightness "
                + "and color without converting to RGB) for 8-bit pictures, libvips for all others. "
                + "libvips: libvips for everything, to compare if a thumbnail looks wrong. A change "
                + "renders all thumbnails again."
        ).reloaded(),
        .single(
            "imaging.jpegQuality", \.imaging.jpegQuality, .integer(1...100),
            "JPEG quality."
        ).reloaded(),
        .single(
            "imaging.webpQuality", \.imaging.webpQuality, .integer(1...100),
            "WebP quality."
        ).reloaded(),
        .single(
            "imaging.avifQuality", \.imaging.avifQuality, .integer(1...100),
            "AVIF quality. 50 takes half the bytes of WebP at 80; 60 looks like WebP at 80 "
                + "with 30 % fewer bytes."
        ).reloaded(),
        .single(
            "imaging.avifEffort", \.imaging.avifEffort, .integer(0...9),
            "Effort of libaom; 9 is slowest and smallest. At the same quality 1 takes two "
                + "thirds of the time of 2 for a third more bytes, 3 twice as long for a fifth "
                + "fewer."
        ).reloaded(),
        Self(
            path: "imaging.perLevel", shape: .map, expected: Settings.perLevelExpectation,
            summary: "Any of the four settings above for one level, such as {xs.webpQuality: 75}. "
                + "After a change only the thumbnails it affects are rendered again.",
            print: { settings in settings.perLevelTexts },
            apply: { texts, settings in settings.setPerLevel(texts) }
        ).reloaded(),
        .single(
            "imaging.background", \.imaging.background, .color,
            "Background of transparent pictures in formats without alpha."
        ).reloaded(),
    ]

    static let placeholder: [Self] = [
        .single(
            "placeholder.status", \.server.placeholderStatus, .placeholderStatus,
            "Status sent with a placeholder: natural is the true status (404, 415, 502, "
                + "504); 200 is for clients that don't show a picture otherwise."
        ).reloaded(),
        .single(
            "placeholder.file", \.placeholderFile, .optional(.text("the path of a picture")),
            "Placeholder picture in any input format. Without one, it is drawn."
        ).reloaded(),
    ]

    static let levels: [Self] = [
        Self(
            path: "levels", shape: .map,
            expected: "a mapping from level names to boxes, such as m=320x480",
            summary:
                "Your sizes (levels): a name and a box in pixels into which the picture fits. Small "
                + "pictures are not enlarged. Other names are 404. tile: 240x240 cover attention fills its box and crops the "
                + "excess. The last word says what stays: attention, entropy, center, top, bottom, "
                + "left, right or a corner such as top-left.",
            print: { settings in settings.levels.map(ValueSyntax.level.print) },
            apply: { texts, settings in settings.setLevels(texts) }
        ).reloaded()
    ]

    static let iiif: [Self] = [
        .single(
            "iiif.maxPixels", \.pipeline.zoom.maxPixels, .integer(1_000_000...100_000_000),
            "Pixels of one IIIF response, which info.json names as maxArea. Larger parts are "
                + "shown as tiles."),
        .single(
            "iiif.maxUpscale", \.pipeline.zoom.maxUpscale, .integer(1...8),
            "How many times larger than its region a picture may become, if a client asks for "
                + "that with ^; 1 is never larger."),
    ]
}

extension Settings {
    static let perLevelExpectation =
        "a mapping from LEVEL.SETTING to a number, such as xs.webpQuality=75"

    /// `xs.webpQuality=75`, by level and setting.
    var perLevelTexts: [String] {
        imaging.perLevel.flatMap { own in
            EncoderSetting.allCases.compactMap { setting in
                own.values[setting].map { "\(own.level).\(setting.rawValue)=\($0)" }
            }
        }
    }

    /// Returns what holds in place of a setting of a level, such as `xs.webpEffort`, that was removed.
    static func removedOfLevel(_ name: Substring) -> String? {
        let setting = name.drop { $0 != "." }.dropFirst()
        guard ["pngCompression", "webpEffort"].contains(setting) else { return nil }
        return ConfigurationKey.removed["imaging.\(setting)"]
    }

    /// Replaces all settings of single levels. Each text has the form of ``perLevelTexts``.
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
            // A warning says what became of it.
            if Self.removedOfLevel(parts[0]) != nil { continue }
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

    /// Replaces all levels. Each text has the form of ``ValueSyntax/level``.
    mutating func setLevels(_ texts: [String]) -> ConfigurationKey.Rejection? {
        let syntax = ValueSyntax.level
        var found: [Level] = []
        for text in texts {
            guard let level = syntax.parse(text) else {
                return ConfigurationKey.Rejection(text: text, expected: syntax.expected)
            }
            if found.contains(where: { $0.name == level.name }) {
                return ConfigurationKey.Rejection(text: text, expected: "each name once")
            }
            found.append(level)
        }
        guard (1...32).contains(found.count) else {
            return ConfigurationKey.Rejection(
                text: texts.joined(separator: ","), expected: "1 to 32 levels")
        }
        levels = found.sorted { left, right in
            (left.width * left.height, left.name) < (right.width * right.height, right.name)
        }
        return nil
    }
}

extension ValueSyntax where Value == Int? {
    /// `natural` for the true status, or `200`.
    fileprivate static var placeholderStatus: Self {
        let statuses: KeyValuePairs<String, Int?> = ["natural": nil, "200": 200]
        return Self(
            expected: statuses.map(\.key).listed(by: "or"),
            parse: { text in statuses.first { $0.key == text }?.value },
            print: { status in statuses.first { $0.value == status }?.key ?? "natural" })
    }
}
