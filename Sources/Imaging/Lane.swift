/// The part of the program that makes a thumbnail's pixels and bytes.
package enum Lane: String, Sendable, CaseIterable {
    /// Planes of brightness, color and alpha, resampled by this module and encoded as JPEG or WebP. For
    /// pictures of 8 bits that need nothing else; faster than libvips, and that is its only reason.
    case planar
    /// libvips from file to bytes, for everything.
    case libvips

    /// `imaging.lane`.
    package enum Choice: String, Sendable, CaseIterable {
        /// Planes where they do.
        case auto
        /// libvips for every thumbnail.
        case libvips
    }
}

extension Lane {
    /// Bytes of decoded planes up to which they are made of a picture that is decoded in rows; libvips has
    /// only a few rows at a time. A picture of 2000×3000 has 9 MB, one of 12 or 48 megapixels from a phone
    /// 18 MB.
    private static let maxPlanes = 20 << 20

    /// Returns whether planes may be made of a picture, as far as its header tells. All configured levels
    /// count, so that the lane doesn't depend on those that are wanted.
    static func mayMakePlanes(_ header: Header, _ levels: [Level]) -> Bool {
        let seen = header.size.turned(header.orientation)
        func fits() -> Bool {
            let all = LevelChain.chains(of: seen, configured: levels, wanted: levels)
            return planes(header, all) <= maxPlanes
        }
        switch header.format {
        case .jpeg: return header.isInk || header.planes != nil && fits()
        case .png, .tiff, .bmp: return header.isBytes && fits()
        // Their decoders have the whole picture in memory anyway.
        case .gif, .webp, .avif, .heic, .jxl, .jp2: return header.isBytes
        case .svg, .exr, .hdr: return false
        }
    }

    /// Returns whether a JPEG 2000 may be decoded at a part of its resolution, as a whole.
    static func mayReduce(_ header: Header, _ levels: [Level]) -> Bool {
        guard header.format == .jp2, header.isBytes, !header.hasAlpha else { return false }
        let seen = header.size.turned(header.orientation)
        let all = LevelChain.chains(of: seen, configured: levels, wanted: levels)
        return reducedPixels(header, all) <= Planes.mostOfJPEG2000
    }

    /// Returns the pixels of the largest resolution that chains need; of a JPEG 2000 without the whole one.
    static func reducedPixels(_ header: Header, _ chains: [LevelChain]) -> Int {
        let seen = header.size.turned(header.orientation)
        let most = header.format == .tiff ? 1 << header.halvings : .max
        let shrinks = chains.flatMap { $0.runs(of: seen, wanted: Set($0.sizes)) }
            .map { min(most, seen.shrink(to: $0.sizes[0])) }
        return shrinks.filter { $0 > 1 || header.format == .tiff }
            .map { header.size.shrunk(by: $0).area }.max() ?? 0
    }

    /// Returns the bytes of the largest decoded planes.
    static func planes(_ header: Header, _ chains: [LevelChain]) -> Int {
        let seen = header.size.turned(header.orientation)
        // Only some rows, see ``InkBuilder``.
        if header.isInk { return 0 }
        guard header.format == .jpeg else {
            let alpha = header.hasAlpha ? 2 : 0
            let pixels = header.halvings > 0 ? reducedPixels(header, chains) : header.pixels
            return .clampedProduct(pixels, (header.samples > 1 ? 3 : 2) + alpha) / 2
        }
        let areas = chains.map { chain in
            let shrink = Double(seen.shrink(to: chain.sizes[0]))
            return Double(header.width) * Double(header.height) / (shrink * shrink)
        }
        return Int(clamped: (areas.max() ?? 0) * header.samples)
    }
}

extension Header {
    /// Gray or red, green and blue of 8 bits, with or without an alpha.
    fileprivate var isBytes: Bool { depth <= 8 && samples <= (hasAlpha ? 4 : 3) }
}
