import COpenJPEG

extension Planes {
    /// Pixels that OpenJPEG decodes at once, four bytes for each sample. libvips decodes larger pictures tile by
    /// tile.
    static let mostOfJPEG2000 = 16_000_000

    /// Returns the planes of a JPEG 2000 whose sides are divided by a power of two; by which, and the embedded
    /// profile.
    ///
    /// - Returns: nil at the first error or warning, and if the picture isn't what its header said, has too few
    ///   resolutions or other samples than bytes.
    static func jpeg2000(
        _ original: [UInt8], _ header: Header, shrunkBy factor: Int, in workspace: RenderWorkspace
    ) throws(ImagingError) -> (planes: Planes, factor: Int, profile: [UInt8]?)? {
        // What the render has been given memory for.
        let most = min(mostOfJPEG2000, header.size.shrunk(by: factor).area)
        let image = original.withUnsafeBufferPointer {
            vitrine_jp2_decode(
                $0.baseAddress, $0.count, Int32(factor.trailingZeroBitCount), UInt64(most))
        }
        guard let image else { return nil }
        defer { opj_image_destroy(image) }
        let factor = 1 << Int(image.pointee.comps[0].factor)
        let (size, bands) = (header.size.shrunk(by: factor), Int(image.pointee.numcomps))
        guard bands == 1 || bands == 3,
            vitrine_jp2_is_bytes(image, UInt32(clamping: size.width), UInt32(clamping: size.height))
        else { return nil }
        let builder = try PlaneBuilder(size, bands: bands, in: workspace)
        let row = try PixelBuffer(width: size.width, height: 1, bands: bands)
        for y in 0..<size.height {
            vitrine_jp2_row(image, y, row.bytes)
            builder.push(row.bytes, row.stride, 1)
        }
        let profile = image.pointee.icc_profile_buf.map {
            Array(UnsafeBufferPointer(start: $0, count: Int(image.pointee.icc_profile_len)))
        }
        return (builder.planes, factor, profile)
    }
}
