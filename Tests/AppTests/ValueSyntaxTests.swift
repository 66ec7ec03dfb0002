import Imaging
import Memory
import Pipeline
import Serve
import Store
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct ValueSyntaxTests {
    @Test(arguments: [
        ("500ms", Duration.milliseconds(500)), ("30s", .seconds(30)), ("15m", .seconds(900)),
        ("24h", .seconds(86_400)), ("7d", .seconds(604_800)), ("0", .zero), ("0s", .zero),
    ])
    func `durations have one number and one unit`(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
    }

    @Test(arguments: [
        ("127.0.0.1:9090", "127.0.0.1", 9_090), ("[::1]:0", "::1", 0), ("worker:1", "worker", 1),
    ])
    func `a place to listen has a host and a port`(text: String, host: String, port: Int) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect("\(address)" == text)
    }

    @Test(arguments: ["", "9090", ":9090", "::1:9090", "a:", "a:65536", "a b:1", "a:-1", "[]:1"])
    func `other texts are not a place to listen`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [
        "", "15", "m", "1.5h", "-1s", "1h30m", "5 s", "5S", "99999999999999999999s",
        "999999999999999999d",
    ])
    func `other texts are not durations`(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [
        ("1500ms", "1500ms"), ("60s", "1m"), ("48h", "2d"), ("24h", "24h"), ("36h", "36h"),
        ("0", "0s"), ("90m", "90m"),
    ])
    func `durations print in their largest whole unit`(text: String, printed: String) {
        #expect(DurationText.parse(text).map(DurationText.print) == printed)
    }

    @Test(arguments: [
        ("64MiB", 64 << 20, "64MiB"), ("10GiB", 10 << 30, "10GiB"), ("1024", 1_024, "1KiB"),
        ("1000B", 1_000, "1000"), ("0", 0, "0"), ("1536KiB", 1_536 << 10, "1536KiB"),
    ])
    func `sizes are bytes or binary multiples`(text: String, bytes: Int, printed: String) {
        #expect(SizeText.parse(text) == bytes)
        #expect(SizeText.print(bytes) == printed)
    }

    @Test(arguments: ["", "MiB", "64MB", "64 MiB", "-1", "1.5GiB", "9999999999TiB"])
    func `other texts are not sizes`(text: String) {
        #expect(SizeText.parse(text) == nil)
    }

    @Test(arguments: [
        ("#ffffff", RGB(red: 255, green: 255, blue: 255)),
        ("#000000", RGB(red: 0, green: 0, blue: 0)),
        ("#0102fF", RGB(red: 1, green: 2, blue: 255)),
    ])
    func `colors are parsed and printed`(text: String, color: RGB) {
        let syntax = ValueSyntax.color
        #expect(syntax.parse(text) == color)
        #expect(syntax.print(color) == text.lowercased())
    }

    @Test(arguments: ["ffffff", "#fff", "#gggggg", "#+12345", "white", "#ffffff0", ""])
    func `other texts are not colors`(text: String) {
        #expect(ValueSyntax.color.parse(text) == nil)
    }

    @Test(arguments: [
        "m=320x480", "a-very-long-name=1x1", "0=16383x16383", "t=1x2 cover attention",
        "t=1x2 cover entropy", "t=1x2 cover center", "t=1x2 cover bottom-right",
    ])
    func `levels have a name and a box`(text: String) {
        let syntax = ValueSyntax.level
        #expect(syntax.parse(text).map(syntax.print) == text)
    }

    @Test(arguments: [
        "m", "m=320", "m=320x", "m=0x480", "m=320x16384", "M=320x480", "=320x480",
        "a-much-too-long-1=1x1", "m=320x480x2", "m=320x480=1", "ä=1x1", "m=-1x5",
        "m=1x1 crop", "m=1x1 cover middle", "m=1x1 cover top left", "m=1x1 contain top", "m= cover",
    ])
    func `other texts are not levels`(text: String) {
        #expect(ValueSyntax.level.parse(text) == nil)
    }

    @Test(arguments: [
        ("origin.example:443:127.0.0.1:8443", true), ("::127.0.0.1:8443", true),
        ("[2001:db8::1]:443:[::1]:8443", true), ("a:80:b:", true), ("a:80:b", false),
        ("a:80:b:80:c", false), ("a:http:b:80", false), ("a:0:b:80", false), ("", false),
        ("[::1:80:b:80", false), ("a b:80:c:80", false),
    ])
    func `a connect-to entry has two hosts and two ports`(text: String, isValid: Bool) {
        #expect((ValueSyntax.hostMapping.parse(text) != nil) == isValid)
    }

    @Test(arguments: [
        ("http://proxy:3128", true), ("socks5h://user:password@proxy", true),
        ("HTTPS://proxy", true), ("ftp://proxy", false), ("proxy:3128", false),
        ("http://", false), ("http://a b", false),
    ])
    func `a proxy is a URL with a scheme that libcurl knows`(text: String, isValid: Bool) {
        #expect((ValueSyntax.proxyURL.parse(text) != nil) == isValid)
    }
}

@Suite(.timeLimit(.minutes(1))) struct WarmSettingsTests {
    private let syntax = ValueSyntax<WarmSchedule.Job>.warmJob

    @Test func `a job is written as on the command line`() throws {
        let text = "tvmaze shows --pages 0-3 --limit 500 --every 6h"
        let job = try #require(syntax.parse(text))
        #expect(job.source == "tvmaze" && job.list == "shows" && job.words.isEmpty)
        #expect(job.pages == "0-3" && job.limit == 500 && job.every == .seconds(21_600))
        #expect(syntax.print(job) == text)
        let formats = "tvmaze shows --formats jpeg,avif --every 6h"
        #expect(syntax.parse(formats)?.formats == [.jpeg, .avif])
        #expect(syntax.parse(formats).map(syntax.print) == formats)
        let pinned = "tvmaze shows --limit 5 --pin --every 6h"
        #expect(syntax.parse(pinned)?.isPinned == true && syntax.parse(formats)?.isPinned == false)
        #expect(syntax.parse(pinned).map(syntax.print) == pinned)
        let search = try #require(
            syntax.parse("  rijksmuseum objects --every 7d title=Nacht  creator=Rembrandt a"))
        #expect(search.parameters == ["title": "Nacht", "creator": "Rembrandt"])
        #expect(
            syntax.print(search)
                == "rijksmuseum objects a creator=Rembrandt title=Nacht --every 7d")
        #expect(syntax.parse(syntax.print(search)) == search)
    }

    @Test(arguments: [
        "", "tvmaze", "tvmaze shows", "tvmaze shows --every", "tvmaze shows --every 1s",
        "tvmaze --every 6h", "tvmaze shows --every 6h --every 7h",
        "tvmaze shows --pages x --every 6h",
        "tvmaze shows --limit 0 --every 6h", "tvmaze shows --pin --pin --every 6h",
        "tvmaze shows --concurrency 3 --every 6h",
        "tvmaze shows page=0 page=1 --every 6h", "tvmaze shows --formats gif --every 6h",
    ])
    func `other texts are not jobs`(text: String) {
        #expect(syntax.parse(text) == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct MemorySettingsTests {
    private func load(_ environment: [String: String]) throws(ConfigurationError) -> LoadedSettings
    {
        try SettingsLayers(environment: environment, budget: 1 << 30).load()
    }

    @Test func `memory settings that are not set are shares of the budget`() throws {
        let settings = try load([:]).settings
        let shares = try MemoryShares(budget: 1 << 30)
        #expect(settings.imaging.memory == shares.imaging)
        #expect(settings.imaging.isolation.memory == shares.imaging)
        #expect(settings.imaging.queueMemory == shares.originals)
        #expect(settings.pipeline.originalBytes == shares.originals)
        #expect(settings.pipeline.hitBytes == shares.cache)
        #expect(settings.store.unsavedBytes == shares.unsaved)
        #expect(settings.imaging.isolation.idle == shares.idleChildren)
        #expect(settings.server.responseBytes == shares.responses)
        #expect(settings.imaging.maxBytes == 256 << 20)
        // Less memory takes smaller originals.
        let small = try load(["VITRINE_MEMORY_BUDGET": "512MiB"]).settings
        #expect(small.imaging.maxBytes == ByteBudget.largest(of: small.pipeline.originalBytes))
    }

    @Test(
        arguments: [
            (
                ["VITRINE_CACHE_MEMORY": "1GiB"],
                "imaging.memory, cache.memory and the rest of the program need 1233MiB together, which "
                    + "is more than memory.budget (1GiB); lower one of them or raise memory.budget."
            ),
            (
                ["VITRINE_IMAGING_MAX_BYTES": "300MiB"],
                "imaging.maxBytes is 300MiB, which is more than four fifths of the memory for "
                    + "originals (256MiB); lower it or raise memory.budget."
            ),
        ])
    func `sizes that don't fit are a configuration error`(
        environment: [String: String], complaint: String
    ) {
        #expect(throws: ConfigurationError(complaint)) { try load(environment) }
    }

    @Test func `the listing shows the sizes in force`() throws {
        let rows = ConfigurationListing(try load(["VITRINE_CACHE_MEMORY": "200MiB"])).rows
        #expect(rows.contains(["memory.budget", "1GiB", "default (auto)"]))
        #expect(rows.contains(["cache.memory", "200MiB", "environment VITRINE_CACHE_MEMORY"]))
        #expect(rows.contains { $0.first == "imaging.memory" && $0.last == "default (auto)" })
    }
}
