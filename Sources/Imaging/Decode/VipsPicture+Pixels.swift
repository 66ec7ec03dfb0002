import CPixels
import CVips

extension VipsPicture {
    /// Makes an image of a buffer's pixels, in place.
    ///
    /// - Parameter isInk: whether four bands are CMYK.
    convenience init(borrowing pixels: PixelBuffer, isInk: Bool = false) throws(ImagingError) {
        let colors = isInk ? VIPS_INTERPRETATION_CMYK : VIPS_INTERPRETATION_sRGB
        let space = pixels.bands == 1 ? VIPS_INTERPRETATION_B_W : colors
        try self.init(of: pixels, isBuffer: true) { out in
            guard
                let memory = vitrine_vips_borrow(
                    pixels.bytes, pixels.count, Int32(pixels.width), Int32(pixels.height),
                    Int32(pixels.bands))
            else { return -1 }
            defer { vitrine_vips_unref(memory) }
            return vitrine_vips_as(memory, space, out)
        }
    }

    /// Bands of the rows that ``readBytes(isXYZ:strip:within:_:)`` gives: 1, 3 or 4.
    var byteBands: Int { isLinear ? min(bands, 4) : bands == 2 ? 4 : bands }

    /// Returns all pixels as bytes: gray, sRGB, or sRGB with alpha.
    ///
    /// - Parameter isXYZ: whether linear light is CIE XYZ instead of red, green and blue.
    func pixels(
        isXYZ: Bool = false, strip: Int = 16, within deadline: RenderDeadline = .none
    ) throws(ImagingError) -> PixelBuffer {
        if let buffer { return buffer }
        let pixels = try PixelBuffer(width: width, height: height, bands: byteBands)
        try readBytes(isXYZ: isXYZ, strip: strip, within: deadline, pixels.filling())
        return pixels
    }

    /// Returns a picture whose pixels are in memory, so that they may be read in any order and by several
    /// threads.
    func inMemory(
        isXYZ: Bool = false, within deadline: RenderDeadline
    ) throws(ImagingError) -> VipsPicture {
        buffer == nil
            ? try VipsPicture(
                borrowing: try pixels(isXYZ: isXYZ, within: deadline), isInk: isPlainInk) : self
    }

    /// Returns the picture in another size, in memory.
    func resized(
        to size: PixelSize, within deadline: RenderDeadline = .none
    ) throws(ImagingError) -> VipsPicture {
        if size == self.size { return try inMemory(within: deadline) }
        let resized = try applying {
            vitrine_vips_resized(
                $0, Double(size.width) / Double(width), Double(size.height) / Double(height), $1)
        }
        guard resized.size == size else {
            throw .misconfigured(
                reason: "libvips resized to \(resized.width)×\(resized.height) instead of"
                    + " \(size.width)×\(size.height)")
        }
        return try VipsPicture(
            borrowing: try resized.pixels(
                strip: hasAlpha ? Self.weighedStrip : Self.strip, within: deadline),
            isInk: isPlainInk)
    }

    /// Rows that are resized at a time. Each strip reads some rows again that the one before it needed, so
    /// that few rows would cost more. Always the same, because libvips' sums depend on it.
    private static let strip = 64
    /// The same of pictures with alpha, which are floats meanwhile.
    private static let weighedStrip = 16

    /// Reads all rows from the top as bytes: gray, sRGB, or sRGB with alpha.
    func readBytes(
        isXYZ: Bool = false, strip: Int = 16, within deadline: RenderDeadline,
        _ body: RowSink
    ) throws(ImagingError) {
        if isLinear {
            try readLinear(LinearLight(isXYZ: isXYZ, bands: byteBands), deadline, body)
        } else if bands == 2 {
            try readGrayAlpha(deadline, body)
        } else {
            try readRows(strip: strip, within: deadline, body)
        }
    }

    private func readGrayAlpha(
        _ deadline: RenderDeadline, _ body: RowSink
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
        _ light: LinearLight, _ deadline: RenderDeadline, _ body: RowSink
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

extension VipsPicture {
    /// Returns the picture converted by its profile, if it has one or needs one.
    func inSRGB(by profile: [UInt8]?) throws(ImagingError) -> VipsPicture {
        if isPlainInk { return try convertedFromInk(by: profile) }
        guard let profile else { return self }
        return try convertedToSRGB(by: profile)
    }

    /// Returns RGB converted by an ICC profile, in memory; unchanged if the profile can't be used.
    private func convertedToSRGB(by profile: [UInt8]) throws(ImagingError) -> VipsPicture {
        let tagged = try applying { vitrine_vips_as($0, VIPS_INTERPRETATION_sRGB, $1) }
        tagged.with { vitrine_vips_set_profile($0, profile, profile.count) }
        do throws(ImagingError) {
            return try tagged.applying { vitrine_vips_to_srgb_by_profile($0, nil, $1) }
                .inMemory(within: .none)
        } catch {
            return self
        }
    }

    /// Returns sRGB made of CMYK by its profile, in memory.
    private func convertedFromInk(by profile: [UInt8]?) throws(ImagingError) -> VipsPicture {
        let ink = try applying { vitrine_vips_as($0, VIPS_INTERPRETATION_CMYK, $1) }
        if let profile { ink.with { vitrine_vips_set_profile($0, profile, profile.count) } }
        return try ink.normalized().inMemory(within: .none)
    }

    /// Returns the picture turned and without an alpha that is opaque everywhere, in memory.
    func upright(_ orientation: Orientation) throws(ImagingError) -> VipsPicture {
        let pixels = try pixels()
        let upright = try pixels.oriented(orientation).droppingOpaqueAlpha()
        return upright === pixels ? self : try VipsPicture(borrowing: upright)
    }
}

extension PixelBuffer {
    /// Returns what fills the buffer from the top.
    func filling() -> RowSink {
        var row = 0
        return { [self] rows, stride, count in
            for index in 0..<min(count, height - row) {
                (bytes + (row + index) * self.stride).update(
                    from: rows + index * stride, count: self.stride)
            }
            row += count
        }
    }
}
