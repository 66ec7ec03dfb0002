import Imaging

/// A program that makes thumbnails of files, beside which this one is measured.
struct ThumbnailPeer: Sendable {
    /// What all programs are asked for.
    struct Wanted: Sendable {
        /// Largest first: some make each level from the one before.
        var levels: [Level]
        var format: ThumbnailFormat
        /// Quality and effort by level, as this program has them.
        var imaging: ImagingConfiguration
        /// Width and height of all pictures; nil if they differ.
        var size: (width: Int, height: Int)?

        func quality(_ level: Level) -> Int {
            imaging.value(format == .webp ? .webpQuality : .jpegQuality, level: level.name)
        }

        func effort(_ level: Level) -> Int { imaging.value(.webpEffort, level: level.name) }

        /// Twice the largest box, for a decoder that can shrink while it decodes; empty if some picture
        /// is smaller, because the hint would make these programs enlarge it.
        fileprivate func hint(_ option: String) -> String {
            guard let size, let largest = levels.first, 2 * largest.width <= size.width,
                2 * largest.height <= size.height
            else { return "" }
            return "\(option)\(2 * largest.width)x\(2 * largest.height) "
        }
    }

    var name: String
    /// Names of the program, the first that is installed counts.
    var programs: [String]
    /// Prints the version.
    var versionArguments: [String]
    /// What the version must contain: a program of the same name may be another one.
    var marker: String
    var formats: [ThumbnailFormat]
    /// What differs from the others, as a sentence.
    var note: String
    /// A shell script: `$PROGRAM` is the program, `$OUT` the directory to write to, and `"$@"` are
    /// the pictures.
    var script: @Sendable (Wanted) -> String

    static let all = [vipsthumbnail, imageMagick, graphicsMagick, ffmpeg]

    static let vipsthumbnail = ThumbnailPeer(
        name: "vipsthumbnail", programs: ["vipsthumbnail"], versionArguments: ["--vips-version"],
        marker: "libvips", formats: [.jpeg, .webp],
        note: "Decodes once for each level; a process for many pictures.",
        script: { wanted in
            wanted.levels.map { level in
                var options = "Q=\(wanted.quality(level)),strip"
                if wanted.format == .webp { options += ",effort=\(wanted.effort(level))" }
                let box = "\(level.width)x\(level.height)>"
                let file = "%s.\(level.name).\(wanted.format.fileExtension)"
                return "\"$PROGRAM\" --size '\(box)' -o \"$OUT/\(file)[\(options)]\" \"$@\""
            }.joined(separator: " && ")
        })

    private static let imageMagick = ThumbnailPeer(
        name: "imagemagick", programs: ["magick", "convert-im6.q16", "convert"],
        versionArguments: ["-version"], marker: "ImageMagick", formats: [.jpeg, .webp],
        note: "Makes each level from the one before; a process for each picture.",
        script: { wanted in
            eachFile(
                "\"$PROGRAM\" \(wanted.hint("-define jpeg:size="))\"$f\" -strip "
                    + magickLevels(wanted))
        })

    private static let graphicsMagick = ThumbnailPeer(
        name: "graphicsmagick", programs: ["gm"], versionArguments: ["version"],
        marker: "GraphicsMagick", formats: [.jpeg, .webp],
        note: "Makes each level from the one before; a process for each picture.",
        script: { wanted in
            eachFile(
                "\"$PROGRAM\" convert \(wanted.hint("-size "))\"$f\" -strip "
                    + magickLevels(wanted))
        })

    private static let ffmpeg = ThumbnailPeer(
        name: "ffmpeg", programs: ["ffmpeg"], versionArguments: ["-version"],
        marker: "ffmpeg version", formats: [.jpeg],
        note: "Its JPEG scale has no quality 80, so it runs with -q:v 4; compare no bytes.",
        script: { wanted in
            let names = wanted.levels.indices.map { "[i\($0)]" }.joined()
            let scales = wanted.levels.enumerated().map { index, level in
                "[i\(index)]scale=w='min(iw,\(level.width))':h='min(ih,\(level.height))'"
                    + ":force_original_aspect_ratio=decrease:flags=lanczos[o\(index)]"
            }
            let outputs = wanted.levels.enumerated().map { index, level in
                "-map '[o\(index)]' -threads 1 -q:v 4 -frames:v 1 -update 1 "
                    + "\"$OUT/$b.\(level.name).jpg\""
            }
            return eachFile(
                "\"$PROGRAM\" -v error -nostdin -y -threads 1 -filter_complex_threads 1 -i \"$f\" "
                    + "-filter_complex \"[0:v]split=\(wanted.levels.count)\(names);"
                    + "\(scales.joined(separator: ";"))\" \(outputs.joined(separator: " "))")
        })

    /// Libraries of Python: name, what prints the version, and what differs. None counts the start of
    /// Python.
    static let libraries = [
        (
            "pyvips",
            "import pyvips; print(pyvips.__version__, 'with libvips %d.%d.%d' % "
                + "tuple(pyvips.version(i) for i in range(3)))",
            "Decodes once for each level."
        ),
        (
            "pillow", "import PIL; print(PIL.__version__)",
            "Decodes once for each level at a reduced size (draft)."
        ),
        (
            "opencv", "import cv2; print(cv2.__version__)",
            "Decodes once for each level at a reduced size and resizes with INTER_AREA, which looks "
                + "worse; its WebP has no effort."
        ),
    ]

    private static func eachFile(_ command: String) -> String {
        "for f; do b=${f##*/}; b=${b%.*}; \(command) || exit 1; done"
    }

    private static func magickLevels(_ wanted: Wanted) -> String {
        wanted.levels.enumerated().map { index, level in
            var options = "-thumbnail '\(level.width)x\(level.height)>'"
            options += " -quality \(wanted.quality(level))"
            if wanted.format == .webp {
                options += " -define webp:method=\(wanted.effort(level))"
            }
            let isLast = index == wanted.levels.count - 1
            let file = "\"$OUT/$b.\(level.name).\(wanted.format.fileExtension)\""
            return "\(options) \(isLast ? "" : "-write ")\(file)"
        }.joined(separator: " ")
    }

    /// Returns path and version of the first of its programs that is what its name says.
    func installed() async -> (path: String, version: String)? {
        for name in programs {
            guard let path = MeasuredProgram.find(name),
                let text = await MeasuredProgram.output(of: path, versionArguments),
                let version = Self.version(in: text, after: marker)
            else { continue }
            return (path, version)
        }
        return nil
    }

    /// Returns the word after a marker: `8.14.1` of `libvips 8.14.1`.
    static func version(in text: String, after marker: String) -> String? {
        guard let place = text.firstRange(of: marker) else { return nil }
        return text[place.upperBound...].split(whereSeparator: \.isWhitespace).first
            .map(String.init)
    }
}
