import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1)))
struct TargetTests {
    private func target(
        _ url: String, hosts: [HostPattern]? = nil, allowed: [String] = [], base: String? = nil
    ) throws(FetchError.Cause) -> Target {
        try Target(
            CurlURL.parts(of: url, relativeTo: base), allowedHosts: hosts,
            addresses: AddressPolicy(allowed: allowed.compactMap(Network.init)))
    }

    @Test(arguments: [
        ("http://example.com", "http://example.com/", "example.com", 80),
        ("HTTPS://Example.COM:443/a/../b?q#f", "https://Example.COM:443/b?q", "example.com", 443),
        ("http://example.com./", "http://example.com./", "example.com", 80),
        ("http://example.com:443/", "http://example.com:443/", "example.com", 443),
        (
            "https://b\u{fc}cher.example/\u{e9}", "https://xn--bcher-kva.example/%c3%a9",
            "xn--bcher-kva.example", 443
        ),
        ("http://[2606:4700::1111]/", "http://[2606:4700::1111]/", "2606:4700::1111", 80),
        ("http://134744072/", "http://8.8.8.8/", "8.8.8.8", 80),
    ])
    func `public http and https URLs are accepted`(
        url: String, whole: String, host: String, port: Int
    ) throws {
        let target = try target(url)
        #expect(target.url == whole)
        #expect(target.host == host)
        #expect(target.port == port)
    }

    @Test(arguments: [
        "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "javascript:alert(1)",
        "example.com/a", "//example.com/", "/a", "", "http://", "http://:80/",
        "http://user@example.com/", "http://user:pass@example.com/", "http://@example.com/",
        "http://:@example.com/", "http://example.com@127.0.0.1/", "http://example.com:0/",
        "http://example.com:22/", "http://example.com:8080/", "https://example.com:65536/",
        "http://example.com:x/", "http://exa mple.com/",
        "http://example.com/\r\nX: y", "http://example.com/\u{0}", "http://[::1", "http://[::1]x/",
        "http://[fe80::1%25eth0]/", "http://ex\u{1}ample.com/",
        "http://\(String(repeating: "a", count: 254))/",
    ])
    func `other URLs are refused`(url: String) {
        do {
            Issue.record("took it as \(try target(url).url)")
        } catch {
            guard case .invalidURL = error else { return miss("\(error)") }
        }
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://0x7f000001/",
        "http://017700000001/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.1/",
        "http://%31%32%37.0.0.1/", "http://127.0.0.1./", "http://0/", "http://0.0.0.0/",
        "http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::]/", "http://[::ffff:7f00:1]/",
        "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/", "http://\u{2460}\u{2461}\u{2466}.0.0.1/",
        "http://127\u{3002}0\u{3002}0\u{3002}1/", "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
        "http://169.254.169.254/latest/meta-data/", "https://10.0.0.1:443/",
        "http://[fd00::1]/", "http://[fe80::1]/",
    ])
    func `every spelling of a private address is refused`(url: String) {
        do {
            Issue.record("took it as \(try target(url).host)")
        } catch {
            guard case .addressRefused = error else { return miss("\(error)") }
        }
    }

    @Test func `other ports are accepted only in an allowed network`() throws {
        let port = try target("http://127.0.0.1:8080/", allowed: ["127.0.0.0/8"]).port
        #expect(port == 8080)
        for url in ["http://localhost:8080/", "http://1.1.1.1:8080/", "http://[::1]:8080/"] {
            #expect(throws: FetchError.Cause.self) { try target(url, allowed: ["127.0.0.0/8"]) }
        }
    }

    @Test(arguments: [
        ("http://example.com/", true), ("http://EXAMPLE.com./", true), ("http://a.cdn.test/", true),
        ("http://a.b.cdn.test/", true), ("http://cdn.test/", false), ("http://notcdn.test/", false),
        ("http://example.com.evil.test/", false), ("http://www.example.com/", false),
    ])
    func `only allowed hosts are accepted`(url: String, passes: Bool) {
        let hosts = [HostPattern("Example.com"), HostPattern("*.cdn.test")]
        do {
            _ = try target(url, hosts: hosts)
            #expect(passes)
        } catch {
            #expect(!passes)
            guard case .hostNotAllowed = error else { return miss("\(error)") }
        }
    }

    @Test(arguments: [
        ("b", "https://a.test/x/b"), ("/b?c#d", "https://a.test/b?c"),
        ("?c", "https://a.test/x/y?c"),
        ("//b.test/", "https://b.test/"), ("http://c.test", "http://c.test/"),
        ("../../b", "https://a.test/b"),
        ("a b", "https://a.test/x/a%20b"),
    ])
    func `a relative location is resolved against its URL`(location: String, url: String) throws {
        let target = try target(location, base: "https://a.test/x/y?q=1")
        #expect(target.url == url)
    }
}
