import FoundationEssentials
import Imaging
import Store

/// Originals that brought a renderer down: not tried again until the renderer is another one.
struct RenderQuarantine: Sendable {
    let index: Index
    /// Of the renderer, see ``Renderer/decoderRecipe``.
    let recipe: String
    /// Originals that were put here since the start.
    let added = Tally()

    /// Throws ``ImagingError/quarantined(reason:)`` for one that is here.
    func check(_ original: Digest) async throws {
        guard let record = try await index.quarantined(original), record.recipe == recipe else {
            return
        }
        throw ImagingError.quarantined(reason: record.reason)
    }

    /// Keeps what a picture did to its renderer; of other errors nothing.
    func note(_ error: ImagingError, _ original: Digest, at now: Date) async throws {
        switch error {
        case .crashed, .tooSlow:
            added.add()
            try await index.record(
                QuarantineRecord(
                    original: original, recipe: recipe, reason: error.description, at: now))
        case .notAnImage, .unsupported, .broken, .overLimit, .quarantined, .overloaded, .cancelled,
            .stopped, .misconfigured:
            return
        }
    }
}
