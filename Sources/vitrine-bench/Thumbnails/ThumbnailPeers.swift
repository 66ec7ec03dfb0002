import App
import Console
import Hashing
import Imaging
import Store

// libvips' program, and libraries of Python, on the same pictures.
extension ThumbnailBench {
    private static let vipsthumbnail = Peer(
        "vipsthumbnail", version: ["--vips-version"], marker: "libvips")

    /// With what differs from the others. None counts the start of Python.
    private static let libraries = [
        (python("pyvips", module: "pyvips"), "Decodes once for each level."),
        (
            python("pillow", module: "PIL"),
            "Decodes once for each level at a reduced size (draft)."
        ),
        (
            python("opencv", module: "cv2"),
            "Decodes once for each level at a reduced size and resizes with INTER_AREA, which looks "
                + "worse; its WebP has no effort."
        ),
    ]

    private static func python(_ name: String, module: String) -> Peer {
        Peer(
            name, programs: ["python3"],
            version: ["-c", "import \(module); print(\(module).__version__)"])
    }

    /// Adds the peers that are wanted and installed, and `vitrine thumb` beside programs.
    func addPeers(
        _ corpus: Corpus, _ formats: [ThumbnailFormat], _ levels: [Level], to plan: inout BenchPlan
    ) async throws {
        for one in await context.installed([Self.vipsthumbnail], &plan) {
            plan.cases += formats.map { programCase(one, corpus, $0, levels) }
            plan.cases += formats.map { ownCase(corpus, $0, levels) }
        }
        let script = "\(context.scratch)/peers.py"
        try await context.write(PackageResources.peers_py, to: script)
        for (peer, note) in Self.libraries {
            for one in await context.installed([peer], &plan) {
                let order = MeasuredProgram.Order(one.path, [script, peer.name])
                for format in formats {
                    let head = head(
                        corpus, [format], levels, "threads=1", peer: one.row, note: note)
                    plan.cases.append(
                        try await outcomeCase(head, order, wanted(corpus, format, levels)))
                }
            }
        }
    }

    /// `vitrine thumb`, measured like a peer's program. The directory has nothing but the pictures.
    private func ownCase(
        _ corpus: Corpus, _ format: ThumbnailFormat, _ levels: [Level]
    ) -> BenchCase {
        let names = levels.map(\.name).joined(separator: ",")
        return writingCase(head(corpus, [format], levels, "program"), corpus, levels) { output in
            context.vitrine([
                "thumb", corpus.directory, "--output", output, "--formats", format.rawValue,
                "--levels", names,
            ])
        }
    }

    private func programCase(
        _ program: Peer.Installed, _ corpus: Corpus, _ format: ThumbnailFormat, _ levels: [Level]
    ) -> BenchCase {
        let script = wanted(corpus, format, levels).script
        let head = head(
            corpus, [format], levels, "program", peer: program.row,
            note: "Decodes once for each level; a process for many pictures.")
        return writingCase(head, corpus, levels) { output in
            let list = output + "-pictures"
            try await context.write(corpus.files.joined(separator: "\0").utf8, to: list)
            var order = MeasuredProgram.Order(
                "/usr/bin/xargs",
                ["-0", "-a", list] + corpus.batches + ["sh", "-c", script, program.peer.name])
            order.environment = [
                "PROGRAM": program.path, "OUT": output, "VIPS_CONCURRENCY": "1",
            ]
            return order
        }
    }

    private func writingCase(
        _ head: BenchRow.Head, _ corpus: Corpus, _ levels: [Level],
        _ order: @escaping @Sendable (_ output: String) async throws -> MeasuredProgram.Order
    ) -> BenchCase {
        let images = corpus.names.count
        let expected = images * levels.count
        return context.program(head, images, of: "image", order) { output, sample in
            try sample.addThumbnails(in: output, images: images, expected: expected)
        }
    }

    private func wanted(
        _ corpus: Corpus, _ format: ThumbnailFormat, _ levels: [Level]
    ) -> WantedThumbnails {
        WantedThumbnails(corpus, levels, format, context.settings.imaging)
    }
}

/// What all programs are asked for, as JSON that `peers.py` reads.
struct WantedThumbnails: Sendable, Encodable {
    struct Box: Sendable, Encodable {
        var name: String
        var width: Int
        var height: Int
        var quality: Int
        var effort: Int
    }

    var files: [String]
    var levels: [Box]
    var format: ThumbnailFormat
    /// Whether colors are to be converted to sRGB.
    var isTagged: Bool

    init(
        _ corpus: Corpus, _ levels: [Level], _ format: ThumbnailFormat,
        _ imaging: ImagingConfiguration
    ) {
        files = corpus.files
        isTagged = corpus.isTagged
        self.format = format
        self.levels = levels.map { level in
            Box(
                name: level.name, width: level.width, height: level.height,
                quality: imaging.value(
                    format == .webp ? .webpQuality : .jpegQuality, level: level.name),
                effort: imaging.webpEffort)
        }
    }

    /// A shell script: `$PROGRAM` is vipsthumbnail, `$OUT` the directory to write to, and `"$@"`
    /// are the pictures.
    var script: String {
        levels.map { level in
            var options = "Q=\(level.quality),strip"
            if format == .webp { options += ",effort=\(level.effort)" }
            let file = "%s.\(level.name).\(format.fileExtension)"
            let colors = isTagged ? "--eprofile srgb " : ""
            return "\"$PROGRAM\" \(colors)--size '\(level.width)x\(level.height)>' "
                + "-o \"$OUT/\(file)[\(options)]\" \"$@\""
        }.joined(separator: " && ")
    }
}

extension BenchSample {
    /// Adds the bytes of the files, and an error for each one that is missing.
    ///
    /// - Parameters:
    ///   - images: pictures that went in.
    ///   - expected: files that must have come out.
    mutating func addThumbnails(in output: String, images: Int, expected: Int) throws {
        let files = try LocalFile.names(in: output).sorted().map { name in
            try LocalFile.read("\(output)/\(name)", limit: 1 << 28)
        }
        let bytes = Double(files.reduce(0) { $0 + $1.count })
        add(.bytesOut("KB/image"), bytes / 1_000 / Double(images))
        digest = Digest(of: files.flatMap { Digest(of: $0).bytes }).hex
        expect(
            files.count >= expected,
            "\(expected - files.count) of \(expected) thumbnails are missing.")
    }
}
