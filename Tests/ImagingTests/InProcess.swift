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
        let render = Render(original, header, renditions, configuration, Limits(configuration))
        if let made = try render() { return made }
        return try #require(try render.byLibvips())
    }
}
