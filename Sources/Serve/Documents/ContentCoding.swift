import CCompression
import Catalog

/// How a document's bytes are sent (RFC 9110, section 8.4.1).
package enum ContentCoding: String, Sendable, CaseIterable {
    case brotli = "br"
    case gzip
    case identity

    /// Chooses by `Accept-Encoding` (RFC 9110, section 12.5.3): by quality first, then in the order
    /// above. A client that accepts none gets the bytes as they are.
    init(accepting field: String?) {
        guard let field else {
            self = .identity
            return
        }
        let wanted = Self.qualities(field)
        func quality(_ coding: Self) -> Double {
            if let quality = wanted[coding.rawValue] { return quality }
            // As the standard says, identity is always acceptable unless it is excluded.
            return wanted["*"] ?? (coding == .identity ? 0.001 : 0)
        }
        var best: (coding: Self, quality: Double) = (.identity, 0)
        for coding in Self.allCases where quality(coding) > best.quality {
            best = (coding, quality(coding))
        }
        self = best.coding
    }

    private static func qualities(_ field: String) -> [String: Double] {
        var qualities: [String: Double] = [:]
        for (name, quality) in WeightedNames.parse(field) {
            // The old name, which clients may still send.
            qualities[name == "x-gzip" ? "gzip" : name] = quality ?? 0
        }
        return qualities
    }

    /// Shorter documents gain nothing.
    private static let least = 256
    /// Far above any document. Longer ones are sent as they are.
    private static let most = 64 << 20

    /// How much time a coding may take.
    package enum Effort: Sendable {
        /// About 10 ms for 250 kB.
        case quick
        /// For what is coded once. About twenty times as long.
        case thorough

        fileprivate var gzip: Int32 { self == .quick ? 6 : 9 }
        fileprivate var brotli: Int32 { self == .quick ? 5 : 11 }
    }

    /// Returns compressed bytes; nil if they would not be shorter.
    package func encoded(_ bytes: [UInt8], _ effort: Effort = .quick) -> [UInt8]? {
        guard self != .identity, (Self.least...Self.most).contains(bytes.count) else { return nil }
        let room = max(
            vitrine_gzip_bound(bytes.count), BrotliEncoderMaxCompressedSize(bytes.count))
        let encoded = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            switch self {
            case .gzip:
                count = vitrine_gzip(bytes, bytes.count, start, room, effort.gzip)
            case .brotli:
                var written = room
                let isDone = BrotliEncoderCompress(
                    effort.brotli, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, bytes.count, bytes,
                    &written, start)
                count = isDone == BROTLI_TRUE ? written : 0
            case .identity: count = 0
            }
        }
        return encoded.isEmpty || encoded.count >= bytes.count ? nil : encoded
    }
}
