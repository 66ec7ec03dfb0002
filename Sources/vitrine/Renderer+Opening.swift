import Imaging

extension Renderer {
    /// With the placeholder that the settings name. Blocks while that is read and tried.
    static func open(_ settings: Settings) throws -> Renderer {
        var configuration = settings.imaging
        guard let path = settings.placeholder.file else { return try Renderer(configuration) }
        do throws(LocalFileError) {
            configuration.placeholder.picture = try LocalFile.read(
                path, limit: configuration.maxBytes, setting: "imaging.maxBytes")
        } catch {
            throw ConfigurationError("placeholder.file: \(error)")
        }
        let renderer = try Renderer(configuration)
        do throws(ImagingError) {
            try renderer.checkPlaceholder()
        } catch {
            throw ConfigurationError("placeholder.file: \(path) can't be used: \(error)")
        }
        return renderer
    }
}
