import Glibc

/// An IPv4 or IPv6 address as a number, most significant byte first.
enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(UInt64, UInt64)

    /// Reads four dotted decimal fields, or the IPv6 text of RFC 4291 without brackets and zone.
    init?(_ text: String) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            var raw = in6_addr()
            guard inet_pton(AF_INET6, text, &raw) == 1 else { return nil }
            self.init(raw)
        } else {
            var raw = in_addr()
            guard inet_pton(AF_INET, text, &raw) == 1 else { return nil }
            self.init(raw)
        }
    }

    init(_ raw: in_addr) {
        self = .v4(UInt32(bigEndian: raw.s_addr))
    }

    init(_ raw: in6_addr) {
        self = withUnsafeBytes(of: raw) { bytes in
            .v6(
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}

extension IPAddress: CustomStringConvertible {
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let size = socklen_t(text.count)
        switch self {
        case .v4(let bits):
            var raw = in_addr(s_addr: bits.bigEndian)
            inet_ntop(AF_INET, &raw, &text, size)
        case .v6(let high, let low):
            var raw = (high.bigEndian, low.bigEndian)
            inet_ntop(AF_INET6, &raw, &text, size)
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension IPAddress {
    var bits: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    /// Clears the bits after `length`. Swift's `<<` returns zero for a full-width shift.
    func masked(to length: Int) -> IPAddress {
        switch self {
        case .v4(let bits): .v4(bits & (UInt32.max << (32 - length)))
        case .v6(let high, let low):
            .v6(
                high & (UInt64.max << (64 - min(length, 64))),
                low & (UInt64.max << (64 - max(length - 64, 0))))
        }
    }
}
