import Glibc

/// What a hit answers. Each is counted by itself.
package enum HitRoute: Int, CaseIterable, Sendable {
    /// `/t/…`
    case picture
    /// `/o/…`
    case original
    /// `/b/…`
    case blob
    /// `/sheet/…`
    case sheet

    /// Whether parts of it can be requested.
    var hasRanges: Bool { self == .original || self == .blob }

    /// How its targets begin.
    package var prefix: StaticString {
        switch self {
        case .picture: "/t/"
        case .original: "/o/"
        case .blob: "/b/"
        case .sheet: "/sheet/"
        }
    }

    /// Returns the route of a target; nil for a target that is never a hit.
    package init?(_ target: UnsafeRawBufferPointer) {
        guard target.count > 3, target[0] == UInt8(ascii: "/") else { return nil }
        // The letter tells which it can be.
        switch target[1] {
        case UInt8(ascii: "t"): self = .picture
        case UInt8(ascii: "o"): self = .original
        case UInt8(ascii: "b"): self = .blob
        case UInt8(ascii: "s"): self = .sheet
        default: return nil
        }
        let count = prefix.utf8CodeUnitCount
        guard target.count > count, let start = target.baseAddress,
            memcmp(start, prefix.utf8Start, count) == 0
        else { return nil }
    }
}
