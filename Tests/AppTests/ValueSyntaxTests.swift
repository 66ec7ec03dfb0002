import Imaging
import Serve
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
