import Catalog
import FoundationEssentials
import Imaging
import Store

/// Renders originals that are not quarantined, with metrics.
struct Renders: Sendable {
    let renderer: Renderer
    let quarantine: RenderQuarantine
    let metrics: PipelineMetrics
    let now: @Sendable () -> Date
    /// Number of decodes since the start.
    let count = Counter()

    /// Returns whether a client's quick render would start within some ten milliseconds.
    @Sendable func startsSoon() -> Bool {
        if RunMeter.current != nil { return false }
        let load = renderer.load
        return load.quickWaiting <= Self.fewWaiting * load.threads && load.slowWaiting == 0
            && load.overdue == 0
    }

    /// Renders per thread before one that starts soon.
    private static let fewWaiting = 8

    /// Renders of a run that shares the process with clients wait here, so that at most one is ahead
    /// of a client on each thread.
    func render(
        _ original: Digest, _ bytes: [UInt8], _ renditions: [Rendition],
        for group: IsolationGroup, known: RenderQuarantine.Known? = nil,
        early: EarlyThumbnails? = nil
    ) async throws -> Rendering {
        guard let places = RunMeter.current?.renders else {
            return try await renderNow(original, bytes, renditions, group, known, early)
        }
        return try await places.run(.init(group: "warm", client: nil)) {
            // It may have changed meanwhile.
            try await renderNow(original, bytes, renditions, group, nil, early)
        }
    }

    private func renderNow(
        _ original: Digest, _ bytes: [UInt8], _ renditions: [Rendition], _ group: IsolationGroup,
        _ known: RenderQuarantine.Known?, _ early: EarlyThumbnails?
    ) async throws -> Rendering {
        // A pyramid is never wanted together with thumbnails.
        let isPyramid = renditions.contains(where: \.isPyramid)
        let quarantine = isPyramid ? quarantine.ofPyramids : quarantine
        let rendering = try await quarantine.render(original, known, at: now) {
            (isSuspect) throws(ImagingError) in
            count.add()
            do throws(ImagingError) {
                let group = isSuspect ? .alone : group
                if isPyramid { return try await renderer.pyramid(bytes, for: group) }
                return try await renderer.render(bytes, renditions, for: group, early: early)
            } catch {
                metrics.renderFailed(error)
                throw error
            }
        }
        metrics.rendered(rendering)
        return rendering
    }
}

extension ImagingError {
    /// Why the picture is at fault, or nil if the service is.
    var rejection: String? {
        switch self {
        case .notAnImage, .unsupported, .broken, .overLimit, .crashed, .tooSlow, .quarantined:
            "\(self)"
        case .overloaded, .canceled, .stopped, .misconfigured: nil
        }
    }
}

extension IsolationGroup {
    /// Pictures of one catalog may share a process. Signed URLs lead to any host, so each host has its
    /// own.
    static func item(_ item: Item) -> IsolationGroup {
        .source(item.source, host: SignedURL.host(of: item))
    }
}
