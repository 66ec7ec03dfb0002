/// The processor time that libjpeg-turbo and libwebp take of a rendering in the planar lane, which is the
/// least that any program of the same decode and the same levels takes.
package struct LibraryCalls: Sendable {
    /// Decoding and encoding; resampling is done and not counted.
    package private(set) var time: Duration = .zero
    /// Of all thumbnails.
    package private(set) var bytes = 0

    /// Makes the thumbnails of a picture. Blocks.
    ///
    /// - Throws: ``ImagingError/unsupported(format:)`` if the picture or a format needs another lane,
    ///   otherwise as ``Renderer/render(_:_:for:early:)``.
    package init(
        of original: [UInt8], _ renditions: [Rendition], _ configuration: ImagingConfiguration
    ) throws(ImagingError) {
        let encoder = Encoder(configuration)
        let levels = configuration.levels
        let header = try HeaderReader.admitted(
            original, try ImageFormat.detected(in: original), levels, Limits(configuration))
        let wanted = renditions.map { ($0, encoder.encoding(for: $0)) }
        guard let sampling = header.planes, Lane.mayMakePlanes(header, levels),
            wanted.allSatisfy(\.1.takesPlanes)
        else { throw .unsupported(format: "a picture of libvips' lane") }
        let seen = header.size.turned(header.orientation)
        let chains = LevelChains(of: seen, configured: levels, wanted: renditions.map(\.level))
        self = try RenderWorkspace.with { (workspace) throws(ImagingError) in
            var calls = Self()
            for (shrink, chains) in LevelChains.byShrink(chains.chains, of: seen) {
                let decoded = Planes(
                    header.size.shrunk(by: shrink), sampling, in: workspace)
                try calls.count { () throws(ImagingError) in
                    guard decoded.decode(original, header) else {
                        throw .broken(reason: "the decoder warns")
                    }
                }
                for chain in chains {
                    var pixels = try decoded.thumbnail(
                        of: chain.sizes[0], shrunkBy: shrink, header)
                    for size in chain.sizes {
                        if size != pixels.size { pixels = try pixels.resampled(to: size) }
                        pixels.prepareForEncoding()
                        let encodings = wanted.filter {
                            Framing($0.0.level, of: seen).whole == size
                        }.map(\.1)
                        for encoding in Set(encodings) {
                            let count = try calls.count { () throws(ImagingError) in
                                try pixels.encoded(as: encoding, in: workspace).count
                            }
                            calls.bytes += count
                        }
                    }
                }
            }
            return calls
        }
    }

    private init() {}

    private mutating func count<Value>(
        _ call: () throws(ImagingError) -> Value
    ) throws(ImagingError) -> Value {
        let before = RenderDeadline.used
        defer { time += RenderDeadline.used - before }
        return try call()
    }
}
