import CVips

extension PixelBuffer {
    /// Returns a part of the pixels.
    func cropped(left: Int, top: Int, to size: PixelSize) throws(ImagingError) -> PixelBuffer {
        let result = try PixelBuffer(width: size.width, height: size.height, bands: bands)
        for row in 0..<size.height {
            (result.bytes + row * result.stride).update(
                from: bytes + (top + row) * stride + left * bands, count: result.stride)
        }
        return result
    }

    /// Returns the corner of the part that libvips finds the most interesting.
    func smartCorner(
        of size: PixelSize, _ gravity: Level.Gravity
    ) throws(ImagingError) -> (left: Int, top: Int) {
        let picture = try VipsPicture(borrowing: self)
        let interest = gravity == .attention ? VIPS_INTERESTING_ATTENTION : VIPS_INTERESTING_ENTROPY
        let part = try picture.applying {
            vitrine_vips_smart_crop($0, Int32(size.width), Int32(size.height), interest, $1)
        }
        let corner = part.with { part in
            (left: -Int(vitrine_vips_x_offset(part)), top: -Int(vitrine_vips_y_offset(part)))
        }
        return Framing.even(
            min(corner.left, width - size.width), min(corner.top, height - size.height))
    }

    /// Returns the picture in the middle of a ground of its own color.
    func onGround(_ size: PixelSize) throws(ImagingError) -> PixelBuffer {
        let small = self.size.fitting(PictureSummary.box)
        let color = DominantColor.find(
            small == self.size ? self : try resampled(width: small.width, height: small.height))
        let picture = try flattened(on: color)
        let result = try PixelBuffer(
            width: size.width, height: size.height, bands: picture.bands)
        let sample = picture.bands == 1 ? [color.red] : [color.red, color.green, color.blue]
        for at in 0..<result.count { result.bytes[at] = sample[at % sample.count] }
        let (left, top) = Framing.even(
            (size.width - width) / 2, (size.height - height) / 2)
        for row in 0..<height {
            (result.bytes + (top + row) * result.stride + left * picture.bands).update(
                from: picture.bytes + row * picture.stride, count: picture.stride)
        }
        return result
    }
}
