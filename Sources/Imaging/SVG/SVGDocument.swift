import CVips

/// An SVG as it comes: plain, or compressed as `.svgz`.
enum SVGDocument {
    /// Whether these are gzip data that begin like an SVG. Looks at 8 KB and inflates 4 KB.
    static func isCompressed(_ original: [UInt8]) -> Bool {
        guard original.starts(with: [0x1F, 0x8B]) else { return false }
        // LooksLike reads no more than this.
        let beginning = inflated(original, upTo: 8_192, atMost: 4_096)
        return LooksLike.isSVG(beginning?.bytes ?? [])
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
        let inflated = inflated(original, upTo: original.count, atMost: SVGScan.maxBytes)
        guard let inflated, inflated.end != VITRINE_GUNZIP_CUT else {
            throw .broken(reason: "the compressed SVG is cut or damaged")
        }
        if inflated.end == VITRINE_GUNZIP_MORE {
            throw .overLimit(reason: "an SVG of more than \(SVGScan.maxBytes >> 20) MiB")
        }
        return inflated.bytes
    }

    /// What the first `length` bytes inflate to, and why that ends; nil for what is damaged.
    private static func inflated(
        _ bytes: [UInt8], upTo length: Int, atMost room: Int
    ) -> (bytes: [UInt8], end: vitrine_gunzip_end)? {
        var end = VITRINE_GUNZIP_DAMAGED
        let result = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            count = vitrine_gunzip(bytes, min(length, bytes.count), buffer.baseAddress, room, &end)
        }
        return end == VITRINE_GUNZIP_DAMAGED ? nil : (result, end)
    }
}
