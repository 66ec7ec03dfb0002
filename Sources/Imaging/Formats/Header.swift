/// The facts of an original's header. They are read by hand before any decoder, because a few bytes
/// can claim a picture that a decoder would reserve gigabytes for.
struct Header: Equatable {
    var format: ImageFormat
    /// Size in pixels as stored, before the orientation is applied.
    var width: Int
    var height: Int
    var orientation = Orientation.upright
    var hasAlpha = false
    /// Progressive or interlaced: decoders keep the whole picture in memory.
    var isProgressive = false
    /// Samples per pixel in the file, alpha included; subsampled colors count by their share.
    var samples = 3.0
    /// Most bits of a sample.
    var depth = 8
    /// Frames, pages or pictures.
    var frames = 1
    /// Rows that a decoder makes at once, if the file decides; otherwise 0.
    var rowsAtOnce = 0
    /// The part of a GIF's screen that its first frame covers; nil if that is all, or if the frame is
    /// transparent anyway.
    var frame: Frame?
    /// The sampling of a JPEG whose planes can be used as they are; nil for all other pictures.
    var planes: ChromaSampling?
    /// Whether those planes have the colors of an embedded profile that is not sRGB's.
    var planesNeedProfile = false
    /// Whether a JPEG has four colors: CMYK, or YCCK, which libjpeg makes CMYK of.
    var isInk = false
    /// How often the sides of a TIFF are halved in other pages of the same picture, each time by one page more.
    var halvings = 0
    /// The page of a TIFF that is shown.
    var page = Page.first
    /// Bytes that are copied from the original, or inflated, before decoding.
    var copied = 0

    /// Limit of chunks, segments, boxes or pages that are read; real files have a few hundred.
    static let maxParts = 10_000

    /// Halvings that are used: to an eighth of the sides, as of a JPEG.
    static let maxHalvings = 3

    /// A page of a TIFF.
    struct Page: Equatable {
        /// In the chain of pages, from 0.
        var number: Int
        /// The subdirectory of that page, from 0; nil for the page itself.
        var below: Int?

        static let first = Page(number: 0)
    }

    /// A rectangle in pixels.
    struct Frame: Equatable {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
    }

    /// Whether a decoder other than libvips makes planes of the picture, unless it warns of it.
    var givesPlanes: Bool { planes != nil || format == .webp && frames == 1 }

    /// Whether planes don't depend on libvips' version: another decoder makes them, or each pixel is what the file
    /// says.
    var givesExactPixels: Bool {
        switch format {
        case .png, .gif, .bmp, .tiff: true
        case .jpeg, .webp, .avif, .heic, .svg, .jxl, .jp2, .exr, .hdr: givesPlanes
        }
    }

    /// Returns whether a size is that of the picture with its sides divided, rounded up or down.
    func isSize(_ smaller: PixelSize, dividedBy factor: Int) -> Bool {
        let up = size.shrunk(by: factor)
        return (width / factor...up.width).contains(smaller.width)
            && (height / factor...up.height).contains(smaller.height)
    }

    var size: PixelSize { PixelSize(width: width, height: height) }
    /// `Int.max` if a header claims more.
    var pixels: Int { .clampedProduct(width, height) }

    var info: ImageInfo {
        let seen = size.turned(orientation)
        return ImageInfo(
            format: format, width: seen.width, height: seen.height, hasAlpha: hasAlpha,
            isProgressive: isProgressive)
    }
}
