import CVips

/// Owns one reference to an image of libvips.
///
/// libvips is lazy: pixels are made when rows are read, so that the bytes of an open image must
/// outlive it. Used by one thread. Failures throw ``ImagingError/broken(reason:)`` with libvips'
/// message.
final class VipsPicture {
    typealias Image = UnsafeMutablePointer<VipsImage>

    private let image: Image
    /// Samples in memory that the image or what it is made from uses.
    private let samples: PixelBuffer?
    /// The image's own samples; nil if they are made when they are read.
    let buffer: PixelBuffer?

    /// Takes over the image that an operation makes. Starts libvips first if it doesn't run.
    ///
    /// - Parameters:
    ///   - samples: outlive the image.
    ///   - isBuffer: whether they are the image's own.
    ///   - operation: fills in the image and returns 0.
    init(
        of samples: PixelBuffer? = nil, isBuffer: Bool = false,
        _ operation: (UnsafeMutablePointer<Image?>) -> Int32
    ) throws(ImagingError) {
        try Vips.start()
        self.samples = samples
        buffer = isBuffer ? samples : nil
        var made: Image?
        let status = operation(&made)
        guard status == 0, let made else { throw Vips.failure() }
        image = made
    }

    deinit { vitrine_vips_unref(image) }

    /// Returns a new image made from this one, which it keeps alive.
    func applying(
        _ operation: (Image, UnsafeMutablePointer<Image?>) -> Int32
    ) throws(ImagingError) -> VipsPicture {
        try VipsPicture(of: samples) { operation(image, $0) }
    }

    /// Returns the result of an operation on this image.
    func with<Value>(_ body: (Image) -> Value) -> Value { body(image) }

    var width: Int { Int(vitrine_vips_width(image)) }
    var height: Int { Int(vitrine_vips_height(image)) }
    var size: PixelSize { PixelSize(width: width, height: height) }
    var bands: Int { Int(vitrine_vips_band_count(image)) }
    var hasAlpha: Bool { vitrine_vips_has_alpha(image) != 0 }
    var isBytes: Bool { vitrine_vips_format(image) == VIPS_FORMAT_UCHAR }
    /// Floats of linear light, as HDR formats have them.
    var isLinear: Bool { vitrine_vips_format(image) == VIPS_FORMAT_FLOAT }
    /// The color space, corrected if the image's own can't be true.
    var space: VipsInterpretation { vitrine_vips_space(image) }

    /// Whether the colors are brightness alone.
    var isGray: Bool { space == VIPS_INTERPRETATION_B_W || space == VIPS_INTERPRETATION_GREY16 }

    /// The embedded ICC profile, if it fits the colors.
    var profile: [UInt8]? {
        var count = 0
        guard let data = vitrine_vips_profile(image, &count) else { return nil }
        let profile = Array(UnsafeRawBufferPointer(start: data, count: count))
        return profileColors.map { Self.profile(profile, fits: $0) } ?? true ? profile : nil
    }

    /// Returns the picture with everything outside of a frame transparent; as it is without a frame, or with
    /// an alpha.
    func within(_ frame: Header.Frame?) throws(ImagingError) -> VipsPicture {
        guard let frame, !hasAlpha, isBytes else { return self }
        let (left, top) = (min(frame.left, width), min(frame.top, height))
        let (across, down) = (min(frame.width, width - left), min(frame.height, height - top))
        guard across > 0, down > 0, across < width || down < height else { return self }
        return try applying {
            vitrine_vips_only($0, Int32(left), Int32(top), Int32(across), Int32(down), $1)
        }
    }

    /// Stops libvips at the deadline, by the clock. libvips checks between rows of pictures that it
    /// decodes as a whole.
    func kill(after deadline: RenderDeadline) {
        let left = max(.zero, deadline.leftByClock) / .microseconds(1)
        vitrine_vips_kill_after(image, Int64(left))
    }

    /// Reads all rows from the top, some at a time.
    ///
    /// - Parameter strip: rows at a time; libvips' loaders make strips of 8 or 16.
    func readRows(
        strip: Int = 16, within deadline: RenderDeadline,
        _ body: (_ rows: UnsafePointer<UInt8>, _ stride: Int, _ count: Int) -> Void
    ) throws(ImagingError) {
        guard let region = vitrine_vips_region(image) else { throw Vips.failure() }
        defer { vitrine_vips_unref_region(region) }
        for top in stride(from: 0, to: height, by: strip) {
            try deadline.check()
            let count = min(strip, height - top)
            guard
                vitrine_vips_prepare(region, Int32(top), Int32(width), Int32(count)) == 0,
                let rows = vitrine_vips_row(region, Int32(top))
            else {
                // libvips would only report that it was killed.
                try deadline.checkClock()
                throw Vips.failure()
            }
            body(rows.assumingMemoryBound(to: UInt8.self), vitrine_vips_stride(region), count)
        }
    }
}

extension VipsPicture {
    /// Whether an ICC profile is for a kind of colors, by the four letters in its header (ICC.1,
    /// section 7.2). libvips would take RGB through a profile for gray as gray with alpha.
    static func profile(_ profile: [UInt8], fits colors: StaticString) -> Bool {
        ByteReader(profile).starts(with: colors, at: 16)
    }

    /// The letters of a profile for these colors; nil if any will do.
    var profileColors: StaticString? {
        switch space {
        case VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB, VIPS_INTERPRETATION_RGB16,
            VIPS_INTERPRETATION_scRGB:
            "RGB "
        case VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16: "GRAY"
        case VIPS_INTERPRETATION_CMYK: "CMYK"
        default: nil
        }
    }
}
