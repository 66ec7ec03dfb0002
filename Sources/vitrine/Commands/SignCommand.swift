import App
import ArgumentParser
import Catalog
import Console
import FoundationEssentials
import Imaging
import Serve

struct SignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Make the signed path of a picture at any URL.",
        usage: "vitrine sign (<url> | --list <file>) --level <name> [<options>]",
        discussion: """
            Prints /t/LEVEL/url/SIGNATURE/BASE64URL; append .jpg or .webp for a fixed format. With \
            --level iiif it prints the path of the picture's IIIF service. The first key of \
            VITRINE_URL_KEYS signs. docs/signing.md says how your own program does the same.

            --list prints a line for each row. The exit status is 3 if a row can't be read.
            """)

    @Argument(help: ArgumentHelp("The picture's http(s) URL.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "Sign every URL of a list: lines, CSV, TSV or JSON lines; - is standard input.",
            valueName: "file"))
    var list: String?

    @Option(help: ArgumentHelp("Level it is signed for, or iiif.", valueName: "name"))
    var level: String

    @Option(
        help: ArgumentHelp(
            "How long the path is honored, such as 30d. (default: for ever)",
            valueName: "duration"))
    var expires: String?

    @Flag(help: "Print a JSON line for each URL, with its normal form, id and title.")
    var json = false

    @OptionGroup var columns: ListColumnOptions

    @OptionGroup var shared: SharedOptions

    /// What `--json` prints.
    private struct Line: Encodable {
        /// Of a row that can't be read, from 1.
        var line: Int?
        /// Why the row can't be read.
        var reason: String?
        /// As the list has them.
        var id: String?
        var title: String?
        /// In its normal form.
        var url: String?
        var level: String?
        /// Seconds since 1970; nil if the path never ends.
        var expires: Int?
        var path: String?
    }

    func validate() throws {
        if (url == nil) == (list == nil) {
            throw ValidationError("Name a URL, or a list of URLs with --list, and not both.")
        }
        if columns.isGiven, list == nil {
            throw ValidationError(
                "--url-column, --id-column and --title-column are for a list; add --list.")
        }
    }

    func run() async throws {
        let settings = try shared.start()
        guard
            level == IIIFRoute.signedLevel || settings.levels.contains(where: { $0.name == level })
        else {
            throw CommandError.unknownLevel(level, "--level", among: settings.levels)
        }
        let end = try expires.map { text in
            guard let duration = DurationText.parse(text), duration > .zero else {
                throw CommandError.usage(
                    "--expires is “\(text)”; expected a duration such as 30m, 12h or 30d.")
            }
            return Date().addingTimeInterval(duration / .seconds(1))
        }
        let signature = settings.urlSignature
        if let url {
            return try CommandError.naming { () throws(Failure) in
                try print(ListedPicture(line: 1, place: url), end, signature)
            }
        }
        // Without a key no row can be signed.
        guard let list, signature.isConfigured else { throw URLSignature.unconfigured }
        try await print(list, end, signature)
    }

    /// Prints a line for each row of a list, in its order.
    private func print(_ list: String, _ end: Date?, _ signature: URLSignature) async throws {
        let bad = BadLines(list)
        func report(_ line: BadLine) {
            bad.report(line)
            if json { Swift.print(jsonLine(Line(line: line.line, reason: line.reason))) }
        }
        let reading = try await ListReading(list, columns.columns, takesPaths: false, bad)
        while let rows = try await reading.rows() {
            for row in rows {
                switch row {
                case .success(let picture):
                    do throws(Failure) {
                        try print(picture, end, signature)
                    } catch {
                        report(BadLine(line: picture.line, reason: error.reason))
                    }
                case .failure(let line): report(line)
                }
            }
        }
        bad.finish()
        if bad.count > 0 { throw ExitCode(3) }
    }

    private func print(
        _ picture: ListedPicture, _ end: Date?, _ signature: URLSignature
    ) throws(Failure) {
        let item = try SignedURL.item(of: picture.place)
        let path = try SignedPath.of(item, level: level, expires: end, by: signature)
        guard json else { return Swift.print(path) }
        Swift.print(
            jsonLine(
                Line(
                    id: picture.id, title: picture.title, url: SignedURL.url(of: item),
                    level: level, expires: end.map(URLSignature.seconds), path: path)))
    }
}
