/// How HTTP/2 writes a field of a response (RFC 7541), as far as its name tells. Pure.
struct FieldCode: Equatable, Sendable {
    /// The number of the name in the static table (appendix A); 0 if it isn't there.
    let name: UInt8
    /// Whether most responses have the same value, so that it is worth a place in the client's table.
    let isConstant: Bool

    private init(name: UInt8, isConstant: Bool) {
        self.name = name
        self.isConstant = isConstant
    }

    /// Returns the code of a name in any case.
    init(_ name: UnsafeRawBufferPointer) {
        let candidates = name.count < Self.byLength.count ? Self.byLength[name.count] : []
        let known = candidates.first { FieldName.equals(name, 0..<name.count, $0.name) }
        self = known?.code ?? .unknown
    }

    /// Of a name that is in no table.
    static let unknown = FieldCode(name: 0, isConstant: false)

    /// The names that responses have, with their numbers. Those with the number 0 are not in the static table.
    private static let constant: [(StaticString, UInt8)] = [
        ("accept-ranges", 18), ("access-control-allow-origin", 20),
        ("access-control-expose-headers", 0), ("cache-status", 0), ("content-encoding", 26),
        ("content-language", 27), ("content-security-policy", 0), ("content-type", 31),
        ("cross-origin-opener-policy", 0), ("referrer-policy", 0), ("server", 54),
        ("strict-transport-security", 56), ("vary", 59), ("x-content-type-options", 0),
        ("x-frame-options", 0),
    ]
    private static let changing: [(StaticString, UInt8)] = [
        ("age", 21), ("allow", 22), ("cache-control", 24), ("content-disposition", 25),
        ("content-length", 28), ("content-location", 29), ("content-range", 30), ("date", 33),
        ("etag", 34), ("expires", 36), ("last-modified", 44), ("link", 45), ("location", 46),
        ("retry-after", 53), ("set-cookie", 55), ("via", 60), ("www-authenticate", 61),
    ]

    private static let byLength: [[(name: StaticString, code: FieldCode)]] = {
        let all =
            constant.map { ($0.0, FieldCode(name: $0.1, isConstant: true)) }
            + changing.map { ($0.0, FieldCode(name: $0.1, isConstant: false)) }
        let longest = all.map(\.0.utf8CodeUnitCount).max() ?? 0
        return (0...longest).map { length in
            all.filter { $0.0.utf8CodeUnitCount == length }
        }
    }()
}
