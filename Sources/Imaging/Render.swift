/// All renditions of one original; runs on a render thread.
struct Render: Sendable {
    let original: [UInt8]
    let header: Header
    let renditions: [Rendition]
    let decoder: Decoder
    let encoder: Encoder

    /// `queued` and `worked` are left at zero.
    func callAsFunction(within deadline: RenderDeadline) throws(ImagingError) -> Rendering {
        let decoded = try decoder.decode(original, header, within: deadline) { seen in
            renditions.map { seen.fitting($0.level) }.max(by: PixelSize.isSmaller)
                ?? PixelSize(width: 1, height: 1)
        }
        let seen = PixelSize(width: decoded.info.width, height: decoded.info.height)
        let (thumbnails, smallest) = try thumbnails(decoded.pixels, seen, deadline)
        return Rendering(
            info: decoded.info, thumbnails: thumbnails,
            summary: try PictureSummary(smallest, of: seen), queued: .zero, worked: .zero)
    }

    /// Equal sizes share their pixels, and with equal settings their bytes.
    private func thumbnails(
        _ largest: PixelBuffer, _ seen: PixelSize, _ deadline: RenderDeadline
    ) throws(ImagingError) -> (thumbnails: [Thumbnail], smallest: PixelBuffer) {
        let encodings = Dictionary(grouping: renditions) { seen.fitting($0.level) }
            .mapValues { Set($0.map(encoder.encoding)) }
        var encoded: [PixelSize: [Encoding: [UInt8]]] = [:]
        var pixels = largest
        for (size, encodings) in encodings.sorted(by: { PixelSize.isSmaller($1.key, $0.key) }) {
            if size != pixels.size {
                pixels = try pixels.resampled(width: size.width, height: size.height)
            }
            for encoding in encodings {
                try deadline.check()
                encoded[size, default: [:]][encoding] = try encoding.encode(pixels)
            }
        }
        let thumbnails = renditions.map { rendition in
            let size = seen.fitting(rendition.level)
            return Thumbnail(
                rendition: rendition, width: size.width, height: size.height,
                bytes: encoded[size]?[encoder.encoding(for: rendition)] ?? [])
        }
        return (thumbnails, pixels)
    }
}
