import FoundationEssentials
import Hashing
import Imaging
import Store

/// What a warm run has to do for one item, by what is stored. Pure.
struct WarmNeed: Equatable {
    enum State: Equatable {
        /// A thumbnail is not stored.
        case missing
        /// All thumbnails are stored, and one expired.
        case stale
        case fresh
    }

    var state = State.fresh
    /// Thumbnails that are not stored.
    var thumbnails = 0
    /// Thumbnails that are stored.
    var reused = 0
    /// Whether the origin has to be asked.
    var asksOrigin = false
    /// Whether a remembered failure leaves only the placeholder.
    var isPlaceholder = false
    /// Why the stored picture is not the first choice; nil if it is.
    var fallback: String?

    /// - Parameters:
    ///   - bindings: the item's, with the dates until which they count.
    ///   - stored: whether a thumbnail of an original is stored.
    init(
        _ renditions: Set<Rendition>, _ bindings: [(record: BindingRecord, until: Date)],
        at now: Date, stored: (Digest, Rendition) -> Bool
    ) {
        var isMissing = false
        var isStale = false
        var placeholders = 0
        for rendition in renditions {
            let binding = bindings.first { $0.record.level == rendition.level.key }
            let isFresh = binding.map { $0.until > now } ?? false
            if !isFresh { asksOrigin = true }
            guard let binding else {
                isMissing = true
                thumbnails += 1
                continue
            }
            guard let original = binding.record.original else {
                // A failure that is still remembered isn't tried again.
                if isFresh {
                    placeholders += 1
                } else {
                    (isMissing, thumbnails) = (true, thumbnails + 1)
                }
                continue
            }
            if stored(original, rendition) {
                reused += 1
                if !isFresh { isStale = true }
            } else {
                isMissing = true
                thumbnails += 1
            }
        }
        let levels = Set(renditions.map(\.level.key))
        // Levels of one resolution have one trace.
        let traces = Set(bindings.map(\.record).filter { levels.contains($0.level) }.map(\.trace))
        fallback = traces.lazy.compactMap { Trace(encoded: $0)?.fallback }.min()
        isPlaceholder = placeholders == renditions.count && placeholders > 0
        state = isMissing ? .missing : isStale ? .stale : .fresh
    }
}

extension WarmNeed {
    /// Returns the need of a run that asks for fresh items again, too.
    func asked(_ again: WarmRequest.Again) -> WarmNeed {
        guard again == .all || again == .placeholders && isPlaceholder else { return self }
        var need = self
        need.asksOrigin = true
        if isPlaceholder { (need.state, need.isPlaceholder) = (.missing, false) }
        if need.state == .fresh { need.state = .stale }
        return need
    }
}

extension Trace {
    /// Why the picture is not the first choice; nil if it is, or if there is none.
    var fallback: String? {
        guard fellBack else { return nil }
        return steps.first { $0.outcome == .failed || $0.outcome == .remembered }
            .map { "\($0.label): \($0.note)" }
    }
}
