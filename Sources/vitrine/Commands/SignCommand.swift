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
        usage: "vitrine sign <url> --level <name> [<options>]",
        discussion: """
            Prints /t/LEVEL/url/SIGNATURE/BASE64URL; append .jpg or .webp for a fixed format. With \
            --level iiif it prints the path of the picture's IIIF service. The first key of \
            VITRINE_URL_KEYS signs.
            """)

    @Argument(help: ArgumentHelp("The picture's http(s) URL.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("Level it is signed for, or iiif.", valueName: "name"))
    var level: String

    @Option(
        help: ArgumentHelp(
            "How long the path is honored, such as 30d. (default: for ever)",
            valueName: "duration"))
    var expires: String?

    @OptionGroup var shared: SharedOptions

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
        print(try path(end, settings))
    }

    private func path(_ end: Date?, _ settings: Settings) throws -> String {
        let signature = settings.urlSignature
        let item = try CommandError.naming { () throws(Failure) in try SignedURL.item(of: url) }
        do throws(Failure) {
            let code = try signature.sign(level: level, encodedURL: item.id, expires: end)
            if level == IIIFRoute.signedLevel {
                let date = end.map { "/\(Int($0.timeIntervalSince1970.rounded(.down)))" }
                return IIIFRoute.path(
                    .three, "\(SignedURL.name)/\(code)/\(item.id)\(date ?? "")")
            }
            let query = end.map { "?expires=\(Int($0.timeIntervalSince1970.rounded(.down)))" }
            return "/t/\(level)/url/\(code)/\(item.id)\(query ?? "")"
        } catch {
            throw CommandError("\(error)", status: .configuration)
        }
    }
}
