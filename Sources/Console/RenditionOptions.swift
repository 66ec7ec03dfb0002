import App
package import ArgumentParser
import Catalog
package import Imaging

/// The options `--levels` and `--formats`, shared by several commands.
package struct RenditionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Sizes (levels) to render, separated by commas. thumb also takes levels of its own: "
                + "tile=240x240 cover top. (default: all)", valueName: "names"))
    package var levels: String?

    @Option(
        help: ArgumentHelp(
            "Formats to render, separated by commas: "
                + "\(ThumbnailFormat.allCases.map(\.rawValue).joined(separator: ", ")). "
                + "(default: \(ThumbnailFormat.standard.map(\.rawValue).joined(separator: ",")))",
            valueName: "names"))
    package var formats: String?

    package init() {}

    /// Returns the chosen levels in the configured order.
    ///
    /// - Parameters:
    ///   - names: of the levels if none is chosen; empty for all.
    ///   - mayDefine: whether the option may define levels that are not configured.
    package func chosenLevels(
        of configured: [Level], byDefault names: [String] = [], mayDefine: Bool = false
    ) throws(CommandError) -> [Level] {
        guard let levels else {
            return names.isEmpty ? configured : configured.filter { names.contains($0.name) }
        }
        let given = levels.split(separator: ",").map(String.init)
        var names: [String] = []
        var own: [Level] = []
        for text in given {
            guard text.contains("=") else {
                names.append(text)
                continue
            }
            guard mayDefine else {
                throw .usage(
                    "--levels: levels of this command are defined in the settings; add “\(text)” "
                        + "there, under levels.")
            }
            guard let level = Level(text: text) else {
                throw .usage(
                    "--levels: “\(text)” is not a level; write one such as tile=240x240 or "
                        + "“tile=240x240 cover attention”.")
            }
            own.append(level)
        }
        for name in names where !configured.contains(where: { $0.name == name }) {
            throw .unknownLevel(name, "--levels", among: configured)
        }
        if given.isEmpty { throw .usage("--levels is empty; name a level, such as m.") }
        return configured.filter { level in
            names.contains(level.name) && !own.contains { $0.name == level.name }
        } + own
    }

    /// Returns the chosen formats in the given order, without duplicates.
    package func chosenFormats(
        byDefault standard: [ThumbnailFormat] = ThumbnailFormat.standard
    ) throws(CommandError) -> [ThumbnailFormat] {
        guard let formats else { return standard }
        var chosen: [ThumbnailFormat] = []
        for name in formats.split(separator: ",").map(String.init) {
            guard let format = ThumbnailFormat(rawValue: name == "jpg" ? "jpeg" : name) else {
                let known = ThumbnailFormat.allCases.map(\.rawValue).listed(by: "and")
                throw .usage("--formats: there is no format “\(name)”; there are \(known).")
            }
            if !chosen.contains(format) { chosen.append(format) }
        }
        if chosen.isEmpty { throw .usage("--formats is empty; name a format, such as webp.") }
        return chosen
    }
}
