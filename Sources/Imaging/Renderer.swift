/// Renders all wanted levels of an original from one decode, on a fixed set of threads.
package final class Renderer: Sendable {
    /// Starts libvips (once a process) and the render threads.
    package init(_ configuration: ImagingConfiguration) throws(ImagingError) {
        fatalError("seam")
    }

    /// Reads the header only; blocks for microseconds, so it may be called from anywhere.
    package func inspect(_ original: [UInt8]) throws(ImagingError) -> ImageInfo {
        fatalError("seam")
    }

    /// One decode, then every rendition, each level from the next larger one.
    ///
    /// The call waits for a render thread; cancelling takes it out of the queue, a started render
    /// finishes.
    package func render(
        _ original: [UInt8], _ renditions: [Rendition]
    ) async throws(ImagingError) -> Rendering {
        fatalError("seam")
    }

    /// Fingerprint of all that decides the bytes of a format besides the original and the level:
    /// settings and library versions. Short, stable, safe in a key.
    package func recipe(for format: ThumbnailFormat) -> String {
        fatalError("seam")
    }

    /// The picture shown where there is none, drawn to fill the level's box.
    package func placeholder(_ rendition: Rendition) async throws(ImagingError) -> Thumbnail {
        fatalError("seam")
    }

    /// Refuses what comes, finishes what runs, joins the threads. Idempotent.
    package func shutdown() async {
        fatalError("seam")
    }
}
