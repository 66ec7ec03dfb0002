import App
import ArgumentParser
import Imaging

/// The options `--levels` and `--formats`, shared by several commands.
struct RenditionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Levels to render, separated by commas. (default: all)", valueName: "names"))
    var levels: String?

    @Option(
        help: ArgumentHelp(
            "Formats to render, separated by commas: webp, jpeg, avif, png. (default: webp,jpeg)",
            valueName: "names"))
    var formats: String?

    /// Returns the chosen levels in the configured order.
    ///
    /// - Parameter names: of the levels if none is chosen; empty for all.
    func chosenLevels(
        of configured: [Level], byDefault names: [String] = []
    ) throws(CommandError) -> [Level] {
        guard let levels else {
            return names.isEmpty ? configured : configured.filter { names.contains($0.name) }
        }
        let names = levels.split(separator: ",").map(String.init)
        for name in names where !configured.contains(where: { $0.name == name }) {
            throw .usage(
                "--levels: there is no level \"\(name)\"; configured are "
                    + "\(configured.map(\.name).listed(by: "and")).")
        }
        if names.isEmpty { throw .usage("--levels is empty; name a level, such as m.") }
        return configured.filter { names.contains($0.name) }
    }

    /// Returns the chosen formats in the given order, without duplicates.
    func chosenFormats(
        byDefault standard: [ThumbnailFormat] = ThumbnailFormat.standard
    ) throws(CommandError) -> [ThumbnailFormat] {
        guard let formats else { return standard }
        var chosen: [ThumbnailFormat] = []
        for name in formats.split(separator: ",").map(String.init) {
            guard let format = ThumbnailFormat(rawValue: name == "jpg" ? "jpeg" : name) else {
                let known = ThumbnailFormat.allCases.map(\.rawValue).listed(by: "and")
                throw .usage("--formats: there is no format \"\(name)\"; there are \(known).")
            }
            if !chosen.contains(format) { chosen.append(format) }
        }
        if chosen.isEmpty { throw .usage("--formats is empty; name a format, such as webp.") }
        return chosen
    }
}
