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
    /// `/v1/…`
    case catalog
    /// `/openapi.json`
    case description
    /// `/`
    case gallery

    /// Whether its responses depend on more of a request than on its target and `Accept`.
    package var isDocument: Bool {
        switch self {
        case .catalog, .description, .gallery: true
        case .picture, .original, .blob, .sheet: false
        }
    }

    /// Whether parts of it can be requested.
    var hasRanges: Bool { self == .original || self == .blob }

    /// How its targets begin, and its name in metrics.
    package var prefix: StaticString {
        switch self {
        case .picture: "/t/"
        case .original: "/o/"
        case .blob: "/b/"
        case .sheet: "/sheet/"
        case .catalog: "/v1/"
        case .description: "/openapi.json"
        case .gallery: "/"
        }
    }

    /// Returns the route of a target; nil for a target that is never a hit.
    package init?(_ target: UnsafeRawBufferPointer) {
        guard target.count > 0, target[0] == UInt8(ascii: "/") else { return nil }
        guard target.count > 1, target[1] != UInt8(ascii: "?") else {
            self = .gallery
            return
        }
        // The letter tells which it can be.
        switch target[1] {
        case UInt8(ascii: "t"): self = .picture
        case UInt8(ascii: "o"): self = .original
        case UInt8(ascii: "b"): self = .blob
        case UInt8(ascii: "s"): self = .sheet
        case UInt8(ascii: "v"): self = .catalog
        default: return nil
        }
        if self == .original, target.count > 2, target[2] == UInt8(ascii: "p") {
            self = .description
        }
        let count = prefix.utf8CodeUnitCount
        let least = self == .description ? count : count + 1
        guard target.count >= least, let start = target.baseAddress,
            memcmp(start, prefix.utf8Start, count) == 0
        else { return nil }
    }
}
