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
        let encodings = renditions.map(Encoder(configuration).encoding)
        let mayMakePlanes = Lane.mayMakePlanes(header, configuration.levels)
        let render = Render(
            original: original, header: header, levels: configuration.levels,
            renditions: renditions, encodings: encodings,
            lanes: zip(renditions, encodings).map {
                mayMakePlanes ? configuration.lane.lane($0.level, $1) : .libvips
            }, decoder: Decoder(limits: Limits(configuration)))
        if let made = try render() { return made }
        return try #require(try render.byLibvips())
    }
}
