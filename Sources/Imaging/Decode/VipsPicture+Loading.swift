import CVips

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension VipsPicture {
    /// Opens an original with the loader for its format. libvips' own choice could be a loader that
    /// must never see untrusted files.
    ///
    /// - Parameters:
    ///   - bytes: outlive the picture.
    ///   - shrink: 1, 2, 4 or 8; for JPEG only.
    ///   - isStrict: whether a warning is an error; for JPEG only.
    ///   - page: for TIFF only.
    ///   - scale: at least 0.001; for SVG only.
    static func open(
        _ bytes: UnsafeBufferPointer<UInt8>, _ format: ImageFormat, shrink: Int = 1,
        isStrict: Bool = false, page: Header.Page = .first, scale: Double = 1
    ) throws(ImagingError) -> VipsPicture {
        let (start, count) = (bytes.baseAddress, bytes.count)
        switch format {
        case .jpeg:
            return try VipsPicture {
                vitrine_vips_load_jpeg(start, count, Int32(shrink), isStrict ? 1 : 0, $0)
            }
        case .png: return try VipsPicture { vitrine_vips_load_png(start, count, $0) }
        case .gif: return try VipsPicture { vitrine_vips_load_gif(start, count, $0) }
        case .webp: return try VipsPicture { vitrine_vips_load_webp(start, count, $0) }
        case .avif, .heic: return try VipsPicture { vitrine_vips_load_heif(start, count, $0) }
        case .tiff:
            let (number, below) = (Int32(clamping: page.number), Int32(clamping: page.below ?? -1))
            return try VipsPicture { vitrine_vips_load_tiff(start, count, number, below, $0) }
        case .svg: return try VipsPicture { vitrine_vips_load_svg(start, count, scale, $0) }
        case .jxl: return try VipsPicture { vitrine_vips_load_jxl(start, count, $0) }
        case .jp2: return try VipsPicture { vitrine_vips_load_jp2(start, count, $0) }
        case .hdr: return try VipsPicture { vitrine_vips_load_rad(start, count, $0) }
        case .bmp, .exr: throw .unsupported(format: format.name)
        }
    }

    /// Opens an OpenEXR picture, for which libvips has a loader by name only.
    ///
    /// - Parameter descriptor: of memory that holds the picture and nothing else; outlives the picture.
    /// - Throws: ``ImagingError/misconfigured(reason:)`` if this process may open no file by name.
    static func openEXR(_ descriptor: Int32) throws(ImagingError) -> VipsPicture {
        // Landlock lets a process reopen its own anonymous memory. Without Landlock a confined
        // process opens no file at all.
        let path = "/proc/self/fd/\(descriptor)"
        guard canOpen(path) else {
            throw .misconfigured(
                reason: "OpenEXR needs /proc and Landlock (\(String(cString: strerror(errno))))")
        }
        return try VipsPicture { vitrine_vips_load_exr(path, $0) }
    }
}

/// Whether this process may read a file; sets `errno`.
private func canOpen(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file >= 0 { close(file) }
    return file >= 0
}
