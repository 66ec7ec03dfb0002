import CPixels

extension PixelBuffer {
    /// Returns a copy of another size, which libvips makes.
    func resampled(to size: PixelSize) throws(ImagingError) -> PixelBuffer {
        try VipsPicture(borrowing: self).resized(to: size).pixels()
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

    /// Returns the pixels without alpha if every pixel is opaque.
    func droppingOpaqueAlpha() throws(ImagingError) -> PixelBuffer {
        guard bands == 4, pixels_is_opaque(bytes, width * height) == 1 else { return self }
        return try flattened(on: RGB(red: 0, green: 0, blue: 0))
    }
}
