import Testing

@testable import Imaging

extension Render {
    /// Renders in this process, in the lanes that the renderer chooses.
    static func made(
        _ original: [UInt8], _ renditions: [Rendition], _ configuration: ImagingConfiguration
    ) throws -> Rendering {
        try Vips.start()
        let format = try #require(ImageFormat.sniff(original))
        let header = try HeaderReader.read(original, format)
        let mayMakePlanes = Lane.mayMakePlanes(header, configuration.levels)
        let parts = renditions.map { rendition in
            let encoding = Encoder(configuration).encoding(for: rendition)
            let lane = configuration.lane.lane(rendition.level, encoding)
            return RenderPart(
                rendition: rendition, encoding: encoding, lane: mayMakePlanes ? lane : .libvips)
        }
        let render = Render(
            original: original, header: header, levels: configuration.levels, parts: parts,
            decoder: Decoder(limits: Limits(configuration)))
        if let made = try render() { return made }
        return try #require(try render.byLibvips())
    }
}
