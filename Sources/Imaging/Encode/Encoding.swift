import CPixels
import CVips
import CWebP

/// A format and its encoder's settings: everything that decides the bytes besides the pixels.
enum Encoding: Hashable, Sendable {
    case jpeg(quality: Int, background: RGB)
    case webp(quality: Int, effort: Int)
    case avif(quality: Int, effort: Int)
    case png(compression: Int)

    /// Returns the bytes of a file without metadata; equal pixels give equal bytes.
    func encode(_ pixels: PixelBuffer) throws(ImagingError) -> [UInt8] {
        try RenderWorkspace.with { (workspace) throws(ImagingError) in
            try encode(pixels, in: workspace)
        }
    }

    /// The same with a workspace that no other thread has.
    func encode(
        _ pixels: PixelBuffer, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        switch self {
        case .jpeg(let quality, let background):
            try workspace.codec.encode(
                pixels.flattened(on: background), quality: quality, in: workspace.memory)
        case .webp(let quality, let effort): try Self.webP(pixels, quality, effort, workspace)
        case .avif(let quality, let effort):
            try Self.save(pixels) {
                vitrine_vips_save_avif($0, Int32(quality), Int32(effort), $1, $2)
            }
        case .png(let compression):
            try Self.save(pixels) { vitrine_vips_save_png($0, Int32(compression), $1, $2) }
        }
    }

    /// Returns a PNG that is quick to make and to read.
    static func quickPNG(_ pixels: PixelBuffer) throws(ImagingError) -> [UInt8] {
        try save(pixels) { vitrine_vips_save_png($0, 1, $1, $2) }
    }

    /// Whether the format has a color sample for four pixels, as planes of thumbnails have. PNG has one
    /// for each.
    var takesPlanes: Bool {
        switch self {
        case .jpeg, .webp, .avif: true
        case .png: false
        }
    }

    /// Whether libvips and the libraries below it encode it.
    var needsLibraries: Bool {
        switch self {
        case .jpeg, .webp: false
        case .avif, .png: true
        }
    }

    /// Time to encode a pixel in that of a JPEG's, roughly: 2 ns.
    var effort: Int {
        switch self {
        case .jpeg: 1
        case .webp: 10
        case .png: 15
        case .avif: 40
        }
    }

    /// All settings as text, for the fingerprint.
    var text: String {
        switch self {
        case .jpeg(let quality, let background):
            "jpeg \(quality) \(background.red) \(background.green) \(background.blue)"
        case .webp(let quality, let effort): "webp \(quality) \(effort)"
        case .avif(let quality, let effort): "avif \(quality) \(effort)"
        case .png(let compression): "png \(compression)"
        }
    }

    private static func webP(
        _ pixels: PixelBuffer, _ quality: Int, _ effort: Int, _ workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        let pixels = try pixels.expandedGray()
        var input = vitrine_webp_pixels()
        input.width = Int32(pixels.width)
        input.height = Int32(pixels.height)
        input.interleaved = UnsafePointer(pixels.bytes)
        input.bands = Int32(pixels.bands)
        return try workspace.encodeWebP(input, quality: quality, effort: effort)
    }

    private static func save(
        _ pixels: PixelBuffer,
        _ operation: (
            VipsPicture.Image, UnsafeMutablePointer<UnsafeMutableRawPointer?>,
            UnsafeMutablePointer<Int>
        ) -> Int32
    ) throws(ImagingError) -> [UInt8] {
        let picture = try VipsPicture(borrowing: pixels)
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        let status = picture.with { operation($0, &bytes, &count) }
        defer { g_free(bytes) }
        guard status == 0, let bytes else {
            let text = Vips.errorText()
            throw .misconfigured(
                reason: DecoderMessage.isOfMemory(text)
                    ? "\(ImagingError.noMemory) for the encoder" : "the encoder failed: \(text)")
        }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
