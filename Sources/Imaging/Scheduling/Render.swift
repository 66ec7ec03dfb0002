/// Renders all renditions of one original, on a render thread.
struct Render: Sendable {
    let original: [UInt8]
    let header: Header
    let renditions: [Rendition]
    /// One per rendition.
    let encodings: [Encoding]
    let decoder: Decoder
    /// A descriptor of memory that holds the original alone, for a format that is read from a file.
    var file: Int32?

    /// Decodes and encodes in this process. Leaves `queued` and `worked` at zero.
    func callAsFunction(within deadline: RenderDeadline = .none) throws(ImagingError) -> Rendering {
        let decoded = try decoder.decode(
            original, header, file: file, within: deadline
        ) { seen in
            renditions.map { seen.fitting($0.level) }.max(by: PixelSize.isSmaller)
                ?? PixelSize(width: 1, height: 1)
        }
        let seen = PixelSize(width: decoded.info.width, height: decoded.info.height)
        let (thumbnails, smallest) = try thumbnails(decoded.pixels, seen, deadline)
        return Rendering(
            info: decoded.info, thumbnails: thumbnails,
            summary: try PictureSummary(smallest, of: seen), queued: .zero, worked: .zero)
    }

    /// Renders in this process, or in a child process if the format or group requires it; blocks.
    ///
    /// - Parameters:
    ///   - limit: processor time in this process; children have limits of their own.
    ///   - group: the pictures that the child may have rendered before.
    func run(
        _ children: ChildPool, for group: IsolationGroup, _ lane: RenderLane,
        within limit: Duration
    ) throws(ImagingError) -> Rendering {
        guard group.isAlone || children.isolates(header.format) else {
            return try self(within: RenderDeadline(limit))
        }
        return try children.render(original, header, renditions, encodings, for: group, lane)
    }

    /// Encodes each level from the next larger one. Equal sizes share pixels, and with equal settings
    /// bytes.
    private func thumbnails(
        _ largest: PixelBuffer, _ seen: PixelSize, _ deadline: RenderDeadline
    ) throws(ImagingError) -> (thumbnails: [Thumbnail], smallest: PixelBuffer) {
        let sizes = renditions.map { seen.fitting($0.level) }
        let wanted = Dictionary(grouping: zip(sizes, encodings), by: \.0)
            .mapValues { Set($0.map(\.1)) }
        var encoded: [PixelSize: [Encoding: [UInt8]]] = [:]
        var pixels = largest
        for (size, encodings) in wanted.sorted(by: { PixelSize.isSmaller($1.key, $0.key) }) {
            if size != pixels.size {
                pixels = try pixels.resampled(width: size.width, height: size.height)
            }
            for encoding in encodings {
                try deadline.check()
                encoded[size, default: [:]][encoding] = try encoding.encode(pixels)
            }
        }
        let thumbnails = renditions.indices.map { index in
            Thumbnail(
                rendition: renditions[index], width: sizes[index].width,
                height: sizes[index].height,
                bytes: encoded[sizes[index]]?[encodings[index]] ?? [])
        }
        return (thumbnails, pixels)
    }
}
