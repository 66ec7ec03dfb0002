import CPixels
import CVips

extension VipsPicture {
    /// Makes an image of a buffer's pixels, in place; the buffer must outlive it.
    convenience init(borrowing pixels: PixelBuffer) throws(ImagingError) {
        let space = pixels.bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB
        try self.init { out in
            guard
                let memory = vitrine_vips_borrow(
                    pixels.bytes, pixels.count, Int32(pixels.width), Int32(pixels.height),
                    Int32(pixels.bands))
            else { return -1 }
            defer { vitrine_vips_unref(memory) }
            return vitrine_vips_as(memory, space, out)
        }
    }

    /// Decodes and resamples row by row.
    ///
    /// - Parameters:
    ///   - spanX: the part of the width that the picture covers, see `pixels_resampler_new`.
    ///   - sizes: in the stored orientation.
    ///   - isXYZ: whether linear light is CIE XYZ instead of red, green and blue.
    func resampled(
        spanX: Double, spanY: Double, to sizes: [PixelSize], isXYZ: Bool = false,
        within deadline: RenderDeadline = .none
    ) throws(ImagingError) -> [PixelBuffer] {
        let resampling = try Resampling(
            size, bands: byteBands, spanX: min(spanX, Double(width)),
            spanY: min(spanY, Double(height)), to: sizes)
        try readBytes(isXYZ: isXYZ, within: deadline, resampling.push)
        return resampling.results
    }

    /// Bands of the rows that ``readBytes(isXYZ:within:_:)`` gives: 1, 3 or 4.
    var byteBands: Int { isLinear ? min(bands, 4) : bands == 2 ? 4 : bands }

    /// Reads all rows from the top as bytes: gray, sRGB, or sRGB with alpha.
    ///
    /// - Parameter isXYZ: whether linear light is CIE XYZ instead of red, green and blue.
    func readBytes(
        isXYZ: Bool = false, within deadline: RenderDeadline,
        _ body: (_ rows: UnsafePointer<UInt8>, _ stride: Int, _ count: Int) -> Void
    ) throws(ImagingError) {
        if isLinear {
            try readLinear(LinearLight(isXYZ: isXYZ, bands: byteBands), deadline, body)
        } else if bands == 2 {
            try readGrayAlpha(deadline, body)
        } else {
            try readRows(within: deadline, body)
        }
    }

    /// The same to one size.
    func resampled(
        spanX: Double, spanY: Double, to size: PixelSize,
        within deadline: RenderDeadline = .none
    ) throws(ImagingError) -> PixelBuffer {
        try resampled(spanX: spanX, spanY: spanY, to: [size], within: deadline)[0]
    }

    private func readGrayAlpha(
        _ deadline: RenderDeadline, _ body: (UnsafePointer<UInt8>, Int, Int) -> Void
    ) throws(ImagingError) {
        let row = try PixelBuffer(width: width, height: 1, bands: 4)
        try readRows(within: deadline) { rows, stride, count in
            for index in 0..<count {
                pixels_expand_gray_alpha(rows + index * stride, width, row.bytes)
                body(row.bytes, row.stride, 1)
            }
        }
    }

    /// Converts floats of linear light to sRGB row by row.
    private func readLinear(
        _ light: LinearLight, _ deadline: RenderDeadline,
        _ body: (UnsafePointer<UInt8>, Int, Int) -> Void
    ) throws(ImagingError) {
        let row = try PixelBuffer(width: width, height: 1, bands: bands)
        try readRows(within: deadline) { rows, stride, count in
            for index in 0..<count {
                let samples = UnsafeRawPointer(rows + index * stride)
                    .assumingMemoryBound(to: Float.self)
                light.toSRGB(samples, width, row.bytes)
                body(row.bytes, row.stride, 1)
            }
        }
    }
}

extension PixelBuffer {
    /// Returns RGB converted by an ICC profile; unchanged if the profile can't be used.
    func convertedToSRGB(from profile: [UInt8]) throws(ImagingError) -> PixelBuffer {
        let tagged = try VipsPicture(borrowing: self)
        tagged.with { vitrine_vips_set_profile($0, profile, profile.count) }
        let converted: VipsPicture
        do throws(ImagingError) {
            converted = try tagged.applying { vitrine_vips_to_srgb_by_profile($0, nil, $1) }
        } catch {
            return self
        }
        let size = PixelSize(width: width, height: height)
        return try converted.resampled(
            spanX: Double(width), spanY: Double(height), to: size)
    }
}
