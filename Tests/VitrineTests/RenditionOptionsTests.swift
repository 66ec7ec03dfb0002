import ArgumentParser
import Imaging
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct RenditionOptionsTests {
    @Test(arguments: [
        ([], ["xs", "s", "m", "l", "xl"], ["webp", "jpeg"]),
        (["--levels", "l,xs,l"], ["xs", "l"], ["webp", "jpeg"]),
        (["--formats", "jpg,jpeg"], ["xs", "s", "m", "l", "xl"], ["jpeg"]),
        (["--formats", "jpeg,webp"], ["xs", "s", "m", "l", "xl"], ["jpeg", "webp"]),
        (["--formats", "png,avif"], ["xs", "s", "m", "l", "xl"], ["png", "avif"]),
    ])
    func `renditions are sorted by size, formats keep their order`(
        arguments: [String], levels: [String], formats: [String]
    ) throws {
        let options = try RenditionOptions.parse(arguments)
        #expect(try options.chosenLevels(of: Level.defaults).map(\.name) == levels)
        #expect(try options.chosenFormats().map(\.rawValue) == formats)
    }

    @Test func `thumb takes levels of its own`() throws {
        let options = try RenditionOptions.parse([
            "--levels", "s,tile=24x24 cover top-left,m=300x300",
        ])
        let levels = try options.chosenLevels(of: Level.defaults, mayDefine: true)
        #expect(levels.map(\.name) == ["s", "tile", "m"])
        #expect(levels[1].fit == .cover(.topLeft) && levels[2].width == 300)
        #expect(
            throws: CommandError.usage(
                "--levels: levels of this command are defined in the settings; add “tile=24x24 "
                    + "cover top-left” there, under levels.")
        ) { try options.chosenLevels(of: Level.defaults) }
        let wrong = try RenditionOptions.parse(["--levels", "tile=24"])
        #expect(
            throws: CommandError.usage(
                "--levels: “tile=24” is not a level; write one such as tile=240x240 or "
                    + "“tile=240x240 cover attention”.")
        ) { try wrong.chosenLevels(of: Level.defaults, mayDefine: true) }
    }

    @Test(arguments: [
        (
            ["--levels", "m,q"],
            "--levels: there is no level “q”; configured are xs, s, m, l and xl."
        ),
        (["--levels", ","], "--levels is empty; name a level, such as m."),
        (
            ["--formats", "gif"],
            "--formats: there is no format “gif”; there are webp, jpeg, avif and png."
        ),
        (["--formats", ""], "--formats is empty; name a format, such as webp."),
    ])
    func `an unknown level or format is a usage error`(arguments: [String], sentence: String) throws
    {
        let options = try RenditionOptions.parse(arguments)
        #expect(throws: CommandError.usage(sentence)) {
            _ = try options.chosenLevels(of: Level.defaults)
            _ = try options.chosenFormats()
        }
    }
}
