import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store
import Threads

/// Renders originals that are not quarantined, with metrics.
struct Renders: Sendable {
    let editions: Editions
    let quarantine: RenderQuarantine
    let metrics: PipelineMetrics
    let now: @Sendable () -> Date
    private var renderer: Renderer { editions.current.renderer }
    /// Number of decodes since the start.
    let count = Counter()

    /// Returns whether a client's quick render would start within some ten milliseconds.
    @Sendable func startsSoon() -> Bool {
        if WarmStages.current != nil { return false }
        let load = renderer.load
        return load.quickWaiting <= Self.fewWaiting * load.threads && load.slowWaiting == 0
            && load.overdue == 0
    }

    /// Renders per thread before one that starts soon.
    private static let fewWaiting = 8

    /// - Parameters:
    ///   - known: what the index says of the original's quarantine; nil to look it up.
    ///   - urgency: of a render that no client waits for, which starts after all others; nil if one does. That of the
    ///     current task by default.
    func render(
        _ original: Digest, _ bytes: [UInt8], _ renditions: [Rendition],
        for group: IsolationGroup, known: RenderQuarantine.Known? = nil,
        early: EarlyThumbnails? = nil, urgency: Urgency? = Urgency.current
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
                return try await renderer.render(
                    bytes, renditions, for: group, early: early, urgency: urgency)
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

    /// Whether thumbnails may be made although a pyramid, which takes more, can't be.
    var leavesThumbnails: Bool {
        switch self {
        case .overLimit, .crashed, .tooSlow, .quarantined: true
        case .notAnImage, .unsupported, .broken, .overloaded, .canceled, .stopped, .misconfigured:
            false
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
