package import Imaging

extension Renderer {
    /// Starts the render threads, with the placeholder that the settings name.
    ///
    /// Blocks while the placeholder is read and tried.
    ///
    /// - Throws: ``ConfigurationError`` if the placeholder can't be read or rendered,
    ///   `ImagingError` if the renderer can't be started.
    package static func open(_ settings: Settings) throws -> Renderer {
        let renderer = try Renderer(try configuration(settings))
        try renderer.checkPlaceholder(settings)
        return renderer
    }

    /// Returns a renderer for other settings, on the same threads.
    ///
    /// Blocks as ``open(_:)``.
    ///
    /// - Throws: ``ConfigurationError`` if the placeholder can't be read or rendered.
    func restyled(_ settings: Settings) throws(ConfigurationError) -> Renderer {
        let renderer = restyled(try Self.configuration(settings))
        try renderer.checkPlaceholder(settings)
        return renderer
    }

    private static func configuration(
        _ settings: Settings
    ) throws(ConfigurationError) -> ImagingConfiguration {
        var configuration = settings.imaging
        configuration.levels = settings.levels
        guard let path = settings.placeholderFile else { return configuration }
        do throws(LocalFileError) {
            configuration.placeholder.picture = try LocalFile.readRegular(
                path, limit: configuration.maxBytes, setting: "imaging.maxBytes")
        } catch {
            throw ConfigurationError("placeholder.file: \(error)")
        }
        return configuration
    }

    private func checkPlaceholder(_ settings: Settings) throws(ConfigurationError) {
        do throws(ImagingError) {
            try checkPlaceholder()
        } catch {
            throw ConfigurationError(
                "placeholder.file: \(settings.placeholderFile ?? "") can't be used: \(error)")
        }
    }
}
