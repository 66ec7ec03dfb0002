import CVips

/// An SVG as it comes: plain, or compressed as `.svgz`.
enum SVGDocument {
    /// Whether these are gzip data with an SVG in them.
    static func isCompressed(_ original: [UInt8]) -> Bool {
        guard original.starts(with: [0x1F, 0x8B]) else { return false }
        // LooksLike reads no more than this.
        return LooksLike.isSVG(inflated(original, atMost: 4096)?.bytes ?? [])
    }

    /// What librsvg may be given.
    static func checked(_ original: [UInt8]) throws(ImagingError) -> [UInt8] {
        try SVGScan.checked(try inflated(original))
    }

    /// The text, which is at most ``SVGScan/maxBytes``.
    static func inflated(_ original: [UInt8]) throws(ImagingError) -> [UInt8] {
        guard original.starts(with: [0x1F, 0x8B]) else {
            guard original.count <= SVGScan.maxBytes else {
                throw .overLimit(reason: "an SVG of more than \(SVGScan.maxBytes >> 20) MiB")
            }
            return original
        }
        guard let inflated = inflated(original, atMost: SVGScan.maxBytes) else {
            throw .broken(reason: "the compressed SVG is cut or damaged")
        }
        if inflated.hasMore {
            throw .overLimit(reason: "an SVG of more than \(SVGScan.maxBytes >> 20) MiB")
        }
        return inflated.bytes
    }

    private static func inflated(
        _ bytes: [UInt8], atMost room: Int
    ) -> (bytes: [UInt8], hasMore: Bool)? {
        var more: Int32 = 0
        var isBroken = false
        let result = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let made = vitrine_gunzip(bytes, bytes.count, buffer.baseAddress, room, &more)
            isBroken = made < 0
            count = max(0, made)
        }
        return isBroken ? nil : (result, more != 0)
    }
}
