/// The part of the program that makes a thumbnail's pixels and bytes.
package enum Lane: String, Sendable, CaseIterable {
    /// Planes of brightness and color, resampled by this module and encoded as JPEG or WebP. For opaque
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
        case .jpeg: return header.planes != nil && fits()
        case .png, .tiff, .bmp: return header.isOpaqueBytes && fits()
        // Their decoders have the whole picture in memory anyway.
        case .gif, .webp, .avif, .heic, .jxl, .jp2: return header.isOpaqueBytes
        case .svg, .exr, .hdr: return false
        }
    }

    /// Returns the bytes of the largest decoded planes.
    static func planes(_ header: Header, _ chains: [LevelChain]) -> Int {
        let seen = header.size.turned(header.orientation)
        guard header.format == .jpeg else {
            return .clampedProduct(header.pixels, header.samples > 1 ? 3 : 2) / 2
        }
        let areas = chains.map { chain in
            let shrink = Double(seen.shrink(to: chain.sizes[0]))
            return Double(header.width) * Double(header.height) / (shrink * shrink)
        }
        return Int(clamped: (areas.max() ?? 0) * header.samples)
    }
}

extension Header {
    fileprivate var isOpaqueBytes: Bool { !hasAlpha && depth <= 8 && samples <= 3 }
}
