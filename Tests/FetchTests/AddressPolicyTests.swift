import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1)))
struct AddressPolicyTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0",
        "169.253.255.255", "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888", "3ffe::1",
        "2003::1",
    ])
    func `public addresses are allowed`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressPolicy(allowed: []).refusal(of: address, isPlain: false) == nil)
    }

    @Test(arguments: [
        ("0.0.0.0", "unspecified"), ("0.255.255.255", "unspecified"), ("10.0.0.0", "private"),
        ("10.255.255.255", "private"), ("172.16.0.0", "private"), ("172.31.255.255", "private"),
        ("192.168.0.1", "private"), ("192.168.255.255", "private"), ("100.64.0.0", "CGNAT"),
        ("100.127.255.255", "CGNAT"), ("127.0.0.1", "loopback"), ("127.255.255.254", "loopback"),
        ("169.254.169.254", "link-local"), ("192.0.0.170", "protocol-assignment"),
        ("192.0.2.1", "documentation"), ("198.51.100.9", "documentation"),
        ("203.0.113.77", "documentation"), ("198.18.0.1", "benchmarking"),
        ("198.19.255.255", "benchmarking"), ("192.88.99.1", "6to4 relay"),
        ("224.0.0.1", "multicast"), ("239.255.255.250", "multicast"), ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("::", "unspecified"), ("::1", "loopback"), ("fc00::1", "private"),
        ("fdff:ffff::1", "private"), ("fe80::1", "link-local"), ("febf::1", "link-local"),
        ("fec0::1", "site-local"), ("ff02::1", "multicast"), ("100::1", "discard-only"),
        ("2001:db8::1", "documentation"), ("3fff:fff::1", "documentation"),
        ("2001:2::1", "benchmarking"), ("2001:20::1", "protocol-assignment"),
        ("5f00::1", "reserved"),
        ("4000::1", "reserved"), ("::ffff:1:0:0:1", "reserved"),
        // Even where the address inside is public: what the relay reaches can't be known.
        ("::ffff:127.0.0.1", "IPv4-mapped"), ("::ffff:8.8.8.8", "IPv4-mapped"),
        ("::ffff:0:127.0.0.1", "IPv4-translated"), ("::127.0.0.1", "IPv4-compatible"),
        ("::8.8.8.8", "IPv4-compatible"), ("2002:7f00:1::", "6to4"), ("2002:808:808::1", "6to4"),
        ("64:ff9b::10.0.0.1", "NAT64"), ("64:ff9b::8.8.8.8", "NAT64"),
        ("64:ff9b:1::a00:1", "NAT64"),
        ("64:ff9b:1:ffff:0:a00:1:0", "NAT64"), ("2001:0:53aa:64c::80ff:fffe", "Teredo"),
        ("2a00:1450::5efe:10.0.0.1", "ISATAP"), ("2a00:1450::200:5efe:10.0.0.1", "ISATAP"),
        ("2a00:1450::200:5efe:8.8.8.8", "ISATAP"),
    ])
    func `every range that is not public, and every address that contains another, is refused`(
        text: String, what: String
    ) throws {
        let address = try #require(IPAddress(text))
        let reason = try #require(AddressPolicy(allowed: []).refusal(of: address, isPlain: false))
        #expect(reason.contains(what))
    }

    @Test(arguments: [
        ("10.1.2.3", "10.0.0.0/8", true), ("11.0.0.1", "10.0.0.0/8", true),
        ("192.168.0.1", "10.0.0.0/8", false), ("::1", "::1", true), ("::1", "127.0.0.0/8", false),
        ("::ffff:127.0.0.1", "127.0.0.0/8", true), ("::ffff:10.0.0.1", "127.0.0.0/8", false),
        ("::127.0.0.1", "127.0.0.0/8", false), ("64:ff9b::8.8.8.8", "64:ff9b::/96", true),
        ("fd00::1", "fd00::/8", true), ("fd00::1", "0.0.0.0/0", false),
        ("127.0.0.1", "::/0", false),
    ])
    func `an allowed network may be reached`(text: String, network: String, passes: Bool) throws {
        let policy = AddressPolicy(allowed: [try #require(Network(network))])
        let address = try #require(IPAddress(text))
        #expect((policy.refusal(of: address, isPlain: false) == nil) == passes)
    }
}

struct PlainAddressTests {
    @Test(arguments: [
        ("10.1.2.3", true, true), ("10.1.2.3", false, true), ("8.8.8.8", true, false),
        ("8.8.8.8", false, true), ("2606:4700::1111", true, false), ("192.168.0.1", true, false),
        ("192.168.0.1", false, false),
    ])
    func `plain HTTP reaches allowed networks only, if a request says so`(
        text: String, isPlain: Bool, passes: Bool
    ) throws {
        var policy = AddressPolicy(allowed: [try #require(Network("10.0.0.0/8"))])
        policy.plainIsInside = true
        let address = try #require(IPAddress(text))
        #expect((policy.refusal(of: address, isPlain: isPlain) == nil) == passes)
    }
}

struct NetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3/8", "10.0.0.0/8"), ("127.0.0.1", "127.0.0.1/32"),
        ("0.0.0.0/0", "0.0.0.0/0"), ("FD00::1/8", "fd00::/8"), ("::1", "::1/128"),
        ("2001:db8::ffff/64", "2001:db8::/64"), ("2001:db8::1:0:0:1/65", "2001:db8::/65"),
        ("::/0", "::/0"),
    ])
    func `a network is parsed and printed in one form`(text: String, form: String) throws {
        #expect(try #require(Network(text)).description == form)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "::/129",
        "10.0.0.0/8/8", "example.com", "010.0.0.1", "0x7f.1", "10.0.0.0/ 8", " 10.0.0.0/8",
        "10.0.0.0/99999999999999999999",
    ])
    func `texts that are not networks are refused`(text: String) {
        #expect(Network(text) == nil)
    }
}
