import Imaging

extension MediaPipeline {
    /// Renders a small picture through the real render threads; throws where that does not work.
    package func checkCanary() async throws(PipelineError) {
        try await PipelineError.door { [self] in
            let level = Level(name: "canary", width: 32, height: 32)
            let rendition = Rendition(level: level, format: .jpeg)
            let drawn = try await stages.renderer.placeholder(rendition)
            let rendering = try await stages.renderer.render(drawn.bytes, [rendition])
            guard rendering.thumbnails.first?.bytes.isEmpty == false else {
                throw PipelineError.imaging(.misconfigured(reason: "The canary came out empty."))
            }
        }
    }
}
