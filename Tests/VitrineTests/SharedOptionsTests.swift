import App
import ArgumentParser
import Fetch
import Imaging
import Logging
import Serve
import TestSupport
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct SharedOptionsTests {
    @Test func `every shared option changes its setting`() async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/v.yaml", "server:\n  port: 81\n")
            let options = try SharedOptions.parse([
                "--config", "\(root)/v.yaml", "--cache", "/c", "--log-level", "debug",
                "--connect-to", "a:1:b:2", "--connect-to", "c:1:d:2", "--ca-file", "ca.pem",
                "--proxy", "http://p:1", "--allow-network", "127.0.0.0/8", "--allow-network",
                "fd00::/8",
            ])
            let loaded = try options.load(environment: ["VITRINE_LOG_LEVEL": "trace"])
            let settings = loaded.settings
            #expect(settings.server.port == 81)
            #expect(settings.cacheDirectory == "/c")
            #expect(settings.log.level == .debug)
            #expect(settings.fetch.connectTo == ["a:1:b:2", "c:1:d:2"])
            #expect(settings.fetch.caFile == "ca.pem")
            #expect(settings.fetch.proxy == "http://p:1")
            #expect(
                settings.fetch.allowedNetworks.map(\.description) == ["127.0.0.0/8", "fd00::/8"])
            #expect(loaded.origins["cache.directory"] == .flag("--cache"))
        }
    }

    @Test func `a command's own flags take precedence too`() throws {
        let options = try SharedOptions.parse(["--config", "/dev/null"])
        let loaded = try options.load(
            [SettingsLayers.Flag(name: "--port", path: "server.port", texts: ["0"])],
            environment: ["VITRINE_SERVER_PORT": "9"])
        #expect(loaded.settings.server.port == 0)
    }

    @Test(
        arguments: [
            ([], nil), (["/etc/vitrine/vitrine.yaml"], "/etc/vitrine/vitrine.yaml"),
            (["config/vitrine.yaml"], "config/vitrine.yaml"),
            (["/etc/vitrine/vitrine.yaml", "config/vitrine.yaml"], "config/vitrine.yaml"),
        ] as [([String], String?)])
    func `the settings are those below the directory, then those of the installed service`(
        files: [String], path: String?
    ) {
        #expect(SharedOptions.found(where: files.contains) == path)
    }

    @Test func `a named configuration file must exist`() throws {
        let options = try SharedOptions.parse(["--config", "/nowhere/v.yaml"])
        #expect(
            throws: ConfigurationError(
                "Can't read /nowhere/v.yaml: No such file or directory; check --config.")
        ) {
            try options.load(environment: [:])
        }
    }
}

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
