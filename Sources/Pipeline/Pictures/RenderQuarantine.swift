import FoundationEssentials
import Hashing
import Imaging
import Store
import Threads

/// What is known of originals' bytes: those that brought a renderer down, and those that can't be made into a
/// pyramid. They are not tried again until the renderer or its limits change. An original that was being
/// rendered when its process died is a suspect and is rendered alone once.
struct RenderQuarantine: Sendable {
    let index: Index
    let journal: RenderJournal
    /// The renderer's ``Renderer/decoderRecipe``.
    let recipe: String
    /// The renderer's ``Renderer/pyramidLimits``.
    let pyramidLimits: String
    /// Originals that brought a renderer down since the start.
    var added = Counter()
    /// Whether pyramids are made, which take more time and memory than thumbnails.
    var isOfPyramids = false

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
        if let reason = try await reason(against: original, known) {
            throw ImagingError.quarantined(reason: reason)
        }
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

    /// The same originals, of which pyramids are made.
    var ofPyramids: RenderQuarantine {
        var other = self
        other.isOfPyramids = true
        return other
    }

    /// The record of an original, if it has one.
    struct Known: Sendable {
        let record: QuarantineRecord?
    }

    /// Returns why an original is not rendered; nil if it may be.
    ///
    /// - Parameter known: what is known of the original; nil to look it up.
    func reason(against original: Digest, _ known: Known? = nil) async throws -> String? {
        let known =
            if let known { known } else { Known(record: try await index.quarantined(original)) }
        guard let record = known.record else { return nil }
        // What brings a renderer of thumbnails down brings one of pyramids down, too.
        let recipes = isOfPyramids ? [recipe, ownRecipe, harmlessRecipe] : [recipe]
        return recipes.contains(record.recipe) ? record.reason : nil
    }

    private var ownRecipe: String { isOfPyramids ? "\(recipe) pyramid" : recipe }
    private var harmlessRecipe: String { QuarantineRecord.harmless + pyramidLimits }

    /// Remembers what an error says of the bytes: that they harmed a renderer, or that they can't be made into a
    /// pyramid. Thumbnails that can't be made are refused with the URL of the picture, whose bytes go.
    private func note(_ error: ImagingError, _ original: Digest, at now: Date) async throws {
        var record = QuarantineRecord(
            original: original, recipe: ownRecipe, reason: "\(error)", at: now)
        switch error {
        case .crashed, .tooSlow:
            added.add()
            record.reason = "The picture is not tried again until the renderer changes: \(error)"
        case .notAnImage, .unsupported, .broken, .overLimit:
            if !isOfPyramids { return }
            record.recipe = harmlessRecipe
        case .quarantined, .overloaded, .canceled, .stopped, .misconfigured: return
        }
        try await index.record(record)
    }
}
