import Imaging
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct ConfigurationFileTests {
    @Test(arguments: [
        (
            "imaging:\n  webpQualty: 80\n",
            "v.yaml:2: unknown key “imaging.webpQualty”; did you mean “imaging.webpQuality”?"
        ),
        (
            "servr:\n  port: 1\n", "v.yaml:1: unknown key “servr”; did you mean “server”?"
        ),
        (
            "colour: blue\n",
            "v.yaml:1: unknown key “colour”; “vitrine config --defaults” lists all keys."
        ),
        (
            "server:\n  port: 80\n  port: 81\n",
            "v.yaml:2: “port” is given twice in one section; remove one."
        ),
        (
            "server:\n  port: 80\nserver.port: 81\n",
            "v.yaml:3: server.port is given twice; remove one."
        ),
        (
            "server: 80\n",
            "v.yaml:1: server is a section; expected keys below it, such as server.host."
        ),
        (
            "- a\n",
            "v.yaml:1: expected a key; write settings as in “server:” and below it, "
                + "indented, “port: 8080”."
        ),
        (
            "tmdb:\n  token: abc\n",
            "v.yaml:2: tmdb.token is a secret and must not stand in this file; set "
                + "VITRINE_TMDB_TOKEN, or name a file that holds it in tmdb.tokenFile."
        ),
    ])
    func `an unknown key is reported with its place and a suggestion`(
        text: String, sentence: String
    ) {
        #expect(complaint(text) == sentence)
    }

    @Test(arguments: [
        (
            "server:\n  port: [1]\n",
            "v.yaml:2: server.port is a list; expected a whole number from 0"
        ),
        (
            "server:\n  port: {a: 1}\n",
            "v.yaml:2: server.port is a mapping; expected a whole number"
        ),
        (
            "server:\n\n  port: x\n",
            "v.yaml:3: server.port is “x”; expected a whole number from 0"
        ),
        ("server:\n  port: 65536\n", "v.yaml:2: server.port is “65536”; expected a whole number"),
        ("server:\n  host: ''\n", "v.yaml:2: server.host is “”; expected a host name or an"),
        (
            "imaging:\n  webpQuality: 80.5\n",
            "v.yaml:2: imaging.webpQuality is “80.5”; expected a whole number from 1 to 100."
        ),
        ("imaging:\n  maxBytes: 64MB\n", "v.yaml:2: imaging.maxBytes is “64MB”; expected a size"),
        (
            "imaging:\n  background: red\n",
            "v.yaml:2: imaging.background is “red”; expected a col"
        ),
        (
            "imaging:\n  perLevel: {xs.webpQuality: 101}\n",
            "v.yaml:2: imaging.perLevel is “xs.webpQuality: 101”; expected a whole number from 1 to"
        ),
        (
            "imaging:\n  perLevel: {xs.gifQuality: 1}\n",
            "v.yaml:2: imaging.perLevel is “xs.gifQuality: 1”; expected a level's name, a dot and "
                + "jpegQuality, webpQuality, avifQuality or avifEffort."
        ),
        (
            "imaging:\n  perLevel: {webpQuality: 1}\n",
            "v.yaml:2: imaging.perLevel is “webpQuality: 1”; expected a mapping from LEVEL.SETTING"
        ),
        (
            "fetch:\n  totalTimeout: 60\n",
            "v.yaml:2: fetch.totalTimeout is “60”; expected a duration from 1ms to 24h, such as "
                + "500ms, 30s, 15m, 24h or 7d."
        ),
        (
            "fetch:\n  connectTo: a:1:b:2\n",
            "v.yaml:2: fetch.connectTo is “a:1:b:2”; expected a l"
        ),
        ("fetch:\n  connectTo: [a]\n", "v.yaml:2: fetch.connectTo is “a”; expected HOST:PORT:HO"),
        (
            "fetch:\n  connectTo: [[a]]\n",
            "v.yaml:2: fetch.connectTo is a list of lists; expected a"
        ),
        (
            "placeholder:\n  status: 404\n",
            "v.yaml:2: placeholder.status is “404”; expected natural or 200."
        ),
        (
            "log:\n  level: loud\n",
            "v.yaml:2: log.level is “loud”; expected trace, debug, info, n"
        ),
        (
            "levels: [m]\n",
            "v.yaml:1: levels is a list; expected a mapping from level names to boxe"
        ),
        ("levels: m\n", "v.yaml:1: levels is “m”; expected a mapping from level names to boxes,"),
        ("levels: {M: 1x1}\n", "v.yaml:1: levels is “M: 1x1”; expected a name of at most 16"),
        (
            "levels: {m: {w: 1}}\n",
            "v.yaml:1: levels.m is written as 320x480, or with the keys box, fit and "
        ),
        ("levels: {}\n", "v.yaml:1: levels is “”; expected 1 to 32 levels."),
    ])
    func `an invalid value is reported with its place and the expected form`(
        text: String, begin: String
    ) {
        let sentence = complaint(text)
        #expect(sentence?.hasPrefix(begin) == true, "\(sentence ?? "no complaint")")
    }

    @Test(arguments: [
        ("server:\n  port: 'x\n", 3), ("server:\n\tport: 80\n", 2), ("a: b: c\n", 1),
        ("server:\n  host: [a\nlog: {}\n", 3),
    ])
    func `invalid YAML is reported with its line`(text: String, line: Int) throws {
        let sentence = try #require(complaint(text))
        #expect(sentence.hasPrefix("v.yaml:\(line): this is not YAML: "), "\(sentence)")
        #expect(!sentence.contains("\n"))
    }

    @Test(arguments: ["", "# nothing\n", "server:\n", "server:\n  port:\n  host: ~\n", "---\n"])
    func `an empty file, section or value changes no setting`(text: String) throws {
        #expect(try ConfigurationFile(path: "v.yaml", text: text).values.isEmpty)
    }

    @Test func `levels are sorted by size`() throws {
        let text = "levels:\n  big: 200x200\n  small: 10x10\n  wide: 100x20\n"
        let file = try ConfigurationFile(path: "v.yaml", text: text)
        let loaded = try SettingsLayers(file: file).load()
        #expect(loaded.settings.levels.map(\.name) == ["small", "wide", "big"])
        #expect(loaded.origins["levels"] == .file("v.yaml", line: 2))
    }
}
