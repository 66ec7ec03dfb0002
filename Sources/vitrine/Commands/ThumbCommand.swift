import App
import ArgumentParser
import Fetch
import Imaging
import Memory

struct ThumbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumb",
        abstract: "Make thumbnails of files, directories or URLs, without a server.",
        discussion: """
            Writes DIR/<name>.<level>.<ext> for every picture, level and format. Directories are \
            searched with all below them, for pictures by their content. Exits with 0 when all went \
            well, 3 when some pictures failed, 1 when the run did.
            """)

    @Argument(help: ArgumentHelp("Files, directories or http(s) URLs.", valueName: "input"))
    var inputs: [String]

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Directory to write to, created if it is missing.", valueName: "dir"))
    var output: String

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

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if sheetLevel != nil, !sheet {
            throw ValidationError("--sheet-level is for a sheet; add --sheet.")
        }
        if let concurrency, !(1...10_000).contains(concurrency) {
            throw ValidationError("--concurrency is \(concurrency); expected 1 to 10000.")
        }
    }

    func run() async throws {
        let settings = try shared.start()
        let levels = try renditions.chosenLevels(of: settings.levels)
        let formats = try renditions.chosenFormats()
        let sheetLevel = try chosenSheetLevel(of: settings.levels)
        let directory = output
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(directory)
        }
        let renderer = try await FileThreads.run { try Renderer.open(settings) }
        let inputs = try await pictures()
        let sheet = try sheetLevel.map { level throws(CommandError) in
            try ThumbSheet(of: inputs, level, formats, policy: renderer.sheets)
        }
        let hasURL = inputs.contains { if case .url = $0.place { true } else { false } }
        let run = ThumbRun(
            renderer: renderer, fetcher: hasURL ? try Fetcher(settings.fetch) : nil,
            renditions: levels.flatMap { level in
                formats.map { Rendition(level: level, format: $0) }
            },
            maxBytes: settings.imaging.maxBytes,
            budget: ByteBudget(bytes: settings.memory.originals), directory: directory,
            sheet: sheet)
        // Two more than render threads: one picture is read, one written, while all threads render.
        let threads =
            settings.imaging.threads == 0 ? MachineProcessors.count() : settings.imaging.threads
        let fitting = hasURL ? max(16, threads + 2) : threads + 2
        var tally = ThumbCounts(total: inputs.count)
        var sheets: [String] = []
        do {
            try await run.run(inputs, concurrency: concurrency ?? fitting) { tally.add($0) }
            sheets = try await sheet?.write(to: directory, by: renderer) ?? []
        } catch {
            await run.shutdown()
            throw error
        }
        await run.shutdown()
        tally.finish()
        if !sheets.isEmpty { print("sheet: \(sheets.joined(separator: ", "))") }
        if tally.failed > 0 { throw ExitCode(3) }
    }

    private func pictures() async throws -> [ThumbInput] {
        let walk = PictureWalk(isPicture: ImageFormat.isPicture, excluded: output)
        let arguments = inputs
        let places = try await FileThreads.run { () throws(LocalFileError) in
            try walk.places(of: arguments)
        }
        if places.isEmpty {
            throw CommandError(
                "No picture in \(arguments.listed(by: "or")); name files, directories "
                    + "with pictures, or URLs.")
        }
        return ThumbInput.named(places, reserved: sheet ? [ThumbSheet.name] : [])
    }

    private func chosenSheetLevel(of configured: [Level]) throws(CommandError) -> Level? {
        guard sheet else { return nil }
        let name = sheetLevel ?? "s"
        if let level = configured.first(where: { $0.name == name }) { return level }
        throw .usage(
            "--sheet-level: there is no level \"\(name)\"; configured are "
                + "\(configured.map(\.name).listed(by: "and")).")
    }
}
