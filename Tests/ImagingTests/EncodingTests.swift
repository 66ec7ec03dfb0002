import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct EncodingTests {
    /// What libheif 1.15.1 returned as a success when libaom had no memory: an item without bytes and
    /// without a size, which is not the one that the file calls its primary.
    private static let empty: [UInt8] =
        box("ftyp", "avif", 0, 0, 0, 0, "avifmif1miaf")
        + box(
            "meta", 0, 0, 0, 0,
            box("hdlr", 0, 0, 0, 0, 0, 0, 0, 0, "pict", [UInt8](repeating: 0, count: 13)),
            box("pitm", 0, 0, 0, 0, 0, 0), box("iloc", 0, 0, 0, 0, 0x44, 0x40, 0, 0),
            box(
                "iinf", 0, 0, 0, 0, 0, 1, box("infe", 2, 0, 0, 0, 0, 1, 0, 0, "av01", 0)),
            box(
                "iprp", box("ipco", box("colr", "nclx", 0, 2, 0, 2, 0, 6, 0x80)),
                box("ipma", 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0x81)))
        + box("mdat")

    private static func box(_ name: String, _ parts: Any...) -> [UInt8] {
        let content = parts.flatMap { part -> [UInt8] in
            switch part {
            case let bytes as [UInt8]: bytes
            case let text as String: Array(text.utf8)
            case let byte as Int: [UInt8(byte)]
            default: []
            }
        }
        let count = UInt32(8 + content.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + Array(name.utf8)
            + content
    }

    @Test func `an AVIF without its picture is a lack of memory`() throws {
        #expect(Self.empty.count == 201)
        #expect(throws: ImagingError.misconfigured(reason: "there is no memory for the encoder")) {
            try Encoding.whole(Self.empty, width: 80, height: 66)
        }
        let picture = try VipsPicture(borrowing: PixelBuffer(width: 97, height: 81, bands: 3))
        let avif = try Encoding.avif(quality: 50, effort: 2).encode(picture)
        #expect(throws: ImagingError.self) {
            try Encoding.whole(avif, width: 97, height: 80)
        }
    }
}
