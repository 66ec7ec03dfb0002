import App
import ArgumentParser
import Catalog
import Console
import Fetch
import Imaging
import Memory
import Pipeline
import Threads

struct ThumbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumb",
        abstract: "Make thumbnails of files, directories or URLs, without a server.",
        discussion: """
            Writes DIR/<path>.<level>.<ext> for every picture, level and format. Directories are \
            searched with all below them, for pictures by their content, and DIR gets the same \
            directories. Hidden files and directories are skipped.

            A second run makes only what is missing, was made from another version of its picture, \
            or with other settings. Exits with 0 when all went well, 3 when some pictures failed, 1 \
            when all did, or the run failed or was interrupted.
            """)

    @Argument(
        help: ArgumentHelp(
            "Files, directories or http(s) URLs; - reads a list from standard input.",
            valueName: "input"))
    var inputs: [String] = []

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Directory to write to, created if it is missing.", valueName: "dir"))
    var output: String

    @Option(
        help: ArgumentHelp(
            "File with paths and URLs, one a line, or CSV, TSV or JSON lines with url, id and "
                + "title. An id becomes the name of the thumbnails. Repeatable.",
            valueName: "file"))
    var list: [String] = []

    @Flag(help: "Follow links to directories.")
    var follow = false

    @Flag(help: "Make all thumbnails again.")
    var force = false

    @Flag(help: "Say what would be made, and write nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Write one JSON line for each picture: input, status, digest, size, thumbhash, color, "
                + "outputs, ms.", valueName: "file"))
    var manifest: String?

    @Flag(help: "Print these JSON lines, and one JSON object with the summary, last.")
    var json = false

    @OptionGroup var renditions: RenditionOptions

    @Flag(
        help: ArgumentHelp(
            "Write one sheet of all pictures, too: DIR/sheet.<level>.<ext>, and a .json with what "
                + "is where."))
    var sheet = false

    @Option(help: ArgumentHelp("Level of the sheet. (default: s)", valueName: "name"))
    var sheetLevel: String?

    @Option(
        help: ArgumentHelp(
            "Pictures under way at once. (default: two more than render threads; 16 with URLs)",
            valueName: "n"))
    var concurrency: Int?

    @OptionGroup var columns: ListColumnOptions

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if sheetLevel != nil, !sheet {
            throw ValidationError("--sheet-level is for a sheet; add --sheet.")
        }
        if let concurrency, !(1...10_000).contains(concurrency) {
            throw ValidationError("--concurrency is \(concurrency); expected 1 to 10000.")
        }
        if inputs.isEmpty, list.isEmpty {
            throw ValidationError("Name files, directories or URLs, or a list with --list.")
        }
        if inputs.filter({ $0 == "-" }).count + list.filter({ $0 == "-" }).count > 1 {
            throw ValidationError("Standard input can be read only once.")
        }
        if dryRun, sheet {
            throw ValidationError("--dry-run makes no sheet; leave --sheet out.")
        }
    }

    func run() async throws {
        var settings = try shared.start()
        let levels = try renditions.chosenLevels(of: settings.levels, mayDefine: true)
        // Levels of the command line are made from larger ones, too.
        let own = levels.filter { !settings.levels.contains($0) }
        settings.levels =
            settings.levels.filter { level in
                !own.contains { $0.name == level.name }
            } + own
        let formats = try renditions.chosenFormats()
        let sheetLevel = try chosenSheetLevel(of: settings.levels)
        let directory = output
        if !dryRun {
            try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.makeDirectory(directory)
            }
        }
        settings.imaging.isolation.sparesPlainJPEGs = true
        let renderer = try await FileThreads.run { [settings] in try Renderer.open(settings) }
        let (inputs, skipped, badLines) = try await pictures()
        let sheet = try sheetLevel.map { level throws(CommandError) in
            try ThumbSheet(of: inputs, level, formats, policy: renderer.sheets)
        }
        let hasURL = inputs.contains { if case .url = $0.place { true } else { false } }
        var run = ThumbRun(
            renderer: renderer, fetcher: hasURL ? try Fetcher(settings.fetch) : nil,
            renditions: levels.flatMap { level in
                formats.map { Rendition(level: level, format: $0) }
            },
            maxBytes: settings.imaging.maxBytes,
            budget: ByteBudget(bytes: settings.pipeline.originalBytes), directory: directory,
            sheet: sheet)
        (run.isForced, run.isDryRun) = (force, dryRun)
        run.isDetailed = manifest != nil || json
        // Two more than render threads: one picture is read, one written, while all threads render.
        let threads =
            settings.imaging.threads == 0 ? MachineProcessors.count() : settings.imaging.threads
        let fitting = hasURL ? max(16, threads + 2) : threads + 2
        var (summary, sheets, error) = try await withEnd(run.shutdown) {
            await finished(run, inputs, concurrency: concurrency ?? fitting)
        }
        summary.badLines = badLines
        print(json ? jsonLine(summary) : summary.text)
        if !json, let text = skipped.text { print(text) }
        if let error { throw error }
        if !sheets.isEmpty, !json { print("sheet: \(sheets.joined(separator: ", "))") }
        if summary.failed + badLines > 0 { throw summary.isRead ? ExitCode(3) : .failure }
    }

    /// Runs until the end, or until SIGINT or SIGTERM. Thumbnails that were written stay. Returns the paths
    /// of the sheets and why the run failed, too.
    private func finished(
        _ run: ThumbRun, _ inputs: [ThumbInput], concurrency: Int
    ) async -> (summary: ThumbCounts.Summary, sheets: [String], error: (any Error)?) {
        let counts = ThumbCounts(total: inputs.count)
        let (json, file, directory) = (json, dryRun ? nil : manifest, output)
        var sheets: [String] = []
        var failure: (any Error)?
        do {
            sheets = try await ProcessSignals.cancel {
                let manifest = try await FileThreads.run { () throws(LocalFileError) in
                    try file.map { file throws(LocalFileError) in try LineWriter(file) }
                }
                try await run.run(inputs, concurrency: concurrency) { outcome in
                    counts.add(outcome)
                    if !json, manifest == nil { return }
                    let line = jsonLine(ThumbLine(outcome, isDryRun: run.isDryRun))
                    if json { print(line) }
                    try await FileThreads.run { () throws(LocalFileError) in
                        _ = try manifest?.write(line)
                    }
                }
                return try await run.sheet?.write(to: directory, by: run.renderer) ?? []
            }
        } catch {
            failure = error
        }
        var summary = counts.finish()
        summary.isDryRun = dryRun
        if failure is CancellationError {
            summary.isInterrupted = true
            let rest = inputs.count - summary.made - summary.kept - summary.failed
            failure = CommandError(
                "Interrupted; \(ReadableText.counted(rest, "picture")) left. The same command "
                    + "continues.")
        }
        return (summary, sheets, failure)
    }

    /// Returns the pictures of all arguments and lists, what was skipped in directories, and the number of
    /// lines that can't be read.
    private func pictures() async throws -> (
        inputs: [ThumbInput], skipped: PictureWalk.Skipped, badLines: Int
    ) {
        var walk = PictureWalk(
            isPicture: ImageFormat.isPicture, needsMore: ImageFormat.needsMore, excluded: output)
        walk.followsLinks = follow
        let finder = walk
        let arguments = inputs.filter { $0 != "-" }
        var (found, skipped) = try await FileThreads.run { () throws(LocalFileError) in
            try finder.found(in: arguments)
        }
        var badLines = 0
        for file in inputs.filter({ $0 == "-" }) + list {
            let bad = BadLines(file)
            let reading = try await ListReading(file, columns.columns, takesPaths: true, bad)
            while let pictures = try await reading.next() {
                found += pictures.map { picture in
                    ThumbInput.Unnamed(
                        place: ThumbInput.Place(picture.place), id: picture.id,
                        title: picture.title)
                }
            }
            bad.finish()
            badLines += bad.count
        }
        if found.isEmpty, badLines == 0 {
            throw CommandError(
                "No picture in \((inputs + list).listed(by: "or")); name files, directories "
                    + "with pictures, or URLs.")
        }
        return (
            ThumbInput.named(found, reserved: sheet ? [ThumbSheet.name] : []), skipped, badLines
        )
    }

    private func chosenSheetLevel(of configured: [Level]) throws(CommandError) -> Level? {
        guard sheet else { return nil }
        let name = sheetLevel ?? "s"
        if let level = configured.first(where: { $0.name == name }) { return level }
        throw .unknownLevel(name, "--sheet-level", among: configured)
    }
}
