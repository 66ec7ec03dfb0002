import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Store
import Threads

/// Renders originals, with metrics, unless their bytes are known to bring a renderer down or to be too much for
/// a pyramid. Such bytes are not tried again until the renderer or its limits change. An original that was being
/// rendered when its process died is a suspect and is rendered alone once.
struct Renders: Sendable {
    let editions: Editions
    let index: Index
    /// Lists the originals that are being rendered.
    let journal: RenderJournal
    /// The renderer's ``Renderer/decoderRecipe``.
    let recipe: String
    /// The renderer's ``Renderer/pyramidLimits``.
    let pyramidLimits: String
    let metrics: PipelineMetrics
    let now: @Sendable () -> Date
    private var renderer: Renderer { editions.current.renderer }
    /// Number of decodes since the start.
    let count = Counter()
    /// Originals that brought a renderer down since the start.
    let quarantined = Counter()

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
    ///   - known: what the index says of the original's bytes.
    ///   - urgency: of a render that no client waits for, which starts after all others; nil if one does. That of the
    ///     current task by default.
    /// - Throws: ``ImagingError``, `quarantined` for bytes that are not tried again; ``StoreError``.
    func render(
        _ original: Digest, _ bytes: [UInt8], _ renditions: [Rendition],
        for group: IsolationGroup, known: QuarantineRecord?,
        early: EarlyThumbnails? = nil, urgency: Urgency? = Urgency.current
    ) async throws -> Rendering {
        // A pyramid is never wanted together with thumbnails.
        let isPyramid = renditions.contains(where: \.isPyramid)
        if let reason = reason(against: known, isPyramid: isPyramid) {
            throw ImagingError.quarantined(reason: reason)
        }
        let entry = await journal.begin(original)
        let rendering: Rendering
        do throws(ImagingError) {
            count.add()
            let group = entry.isSuspect ? .alone : group
            rendering =
                isPyramid
                ? try await renderer.pyramid(bytes, for: group)
                : try await renderer.render(
                    bytes, renditions, for: group, early: early, urgency: urgency)
        } catch {
            metrics.renderFailed(error)
            let isSuspect = entry.isSuspect && error.rejection == nil
            do {
                // Before the record ends, because the process may die between the two.
                try await note(error, original, isPyramid: isPyramid)
            } catch let unrecorded {
                await journal.end(entry, isSuspect: isSuspect)
                throw unrecorded
            }
            await journal.end(entry, isSuspect: isSuspect)
            throw error
        }
        await journal.end(entry)
        metrics.rendered(rendering)
        return rendering
    }

    // MARK: - What is known of bytes

    /// Returns why an original is not rendered; nil if it may be.
    func reason(against known: QuarantineRecord?, isPyramid: Bool) -> String? {
        guard let known else { return nil }
        // What brings a renderer of thumbnails down brings one of pyramids down, too.
        let recipes = isPyramid ? [recipe, pyramidRecipe, harmlessRecipe] : [recipe]
        return recipes.contains(known.recipe) ? known.reason : nil
    }

    private var pyramidRecipe: String { "\(recipe) pyramid" }
    private var harmlessRecipe: String { QuarantineRecord.harmless + pyramidLimits }

    /// Remembers what an error says of the bytes: that they harmed a renderer, or that they can't be made into a
    /// pyramid. Thumbnails that can't be made are refused with the URL of the picture, whose bytes go.
    private func note(
        _ error: ImagingError, _ original: Digest, isPyramid: Bool
    ) async throws {
        var record = QuarantineRecord(
            original: original, recipe: isPyramid ? pyramidRecipe : recipe, reason: "\(error)",
            at: now())
        switch error {
        case .crashed, .tooSlow:
            quarantined.add()
            record.reason = "The picture is not tried again until the renderer changes: \(error)"
        case .notAnImage, .unsupported, .broken, .overLimit:
            if !isPyramid { return }
            record.recipe = harmlessRecipe
        case .quarantined, .overloaded, .canceled, .stopped, .misconfigured: return
        }
        try await index.record(record)
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
