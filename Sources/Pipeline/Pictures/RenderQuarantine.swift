import FoundationEssentials
import Imaging
import Store

/// Originals that brought a renderer down: not tried again until the renderer is another one. And
/// those that a process was looking at when it died: rendered alone once, to find out.
struct RenderQuarantine: Sendable {
    let index: Index
    let journal: RenderJournal
    /// Of the renderer, see ``Renderer/decoderRecipe``.
    let recipe: String
    /// Originals that were put here since the start.
    let added = Counter()

    /// Renders an original, noted in the journal meanwhile.
    ///
    /// - Parameter render: is told whether the original is a suspect.
    /// - Throws: ``ImagingError/quarantined(reason:)`` for one that is here.
    func render(
        _ original: Digest, at now: @Sendable () -> Date,
        _ render: (_ isSuspect: Bool) async throws(ImagingError) -> Rendering
    ) async throws -> Rendering {
        try await check(original)
        let entry = await journal.begin(original)
        do throws(ImagingError) {
            let rendering = try await render(entry.isSuspect)
            await journal.end(entry)
            if entry.isSuspect { await journal.acquit(original) }
            return rendering
        } catch {
            await journal.end(entry)
            // Before the suspicion goes: the process may die between the two.
            try await note(error, original, at: now())
            if entry.isSuspect, error.rejection != nil { await journal.acquit(original) }
            throw error
        }
    }

    private func check(_ original: Digest) async throws {
        guard let record = try await index.quarantined(original), record.recipe == recipe else {
            return
        }
        throw ImagingError.quarantined(reason: record.reason)
    }

    /// Keeps what a picture did to its renderer; of other errors nothing.
    private func note(_ error: ImagingError, _ original: Digest, at now: Date) async throws {
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
