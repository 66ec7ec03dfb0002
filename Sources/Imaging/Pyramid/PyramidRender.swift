/// Makes the pyramid of an original from one decode, row by row, on a render thread.
struct PyramidRender: Sendable {
    let original: [UInt8]
    let header: Header
    let encoding: Encoding
    let decoder: Decoder
    /// A descriptor of memory that holds the original alone, for a format that is read from a file.
    var file: Int32?

    /// Decodes and encodes in this process. The result has the pyramid as its only thumbnail.
    func callAsFunction(
        within deadline: RenderDeadline = .none
    ) throws(ImagingError) -> Rendering {
        guard case .jpeg(let quality, let background) = encoding else {
            throw .misconfigured(reason: "tiles are JPEGs")
        }
        return try RenderWorkspace.with { (workspace) throws(ImagingError) in
            var seen = header
            let builder = try decoder.decodeRows(original, header, file: file, within: deadline) {
                (rows) throws(ImagingError) -> PyramidBuilder? in
                seen = rows.header
                return try PyramidBuilder(
                    rows.header.size, rows.header.orientation, bands: rows.bands, quality: quality,
                    background: background, in: workspace)
            }
            guard let builder else { throw .broken(reason: DecoderMessage.damaged) }
            let (bytes, smallest) = try builder.finish()
            let size = seen.size.turned(seen.orientation)
            return Rendering(
                info: seen.info,
                thumbnails: [
                    Thumbnail(
                        rendition: .pyramid, width: size.width, height: size.height, bytes: bytes)
                ],
                summary: try PictureSummary(smallest, of: size), queued: .zero, worked: .zero)
        }
    }
}
