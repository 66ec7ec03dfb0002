import HTTPTypes
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct ClientAddressTests {
    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("127.0.0.1", nil), ("127.8.8.8", nil), ("::1", nil),
            ("2001:db8:0:1::5", "2001:db8:0:1::/64"),
            ("2001:db8:0:1:ffff::", "2001:db8:0:1::/64"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:127.0.0.1", nil),
        ] as [(String, String?)])
    func `clients are identified by their IPv4 address or IPv6 network`(
        address: String, client: String?
    ) {
        #expect(ClientAddress.of(address, [:]) == client)
    }

    @Test(arguments: ["X-Forwarded-For", "forwarded", "Via", "X-Real-IP"])
    func `the address of a proxy identifies no client`(field: String) throws {
        let name = try #require(HTTPField.Name(field))
        #expect(ClientAddress.of("192.0.2.1", [name: "x"]) == nil)
        #expect(ClientAddress.of(nil, [:]) == nil)
    }
}
