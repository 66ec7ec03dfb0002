/// Names the variant of a format, for pictures that a decoder doesn't support.
enum PictureVariant {
    /// Returns a subject for "… is not supported", such as "TIFF with 64-bit floats".
    static func name(_ original: [UInt8], _ format: ImageFormat) -> String {
        let variant: String? =
            switch format {
            case .tiff: tiff(original)
            case .heic, .avif: heif(original)
            default: nil
            }
        return variant.map { "\(format.name) with \($0)" } ?? "This variant of \(format.name)"
    }

    /// The samples, and how they are compressed (TIFF 6.0, and libtiff's table).
    private static func tiff(_ original: [UInt8]) -> String? {
        let start = TIFFDirectory.start(original, or: HeaderReader.isReadablePage)
        guard let page = start?.page else { return nil }
        let kinds = [2: "signed integers", 3: "floats", 5: "complex integers", 6: "complex floats"]
        let colors = [
            4: "a mask", 6: "YCbCr colors", 10: "ITU Lab colors",
            32_803: "the data of a camera's sensor",
            32_844: "LogL brightness", 32_845: "LogLuv colors", 34_892: "raw linear data",
        ]
        let depth = page.number(.bits) ?? 1
        let kind = page.number(.sampleFormat) ?? 1
        var parts: [String] = []
        if let color = page.number(.photometric).flatMap({ colors[$0] }) { parts.append(color) }
        if parts.isEmpty || kinds[kind] != nil || ![1, 2, 4, 8, 16].contains(depth) {
            parts.append("\(depth)-bit \(kinds[kind] ?? "samples")")
        }
        let text = parts.joined(separator: " as ")
        let compression = page.number(.compression).flatMap { compressions[$0] }
        return compression.map { "\(text) compressed with \($0)" } ?? text
    }

    private static let compressions = [
        2: "CCITT RLE", 3: "CCITT Group 3", 4: "CCITT Group 4", 6: "JPEG of the old style",
        7: "JPEG", 32_766: "NeXT", 32_809: "ThunderScan", 32_895: "IT8 CT", 32_909: "PixarLog",
        33_003: "JPEG 2000", 33_005: "JPEG 2000", 34_661: "JBIG", 34_676: "SGILog",
        34_677: "SGILog24", 34_712: "JPEG 2000", 34_887: "LERC", 34_892: "lossy JPEG",
        34_925: "LZMA", 50_000: "Zstandard", 50_001: "WebP", 50_002: "JPEG XL", 52_546: "JPEG XL",
    ]

    /// How the primary picture is stored (ISO/IEC 23008-12).
    private static func heif(_ original: [UInt8]) -> String? {
        let file = ByteReader(original)
        guard let meta = Box.first("meta", in: file)?.full?.content else { return nil }
        let items = HEIFItems(meta, file: file)
        guard let primary = items.primary, let kind = items.kind(of: primary) else { return nil }
        return switch kind {
        case "unci": "uncompressed pixels"
        case "vvc1": "VVC"
        case "avc1": "H.264"
        case "jpeg": "JPEG"
        case "j2k1": "JPEG 2000"
        case "iovl": "pictures laid over each other"
        case "iden": "a derived picture"
        default: "this kind of crop or rotation"
        }
    }
}
