package import Imaging

extension MediaPipeline {
    /// Whether so many renders hang that only another process can go on.
    package var isStuck: Bool { renderLoad.isStuck }

    /// What waits for the render threads, what runs there and what hangs.
    package var renderLoad: RenderLoad { stages.renderer.load }

    /// Renders a small picture through the real render threads; throws where that does not work, or
    /// too many of them hang.
    package func checkCanary() async throws(PipelineError) {
        try await PipelineError.door { [self] in
            let load = renderLoad
            guard !load.isStuck else {
                throw PipelineError.imaging(
                    .misconfigured(
                        reason: "\(load.overdue) renders hang and can't be stopped, the oldest for"
                            + " \((load.oldest ?? .zero) / .seconds(1)) s; restart the service"))
            }
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
