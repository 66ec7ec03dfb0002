/// Decides which addresses may be reached: public ones, and those the operator allowed.
///
/// Applies to literal hosts in a URL, to each address that a name resolves to, and to the peer of a
/// reused connection.
struct AddressPolicy: Sendable {
    /// Networks that may be reached although they are not public.
    let allowed: [Network]
    /// Whether any address and port may be reached. See ``FetchConfiguration/Reach/endpoints``.
    var isOpen = false
    /// Whether plain HTTP may reach the allowed networks only.
    var plainIsInside = false

    /// Returns what the address is, as a noun phrase, or `nil` if requests may reach it.
    ///
    /// - Parameter isPlain: whether they are sent without TLS.
    func refusal(of address: IPAddress, isPlain: Bool) -> String? {
        if isAllowed(address) { return nil }
        let closed = closed(address)
        return plainIsInside && isPlain
            ? closed ?? "a public address asked over http" : closed
    }

    private func closed(_ address: IPAddress) -> String? {
        switch address {
        case .v4:
            return Self.closedV4.first { $0.network.contains(address) }?.what
        case .v6(let high, let low):
            if let found = Self.closedV6.first(where: { $0.network.contains(address) }) {
                return found.what
            }
            // ISATAP writes the IPv4 address behind 0:5efe or 200:5efe in any prefix (RFC 5214).
            if (low >> 32) & 0xfcff_ffff == 0x0000_5efe { return "an ISATAP address" }
            return high >> 61 == 0b001 ? nil : "a reserved address"
        }
    }

    func isAllowed(_ address: IPAddress) -> Bool {
        if isOpen { return true }
        if allowed.contains(where: { $0.contains(address) }) { return true }
        // The kernel reaches a mapped address over IPv4, so an allowed IPv4 network covers it.
        if case .v6(0, let low) = address, low >> 32 == 0xffff {
            let inner = IPAddress.v4(UInt32(truncatingIfNeeded: low))
            return allowed.contains { $0.contains(inner) }
        }
        return false
    }

    private typealias Range = (network: Network, what: String)

    /// The IANA IPv4 Special-Purpose Address Registry, plus multicast and class E.
    private static let closedV4: [Range] = [
        (Network(127, 0, 0, 0, 8), "a loopback address"),
        (Network(10, 0, 0, 0, 8), "a private address"),
        (Network(172, 16, 0, 0, 12), "a private address"),
        (Network(192, 168, 0, 0, 16), "a private address"),
        (Network(169, 254, 0, 0, 16), "a link-local address"),
        (Network(100, 64, 0, 0, 10), "a shared (CGNAT) address"),
        (Network(0, 0, 0, 0, 8), "an unspecified address"),
        (Network(192, 0, 0, 0, 24), "a protocol-assignment address"),
        (Network(192, 0, 2, 0, 24), "a documentation address"),
        (Network(198, 51, 100, 0, 24), "a documentation address"),
        (Network(203, 0, 113, 0, 24), "a documentation address"),
        (Network(198, 18, 0, 0, 15), "a benchmarking address"),
        (Network(192, 88, 99, 0, 24), "a 6to4 relay address"),
        (Network(224, 0, 0, 0, 4), "a multicast address"),
        (Network(240, 0, 0, 0, 4), "a reserved address"),
    ]

    /// The IANA IPv6 Special-Purpose Address Registry. The first match names the address.
    ///
    /// Forms that carry an IPv4 address are closed as a whole, because we can't know what their
    /// relay reaches.
    private static let closedV6: [Range] = [
        (Network(.v6(0, 0), 128), "an unspecified address"),
        (Network(.v6(0, 1), 128), "a loopback address"),
        (Network(.v6(0, 0xffff << 32), 96), "an IPv4-mapped address"),
        (Network(.v6(0, 0xffff << 48), 96), "an IPv4-translated address"),
        (Network(.v6(0, 0), 96), "an IPv4-compatible address"),
        (Network(.v6(0x0064_ff9b << 32, 0), 96), "a NAT64 address"),
        (Network(.v6(0x0064_ff9b_0001 << 16, 0), 48), "a NAT64 address"),
        (Network(.v6(0x0100 << 48, 0), 64), "a discard-only address"),
        (Network(.v6(0x2001_0000 << 32, 0), 32), "a Teredo address"),
        (Network(.v6(0x2001_0002 << 32, 0), 48), "a benchmarking address"),
        (Network(.v6(0x2001 << 48, 0), 23), "a protocol-assignment address"),
        (Network(.v6(0x2001_0db8 << 32, 0), 32), "a documentation address"),
        (Network(.v6(0x3fff << 48, 0), 20), "a documentation address"),
        (Network(.v6(0x2002 << 48, 0), 16), "a 6to4 address"),
        (Network(.v6(0xfc00 << 48, 0), 7), "a private address"),
        (Network(.v6(0xfe80 << 48, 0), 10), "a link-local address"),
        (Network(.v6(0xfec0 << 48, 0), 10), "a site-local address"),
        (Network(.v6(0xff00 << 48, 0), 8), "a multicast address"),
    ]
}
