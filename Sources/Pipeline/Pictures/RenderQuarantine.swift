import FoundationEssentials
import Hashing
import Imaging
import Store
import Threads

/// Originals that brought a renderer down. They are not tried again until the renderer changes. An
/// original that was being rendered when its process died is a suspect and is rendered alone once.
struct RenderQuarantine: Sendable {
    let index: Index
    let journal: RenderJournal
    /// The renderer's ``Renderer/decoderRecipe``.
    let recipe: String
    /// Originals that were quarantined since the start.
    var added = Counter()

    /// Renders an original. The journal lists it meanwhile.
    ///
    /// - Parameters:
    ///   - known: what is known of the original; nil to look it up.
    ///   - render: Renders. `isSuspect` tells whether the original is a suspect.
    /// - Throws: ``ImagingError/quarantined(reason:)`` for a quarantined original; what `render`
    ///   throws; ``StoreError``.
    func render(
        _ original: Digest, _ known: Known? = nil, at now: @Sendable () -> Date,
        _ render: (_ isSuspect: Bool) async throws(ImagingError) -> Rendering
    ) async throws -> Rendering {
        try await check(original, known)
        let entry = await journal.begin(original)
        do throws(ImagingError) {
            let rendering = try await render(entry.isSuspect)
            await journal.end(entry)
            return rendering
        } catch {
            let isSuspect = entry.isSuspect && error.rejection == nil
            do {
                // Before the record ends, because the process may die between the two.
                try await note(error, original, at: now())
            } catch let unrecorded {
                await journal.end(entry, isSuspect: isSuspect)
                throw unrecorded
            }
            await journal.end(entry, isSuspect: isSuspect)
            throw error
        }
    }

    /// Returns a quarantine of its own for pyramids, which take more time and memory than thumbnails.
    var ofPyramids: RenderQuarantine {
        RenderQuarantine(
            index: index, journal: journal, recipe: "\(recipe) pyramid", added: added)
    }

    /// The record of an original, if it has one.
    struct Known: Sendable {
        let record: QuarantineRecord?
    }

    private func check(_ original: Digest, _ known: Known?) async throws {
        let known =
            if let known { known } else { Known(record: try await index.quarantined(original)) }
        guard let record = known.record, record.recipe == recipe else { return }
        throw ImagingError.quarantined(reason: record.reason)
    }

    /// Quarantines a picture that harmed its renderer. Does nothing for other errors.
    private func note(_ error: ImagingError, _ original: Digest, at now: Date) async throws {
        switch error {
        case .crashed, .tooSlow:
            added.add()
            try await index.record(
                QuarantineRecord(
                    original: original, recipe: recipe, reason: error.description, at: now))
        case .notAnImage, .unsupported, .broken, .overLimit, .quarantined, .overloaded, .canceled,
            .stopped, .misconfigured:
            return
        }
    }
}
