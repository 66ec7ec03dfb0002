import CVips

extension VipsPicture {
    /// Opens by the one loader for the format: libvips' own guess would also try loaders that must
    /// never see what strangers send.
    ///
    /// - Parameters:
    ///   - bytes: outlive the picture.
    ///   - shrink: 1, 2, 4 or 8; for JPEG only.
    ///   - scale: at least 0.001; for SVG only.
    static func open(
        _ bytes: UnsafeBufferPointer<UInt8>, _ format: ImageFormat, shrink: Int = 1,
        scale: Double = 1
    ) throws(ImagingError) -> VipsPicture {
        let (start, count) = (bytes.baseAddress, bytes.count)
        switch format {
        case .jpeg:
            return try VipsPicture { vitrine_vips_load_jpeg(start, count, Int32(shrink), $0) }
        case .png: return try VipsPicture { vitrine_vips_load_png(start, count, $0) }
        case .gif: return try VipsPicture { vitrine_vips_load_gif(start, count, $0) }
        case .webp: return try VipsPicture { vitrine_vips_load_webp(start, count, $0) }
        case .avif, .heic: return try VipsPicture { vitrine_vips_load_heif(start, count, $0) }
        case .tiff: return try VipsPicture { vitrine_vips_load_tiff(start, count, $0) }
        case .svg: return try VipsPicture { vitrine_vips_load_svg(start, count, scale, $0) }
        case .jxl: return try VipsPicture { vitrine_vips_load_jxl(start, count, $0) }
        case .jp2: return try VipsPicture { vitrine_vips_load_jp2(start, count, $0) }
        case .bmp, .exr, .hdr: throw .unsupported(format: format.name)
        }
    }
}
