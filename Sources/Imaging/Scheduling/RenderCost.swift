/// The memory that a render takes and its lane, predicted from the header before anything is decoded.
///
/// Measured with libvips 8.14.1 on pictures of 2, 8 and 24 megapixels (growth of the process over one
/// that renders a picture of 16×16, in bytes per pixel of the original, without the file):
///
/// | original | measured | predicted |
/// | --- | --- | --- |
/// | JPEG baseline, PNG | 0 to 0.3 | 900 per column, with alpha 1,500 |
/// | BMP, Radiance | 3, with alpha 4 | the same |
/// | JPEG progressive | 3.0 at 4:2:0, 6.0 at 4:4:4 | 2.1 per sample |
/// | PNG interlaced | 2.8 at 8 bit, 6.0 at 16 bit | the samples |
/// | GIF | 4.6 | 5 |
/// | WebP | 8.0, with alpha 9.3 | 8.2, with alpha 10 |
/// | AVIF, HEIC | 6.9 and 8.1; 13.7 at 4:4:4 or with alpha | 8.5; 15.3; 14.5 with alpha |
/// | AVIF, HEIC of 10 or 12 bit | 13.6 at 4:2:0, 13.3 at 4:4:4 | 14, and 2 per further sample; 29 with alpha |
/// | JPEG XL | 3.8 to 7; 21 for 16 bit, 43 for some with alpha | 20; 24; 45 |
/// | JPEG 2000 | 3.4 in tiles of 512, else 7.2 | 4 per sample of a row of tiles |
/// | OpenEXR | 16 | 22 |
/// | SVG of 8 MB, by the byte | 27 for one path, 65 for rectangles | 60 |
/// | TIFF | 0.3 in strips and tiles, 2.9 in one strip | twice a strip or row of tiles |
///
/// Thumbnails took 4 to 7 bytes per pixel of the largest, as AVIF 18 to 24. The planar lane has the
/// decoded planes besides, a byte per sample.
struct RenderCost: Equatable, Sendable {
    /// Bytes, including the original, on one thread.
    var peak: Int
    /// Bytes that each further thread takes; 0 if the work can't be divided.
    var side = 0
    var lane: RenderLane
    /// Limit of processor time; nil for the policy's.
    var limit: Duration?
    /// Bytes that a child may map for each predicted one. Decoders map more than they touch: for WebP 15
    /// bytes per pixel, and 8 of them are used. What an SVG maps is up to its author.
    var mapped = 2

    /// Bytes above which a render is slow; thumbnails of 1280×1920 from a JPEG of 2000×3000 and from a
    /// photograph of 24 megapixels take less.
    static let quickPeak = 40 << 20
    /// Pixels up to which a picture is quick that is decoded as a whole.
    private static let quickPixels = 1_000_000
    /// Pixels up to which a picture is quick that is decoded in rows: a tenth of a second.
    private static let quickRows = 4_000_000
    /// The same for baseline JPEG: libjpeg skips most of the work for a smaller result.
    private static let quickJPEG = 25_000_000
    /// Bytes of buffers that don't grow with the picture.
    private static let fixed = 3 << 20

    /// - Parameters:
    ///   - bytes: of the original.
    ///   - levels: all configured levels.
    ///   - isIsolated: whether a child renders it. Then shared memory holds the original and the encoded
    ///     thumbnails a second time, and this process a copy of the thumbnails.
    init(
        _ header: Header, bytes: Int, renditions: [Rendition], levels: [Level],
        isIsolated: Bool = false
    ) {
        let seen = header.size.turned(header.orientation)
        let chains = LevelChain.chains(
            of: seen, configured: levels, wanted: renditions.map(\.level))
        let firsts = chains.map { 8 * Double($0.sizes[0].area) }
        let largestAVIF = renditions.filter { $0.format == .avif }
            .map { 26 * Double($0.level.size(of: seen).area) }.max()
        let thumbnails = max(firsts.max() ?? 0, largestAVIF ?? 0)
        let isPlanar = Lane.mayMakePlanes(header, levels)
        let needsLibvips =
            !isPlanar
            || renditions.contains { !$0.format.takesPlanes || !$0.level.fitsPlanes }
        let decoded = max(
            isPlanar ? Lane.planes(header, chains) : 0,
            needsLibvips ? Decoder.kept(header, chains) : 0)
        // A reduced JPEG 2000 is decoded as a whole.
        let reduced =
            isPlanar && Lane.mayReduce(header, levels)
            ? 4.2 * header.samples * Double(Lane.reducedPixels(header, chains)) : 0
        let decoder = max(Self.decoder(header, firsts.max() ?? 0), reduced)
        // Pixels of the other chains wait meanwhile.
        let others = (firsts.reduce(0, +) - (firsts.max() ?? 0)) / 2
        peak = .clampedSum(
            Self.fixed, bytes, header.copied,
            Int(clamped: thumbnails + others + decoder),
            Self.hasRoomForDecoded(header.format) ? 0 : decoded)
        if isIsolated {
            let encoded = Self.encoded(seen, renditions)
            peak = .clampedSum(peak, bytes, .clampedProduct(2, encoded))
        }
        let isLarge = header.pixels > Self.quickPixels(header)
        lane = peak > Self.quickPeak || isLarge || Self.isSlow(header.format) ? .slow : .quick
        if header.format == .svg { mapped = 1 }
        // An encoder of the largest thumbnail, and a workspace of its own.
        if renditions.count > 1 { side = .clampedSum(1 << 20, Int(clamped: thumbnails)) }
    }

    /// The cost of reading a header in a child: the original, here and in shared memory.
    init(headerOf bytes: Int) {
        peak = .clampedSum(Self.fixed, .clampedProduct(2, bytes))
        lane = peak > Self.quickPeak ? .slow : .quick
    }

    /// The cost of a drawn picture: 11 bytes per pixel were measured for a WebP sheet of 14
    /// megapixels, 6 for a JPEG.
    init(drawing pixels: Int) {
        peak = .clampedSum(Self.fixed, .clampedProduct(12, pixels))
        lane = peak > Self.quickPeak ? .slow : .quick
    }

    /// The cost of a pyramid: the decoder, a row of tiles of each layer, and the tiles, which take half a
    /// byte for each pixel of a picture that compresses badly.
    ///
    /// - Parameter isIsolated: whether a child makes it. Then shared memory holds the original and the
    ///   tiles a second time, and this process a copy of the tiles.
    init(pyramidOf header: Header, bytes: Int, isIsolated: Bool) {
        let rows = Int.clampedProduct(header.width, min(PyramidTable.side, header.height))
        let tiles = Int.clampedSum(64 << 10, header.pixels / 2)
        peak = .clampedSum(
            Self.fixed, bytes, header.copied, .clampedProduct(6, rows),
            Int(clamped: Self.decoder(header, 0)), .clampedProduct(2, tiles))
        if header.format == .svg { mapped = 1 }
        if isIsolated { peak = .clampedSum(peak, bytes, .clampedProduct(2, tiles)) }
        lane = .slow
    }

    /// Bytes for each pixel of a part of a picture: six for the result, the others for its tiles and their
    /// planes.
    static let bytesPerCutPixel = 18

    /// The cost of a part of a picture that is made from its tiles.
    init(cut: PictureCut) {
        let tiles = cut.tiles.reduce(0) { Int.clampedSum($0, $1.count) }
        // Once in shared memory, once in the child.
        peak = .clampedSum(Self.fixed, cut.memory, .clampedProduct(2, tiles))
        lane = peak > Self.quickPeak ? .slow : .quick
    }

    /// Returns the bytes of the encoded thumbnails of a picture that compresses badly.
    private static func encoded(_ seen: PixelSize, _ renditions: [Rendition]) -> Int {
        renditions.reduce(0) { sum, rendition in
            let pixels = rendition.level.size(of: seen).area
            return .clampedSum(sum, .clampedProduct(pixels, rendition.format == .png ? 4 : 1))
        }
    }

    /// - Parameter surface: bytes of the largest thumbnail's pixels, which an SVG is drawn to.
    private static func decoder(_ header: Header, _ surface: Double) -> Double {
        let pixels = Double(header.width) * Double(header.height)
        // What libvips needs for the rows that it resizes at a time, as floats with alpha.
        let rows = (header.hasAlpha ? 1_500 : 900) * Double(header.width)
        let bytes = header.samples * (header.depth > 8 ? 2 : 1)
        let wide = header.depth > 8 ? 2.0 : 1
        switch header.format {
        case .jpeg: return header.isProgressive ? rows + pixels * header.samples * 2.1 : rows
        case .png: return header.isProgressive ? rows + pixels * bytes : rows
        // Bytes as a whole, if libvips makes thumbnails of it.
        case .bmp, .hdr: return rows + (header.hasAlpha ? 4 : 3) * pixels
        case .gif: return 5 * pixels + 200 * Double(header.frames)
        case .webp:
            let animation = header.frames > 1 ? 6 * pixels : 0
            return (header.hasAlpha ? 10 : 8.2) * pixels + animation
        case .avif, .heic:
            if header.hasAlpha { return 14.5 * wide * pixels }
            if header.depth > 8 { return (14 + 2 * max(0, header.samples - 1.5)) * pixels }
            return (header.samples < 3 ? 8.5 : 15.3) * pixels
        // A progressive one keeps its coefficients.
        case .jxl: return (header.hasAlpha ? 45 : header.depth > 8 ? 24 : 20) * pixels
        case .jp2: return rows + 4.2 * header.samples * Double(piece(header))
        case .tiff:
            let bytes = header.samples * Double((header.depth + 7) / 8)
            return rows + 2 * bytes * Double(piece(header))
        // Four floats and four bytes, as a whole, besides what is read at once.
        case .exr: return rows + 22 * pixels
        // A surface of the thumbnail's size for each of a few filters and groups, and the elements.
        case .svg: return 6 * surface + 16 * 1024 * 1024 + 60 * Double(header.copied)
        }
    }

    /// Returns whether what a decoder is given suffices for what is kept of the picture, too.
    private static func hasRoomForDecoded(_ format: ImageFormat) -> Bool {
        switch format {
        case .avif, .heic, .svg, .bmp, .exr, .hdr: true
        case .jpeg, .png, .gif, .webp, .tiff, .jxl, .jp2: false
        }
    }

    /// Returns the pixels that a decoder makes at once if the file decides.
    private static func piece(_ header: Header) -> Int {
        let rows = header.rowsAtOnce > 0 ? header.rowsAtOnce : header.height
        return .clampedProduct(header.width, rows)
    }

    /// Returns the pixels that a quick render may have.
    private static func quickPixels(_ header: Header) -> Int {
        switch header.format {
        case .jpeg: header.isProgressive ? quickPixels : quickJPEG
        case .png: header.isProgressive ? quickPixels : quickRows
        case .gif, .webp: quickPixels
        case .tiff, .avif, .heic, .svg, .bmp, .jxl, .jp2, .exr, .hdr: quickRows
        }
    }

    /// Returns whether a megapixel may take a second.
    private static func isSlow(_ format: ImageFormat) -> Bool {
        switch format {
        case .avif, .heic, .svg, .jxl, .jp2, .exr: true
        case .jpeg, .png, .gif, .webp, .tiff, .bmp, .hdr: false
        }
    }
}
