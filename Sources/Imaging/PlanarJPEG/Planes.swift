import CPixels
import CWebP

/// A picture as planes of brightness and color, 8 bit, full range, as JPEG has them; or gray. A transparent
/// one has an alpha besides, by which its colors are weighed (premultiplied). Its memory goes back to the
/// workspace at the end.
final class Planes {
    let size: PixelSize
    let sampling: ChromaSampling
    /// Brightness, and both colors if it isn't gray.
    let planes: [pixels_plane]
    /// One sample a pixel; nil for an opaque picture. Only pictures at 4:2:0 have it.
    private(set) var alpha: pixels_plane?
    private let block: RenderMemory.Block
    let workspace: RenderWorkspace

    init(
        _ size: PixelSize, _ sampling: ChromaSampling, hasAlpha: Bool = false,
        in workspace: RenderWorkspace
    ) {
        precondition(!hasAlpha || sampling == .both)
        self.size = size
        self.sampling = sampling
        self.workspace = workspace
        let factors = sampling.factors
        let sides = (0..<sampling.planes + (hasAlpha ? 1 : 0)).map { plane in
            plane == 0 || plane == sampling.planes
                ? size
                : PixelSize(
                    width: (size.width + factors.across - 1) / factors.across,
                    height: (size.height + factors.down - 1) / factors.down)
        }
        func stride(_ side: PixelSize) -> Int { (side.width + 63) / 64 * 64 }
        // The library writes and reads brightness for whole color samples.
        func room(_ side: PixelSize) -> Int { stride(side) * (side.height + factors.down - 1) }
        let block = workspace.memory.take(sides.reduce(0) { $0 + room($1) })
        self.block = block
        var next = block.bytes
        var planes = sides.map { side in
            defer { next += room(side) }
            return pixels_plane(
                samples: next, width: Int32(side.width), height: Int32(side.height),
                stride: stride(side))
        }
        alpha = hasAlpha ? planes.removeLast() : nil
        self.planes = planes
    }

    deinit { workspace.memory.giveBack(block) }

    /// Makes the picture opaque, if all of its alpha is.
    func dropAlpha() { alpha = nil }

    /// Fills the planes with a picture, which the decoder shrinks to their size. Returns false at the first
    /// error or warning, and if the picture isn't what its header said.
    func decode(_ original: [UInt8], _ header: Header) -> Bool {
        withExtendedLifetime(self) {
            workspace.codec.decode(original, header.size, sampling, to: size, into: planes)
        }
    }

    /// Repeats the last column and row of brightness where a color sample reaches beyond the picture.
    func prepareForEncoding() {
        let (width, height) = (size.width, size.height)
        let plane = planes[0]
        let (columns, rows) = (width % sampling.factors.across, height % sampling.factors.down)
        if columns > 0 {
            for row in 0..<height {
                let end = plane.samples + row * plane.stride + width
                for column in 0..<sampling.factors.across - columns { end[column] = end[-1] }
            }
        }
        if rows > 0 {
            let last = plane.samples + (height - 1) * plane.stride
            for row in 1...sampling.factors.down - rows {
                (last + row * plane.stride).update(from: last, count: plane.stride)
            }
        }
    }

    /// Returns the picture resampled.
    ///
    /// - Parameters:
    ///   - spanX: the part of the width that the picture covers: all, or a fraction less if the decoder
    ///     rounded up to whole samples.
    ///   - start: where that part begins.
    ///   - part: the pixels that have an influence; nil for all.
    ///   - sampling: of the result; nil for a thumbnail's.
    ///   - orientation: how the result will be turned. Color samples lie so that they cover whole pairs
    ///     of pixels then.
    func resampled(
        to size: PixelSize, spanX: Double, spanY: Double,
        from start: (x: Double, y: Double) = (0, 0),
        within part: (across: Range<Int>, down: Range<Int>)? = nil,
        as wanted: ChromaSampling? = nil, for orientation: Orientation = .upright
    ) throws(ImagingError) -> Planes {
        let result = Planes(
            size, wanted ?? sampling.thumbnail, hasAlpha: alpha != nil, in: workspace)
        let (from, to) = (sampling.factors, result.sampling.factors)
        let all = result.planes + (result.alpha.map { [$0] } ?? [])
        for index in all.indices {
            let one = (across: 1, down: 1)
            let isColor = index > 0 && index < planes.count
            let (factors, toFactors) = isColor ? (from, to) : (one, one)
            let plane = plane(
                index, part?.across ?? 0..<self.size.width, part?.down ?? 0..<self.size.height)
            let across = Self.mapping(
                start.x - Double(plane.left), spanX, factors.across, size.width, toFactors.across,
                orientation.mirrorsColumns)
            let down = Self.mapping(
                start.y - Double(plane.top), spanY, factors.down, size.height, toFactors.down,
                orientation.mirrorsRows)
            let status = pixels_resample_plane(
                workspace.resampler, plane.samples, across, down, all[index])
            guard status == 0 else { throw PixelBuffer.noMemory(size.width, size.height) }
        }
        return result
    }

    /// Returns a part of a plane, or of the alpha behind the last one, and the pixel where its first sample
    /// begins.
    private func plane(
        _ index: Int, _ across: Range<Int>, _ down: Range<Int>
    ) -> (samples: pixels_plane, left: Int, top: Int) {
        let isColor = index > 0 && index < planes.count
        let factors = isColor ? sampling.factors : (across: 1, down: 1)
        let (left, top) = (across.lowerBound / factors.across, down.lowerBound / factors.down)
        let (right, bottom) = (
            (across.upperBound - 1) / factors.across, (down.upperBound - 1) / factors.down
        )
        guard let whole = index < planes.count ? planes[index] : alpha else {
            preconditionFailure("an opaque picture has no alpha")
        }
        return (
            pixels_plane(
                samples: whole.samples + top * whole.stride + left, width: Int32(right - left + 1),
                height: Int32(bottom - top + 1), stride: whole.stride),
            left * factors.across, top * factors.down
        )
    }

    /// Decodes a JPEG that must have that size and the planes' sampling into a part of them. It begins
    /// with a whole color sample.
    func decodeTile(
        _ jpeg: [UInt8], _ size: PixelSize, left: Int, top: Int
    ) throws(ImagingError) {
        precondition(left + size.width <= self.size.width && top + size.height <= self.size.height)
        let parts = planes.indices.map {
            plane($0, left..<left + size.width, top..<top + size.height).samples
        }
        let isDecoded = withExtendedLifetime(self) {
            workspace.codec.decode(jpeg, size, sampling, to: size, into: parts)
        }
        guard isDecoded else { throw .broken(reason: "a tile is not the JPEG that it should be") }
    }

    /// Makes samples of brightness black below `value`, else white.
    func threshold(_ value: UInt8) {
        for row in 0..<size.height {
            let samples = planes[0].samples + row * planes[0].stride
            pixels_threshold(samples, size.width, value)
        }
    }

    /// Returns where the samples of a plane lie on those of another one. Ratios are the picture's, not
    /// those of the planes, which are rounded up to whole samples.
    ///
    /// - Parameters:
    ///   - factor: pixels per sample of the input; `toFactor` of the output.
    ///   - isMirrored: whether pairs of pixels are counted from the other end.
    private static func mapping(
        _ start: Double, _ span: Double, _ factor: Int, _ to: Int, _ toFactor: Int,
        _ isMirrored: Bool
    ) -> pixels_mapping {
        let ratio = span / Double(to) / Double(factor)
        let surplus = (to + toFactor - 1) / toFactor * toFactor - to
        return pixels_mapping(
            scale: ratio * Double(toFactor),
            offset: start / Double(factor) - (isMirrored ? ratio * Double(surplus) : 0))
    }

    /// Returns the thumbnail of a decoded original, which may be the planes themselves.
    ///
    /// - Parameters:
    ///   - size: as seen.
    ///   - factor: by which the sides were divided when the picture was decoded, and rounded up.
    ///   - header: of the whole picture.
    ///   - isConverted: whether colors will be converted. A color that several pixels share is exact only then, if
    ///     they are alike, so that finer colors stay until then.
    func thumbnail(
        of size: PixelSize, shrunkBy factor: Int, _ header: Header, isConverted: Bool = false
    ) throws(ImagingError) -> Planes {
        let stored = size.turned(header.orientation)
        let (spanX, spanY) = (
            Double(header.width) / Double(factor), Double(header.height) / Double(factor)
        )
        let isExact = spanX == Double(stored.width) && spanY == Double(stored.height)
        if isExact, header.orientation == .upright, sampling == sampling.thumbnail { return self }
        let isFiner = isConverted && ![.gray, .both].contains(sampling)
        return try resampled(
            to: stored, spanX: spanX, spanY: spanY, as: isFiner ? .whole : nil,
            for: header.orientation
        ).oriented(header.orientation)
    }

    /// Returns the picture turned. Its colors are sampled alike both ways, as a thumbnail's are.
    func oriented(_ orientation: Orientation) -> Planes {
        if orientation == .upright { return self }
        let result = Planes(
            size.turned(orientation), sampling, hasAlpha: alpha != nil, in: workspace)
        for (from, to) in zip(planes, result.planes) {
            pixels_orient_plane(from, Int32(orientation.rawValue), to)
        }
        if let alpha, let turned = result.alpha {
            pixels_orient_plane(alpha, Int32(orientation.rawValue), turned)
        }
        return result
    }

    /// Returns the same pixels as gray, RGB or straight RGBA. A color sample for several pixels is repeated.
    func pixels() throws(ImagingError) -> PixelBuffer {
        if let alpha {
            let colors = straight(alpha)
            let result = try PixelBuffer(width: size.width, height: size.height, bands: 4)
            let planes = colors.planes
            withExtendedLifetime(colors) {
                pixels_planes_to_rgba(planes[0], planes[1], planes[2], alpha, result.bytes)
            }
            return result
        }
        let result = try PixelBuffer(
            width: size.width, height: size.height, bands: sampling == .gray ? 1 : 3)
        if sampling == .gray {
            for row in 0..<size.height {
                (result.bytes + row * result.stride).update(
                    from: planes[0].samples + row * planes[0].stride, count: size.width)
            }
        } else {
            pixels_planes_to_rgb(planes[0], planes[1], planes[2], result.bytes)
        }
        return result
    }
}

extension Planes: LevelPixels {
    func resampled(to size: PixelSize) throws(ImagingError) -> Planes {
        try resampled(to: size, spanX: Double(self.size.width), spanY: Double(self.size.height))
    }

    func framed(_ framing: Framing) throws(ImagingError) -> Planes {
        guard case .crop(let size, let gravity) = framing.cut else { return self }
        let (left, top) = Framing.corner(of: size, in: self.size, gravity)
        let result = Planes(size, sampling, hasAlpha: alpha != nil, in: workspace)
        let whole = planes + (alpha.map { [$0] } ?? [])
        let part = result.planes + (result.alpha.map { [$0] } ?? [])
        for index in whole.indices {
            let (from, to) = (whole[index], part[index])
            // Color samples of a thumbnail stand for two pixels each way.
            let isColor = index > 0 && index < planes.count
            let factors = isColor ? sampling.factors : (across: 1, down: 1)
            let start = from.samples + top / factors.down * from.stride + left / factors.across
            for row in 0..<Int(to.height) {
                (to.samples + row * to.stride).update(
                    from: start + row * from.stride, count: Int(to.width))
            }
        }
        return result
    }

    func encoded(
        as encoding: Encoding, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        switch encoding {
        case .jpeg(let quality, let background):
            try flattened(on: background).encodedJPEG(quality, workspace)
        case .webp(let quality, let effort): try encodedWebP(quality, effort, workspace)
        case .avif, .png: try encoding.encode(try pixels())
        }
    }

    private func encodedJPEG(
        _ quality: Int, _ workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        try withExtendedLifetime(self) { () throws(ImagingError) in
            try workspace.codec.encode(
                planes, size, sampling, quality: quality, in: workspace.memory)
        }
    }

    /// WebP has brightness in 16…235 and colors in 16…240 (RFC 6386, section 9.2), and always colors.
    private func encodedWebP(
        _ quality: Int, _ effort: Int, _ workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        let limited = Planes(size, .both, in: workspace)
        let colors = alpha.map { straight($0) } ?? self
        defer { withExtendedLifetime(colors) {} }
        let planes = colors.planes
        pixels_limit_luma(planes[0], limited.planes[0])
        for index in 1..<limited.planes.count {
            let to = limited.planes[index]
            if sampling == .gray {
                to.samples.update(repeating: 128, count: to.stride * Int(to.height))
            } else {
                pixels_limit_chroma(planes[index], to)
            }
        }
        let (luma, blue, red) = (limited.planes[0], limited.planes[1], limited.planes[2])
        return try withExtendedLifetime(limited) { () throws(ImagingError) in
            try workspace.encodeWebP(
                vitrine_webp_pixels(
                    width: Int32(size.width), height: Int32(size.height), y: luma.samples,
                    u: blue.samples, v: red.samples, yStride: Int32(luma.stride),
                    uvStride: Int32(blue.stride), a: alpha?.samples,
                    aStride: Int32(alpha?.stride ?? 0)),
                quality: quality, effort: effort)
        }
    }
}
