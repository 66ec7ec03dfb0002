import CVips

extension Canvas {
    /// The colors of a file that a canvas is written to.
    package enum FileColors: Sendable, Equatable {
        case rgb, gray
        /// CMYK of libvips' own profile.
        case ink
        /// With an alpha that grows from the top to the bottom.
        case transparent
    }

    /// Returns a file that libvips writes, for benchmarks and demos.
    ///
    /// - Parameter suffix: of a file's name, with libvips' options for the format: `.tif[compression=lzw]`.
    package func file(
        _ suffix: String, _ colors: FileColors = .rgb
    ) throws(ImagingError) -> [UInt8] {
        let picture = try picture(colors)
        Vips.allowWriters()
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        let status = picture.with { vitrine_vips_save_as($0, suffix, &bytes, &count) }
        defer { g_free(bytes) }
        guard status == 0, let bytes else {
            throw .misconfigured(reason: "\(suffix) can't be written: \(Vips.errorText())")
        }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private func picture(_ colors: FileColors) throws(ImagingError) -> VipsPicture {
        let whole = try VipsPicture(borrowing: buffer)
        switch colors {
        case .rgb: return whole
        case .gray:
            return try whole.applying { vitrine_vips_to_space($0, VIPS_INTERPRETATION_B_W, $1) }
        case .ink: return try whole.applying { vitrine_vips_to_ink($0, $1) }
        case .transparent: return try VipsPicture(borrowing: try transparent())
        }
    }

    private func transparent() throws(ImagingError) -> PixelBuffer {
        let result = try PixelBuffer(width: width, height: height, bands: 4)
        for pixel in 0..<width * height {
            let (from, to) = (buffer.bytes + 3 * pixel, result.bytes + 4 * pixel)
            to.update(from: from, count: 3)
            to[3] = UInt8(pixel / width * 255 / max(1, height - 1))
        }
        return result
    }
}
