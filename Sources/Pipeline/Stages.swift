import Catalog
import FoundationEssentials
import Imaging
import Store

/// All that a walk along a chain goes through.
struct Stages: Sendable {
    let sources: Sources
    let catalog: CatalogCache
    let originals: Originals
    let renderer: Renderer
    let blobs: BlobStore
    let index: Index
    let configuration: PipelineConfiguration
    /// Decodes since the start.
    let renders: Tally
    let metrics: PipelineMetrics
    let quarantine: RenderQuarantine
    let now: @Sendable () -> Date

    func key(_ original: Digest, _ rendition: Rendition) -> ThumbnailKey {
        ThumbnailKey(
            original: original, level: rendition.level.key, format: rendition.format.rawValue,
            recipe: renderer.recipe(for: rendition))
    }
}

extension SummaryRecord {
    init(_ summary: PictureSummary, of original: Digest) {
        self.init(
            original: original, thumbHash: summary.thumbHash, colour: summary.colour.hex,
            width: summary.width, height: summary.height)
    }
}

extension PictureSummary {
    /// `nil` where the colour is none.
    init?(_ record: SummaryRecord) {
        guard let colour = RGB(hex: record.colour) else { return nil }
        self.init(
            thumbHash: record.thumbHash, colour: colour, width: record.width,
            height: record.height)
    }
}

extension Level {
    /// Name and box: a level whose box was reconfigured is another one.
    var key: String { "\(name):\(width)x\(height)" }
}

extension ImagingError {
    /// Why the picture is at fault, or `nil` where the service is.
    var rejection: String? {
        switch self {
        case .notAnImage, .unsupported, .broken, .overLimit, .crashed, .tooSlow, .quarantined:
            "\(self)"
        case .overloaded, .cancelled, .stopped, .misconfigured: nil
        }
    }
}

extension Failure.Kind {
    /// What a catalogue's error says about an item's picture; `nil` where the request itself is at
    /// fault.
    init?(_ error: CatalogError) {
        switch error {
        case .absent: self = .absent
        case .unavailable(_, let timedOut, _): self = timedOut ? .timedOut : .unavailable
        case .unconfigured, .invalid, .cancelled: return nil
        }
    }
}
