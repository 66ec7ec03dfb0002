/// An address range in CIDR form, `10.0.0.0/8` or `fd00::/8`. A bare address is a range of one.
package struct Network: Sendable, Hashable, CustomStringConvertible {
    let first: IPAddress
    /// Number of leading bits that all its addresses share.
    let length: Int

    /// Returns `nil` if the text is not a range. Bits after the prefix are ignored.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        let bits = address.bits
        guard parts.count == 2 else {
            self.init(address, bits)
            return
        }
        guard
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let length = Int(parts[1]), length <= bits
        else { return nil }
        self.init(address, length)
    }

    /// - Parameter length: at most the number of bits of the address.
    init(_ address: IPAddress, _ length: Int) {
        first = address.masked(to: length)
        self.length = length
    }

    /// Makes an IPv4 range of four decimal fields and the prefix length.
    init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ length: Int) {
        self.init(
            .v4(UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)), length)
    }

    func contains(_ address: IPAddress) -> Bool {
        address.bits == first.bits && address.masked(to: length) == first
    }

    package var description: String { "\(first)/\(length)" }
}
