import CPixels

extension PixelBuffer {
    /// Returns a copy of another size.
    func resampled(width: Int, height: Int) throws(ImagingError) -> PixelBuffer {
        let result = try PixelBuffer(width: width, height: height, bands: bands)
        let status = pixels_resample(
            bytes, Int32(self.width), Int32(self.height), Int32(bands), result.bytes, Int32(width),
            Int32(height))
        guard status == 0 else { throw Self.noMemory(width, height) }
        return result
    }

    /// Returns the pixels turned and mirrored by an EXIF orientation.
    func oriented(_ orientation: Orientation) throws(ImagingError) -> PixelBuffer {
        if orientation == .upright { return self }
        let (newWidth, newHeight) = orientation.swapsSides ? (height, width) : (width, height)
        let result = try PixelBuffer(width: newWidth, height: newHeight, bands: bands)
        pixels_orient(
            bytes, Int32(width), Int32(height), Int32(bands), Int32(orientation.rawValue),
            result.bytes)
        return result
    }

    /// Returns the pixels over a background, without alpha.
    func flattened(on background: RGB) throws(ImagingError) -> PixelBuffer {
        if bands != 4 { return self }
        let result = try PixelBuffer(width: width, height: height, bands: 3)
        pixels_flatten(
            bytes, width * height, background.red, background.green, background.blue, result.bytes)
        return result
    }

    /// Returns gray as red, green and blue.
    func expandedGray() throws(ImagingError) -> PixelBuffer {
        if bands != 1 { return self }
        let result = try PixelBuffer(width: width, height: height, bands: 3)
        pixels_expand_gray(bytes, width * height, result.bytes)
        return result
    }

    /// Returns the pixels without alpha if every pixel is opaque.
    func droppingOpaqueAlpha() throws(ImagingError) -> PixelBuffer {
        guard bands == 4, pixels_is_opaque(bytes, width * height) == 1 else { return self }
        return try flattened(on: RGB(red: 0, green: 0, blue: 0))
    }
}
