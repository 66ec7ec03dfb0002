package import Catalog
import FoundationEssentials
import Hashing
import Imaging
package import Store
import Traces

/// The durations of a miss's parts; parts that were not needed are zero.
package struct MissTimings: Sendable, Equatable {
    /// Asking the catalog.
    package var catalog: Duration = .zero
    /// Getting the original, from its origin or the disk.
    package var fetch: Duration = .zero
    /// Waiting for a render thread.
    package var queue: Duration = .zero
    /// Decoding, resampling, encoding.
    package var render: Duration = .zero
    /// Publishing thumbnails.
    package var store: Duration = .zero
}

/// The result of a miss for its callers.
package struct MissResult: Sendable {
    /// The pictures rendered now, and those that callers asked to see.
    var pictures: [Rendition: Picture] = [:]
    /// Set if no candidate gave a picture.
    package var failure: Failure?
    package var trace: Trace
    /// Requested thumbnails that were stored already.
    package var reused = 0
    /// Thumbnails rendered now.
    package var thumbnails = 0
    package var originalsFetched = 0
    /// Bytes of originals that came over the network.
    package var bytesFetched = 0
    /// What was stored: originals and thumbnails.
    package var stored = DiskUsage()
    /// Whether the picture is stale because its origin was unreachable.
    package var isStale = false
    package var timings = MissTimings()
    /// The span of the request that began the miss; nil if it isn't traced.
    var leader: TraceContext?

    init(trace: Trace) {
        self.trace = trace
        leader = Span.current?.context
    }

    /// Whether nothing was asked, because earlier failures are remembered.
    var isRemembered: Bool {
        failure != nil && trace.steps.contains { $0.outcome == .remembered }
            && !trace.steps.contains { $0.outcome == .failed }
    }
}

/// What a miss has found out about an item.
extension ItemRecord {
    /// Levels that show an original.
    init(
        _ item: Item, _ levels: Set<Level>, showing original: Original, freshUntil: Date,
        _ trace: Trace, at now: Date
    ) {
        self.init(
            "\(item)",
            [
                Resolution(
                    levels: levels.map(\.key).sorted(), original: original.digest,
                    url: original.record.url, failure: original.failure.map(FailureRecord.init),
                    trace: StoredTrace(trace), resolvedAt: now, freshUntil: freshUntil)
            ])
    }

    /// Levels for which every candidate failed. The earlier original stays if the failure allows it.
    ///
    /// - Parameters:
    ///   - tooLarge: the original whose pyramid can't be made. The failure is remembered of its bytes.
    ///   - known: what was known of the item before.
    init(
        _ item: Item, _ levels: Set<Level>, failed failure: Failure, _ tooLarge: Original?,
        _ known: ItemRecord, _ trace: Trace, at now: Date
    ) {
        self.init("\(item)")
        for level in levels {
            var resolution = Resolution(
                levels: [level.key], original: nil, url: nil, failure: FailureRecord(failure),
                trace: StoredTrace(trace), resolvedAt: now, freshUntil: failure.until)
            if let tooLarge {
                (resolution.original, resolution.url) = (tooLarge.digest, tooLarge.record.url)
                resolution.failure = nil
            } else if let earlier = known.resolution(of: level.key), earlier.original != nil,
                Pipeline.Resolution.keepsStored(despite: failure)
            {
                (resolution.original, resolution.url) = (earlier.original, earlier.url)
                resolution.freshUntil = earlier.freshUntil
            }
            set(resolution)
        }
    }
}

extension Trace {
    mutating func add(
        _ outcome: Step.Outcome, _ label: String, url: String? = nil, note: String,
        took: Duration? = nil, lanes: [Lane] = []
    ) {
        let used = Lane.allCases.filter(lanes.contains).map(\.rawValue)
        steps.append(
            Step(
                label: label, url: url, outcome: outcome, note: note,
                milliseconds: took.map { Int(($0 / .milliseconds(1)).rounded()) },
                lanes: used.isEmpty ? nil : used.joined(separator: ", ")))
    }

    /// Why the picture is not the first choice; nil for the first choice, and without a picture.
    var fallback: String? {
        guard fellBack else { return nil }
        return steps.first { $0.outcome == .failed || $0.outcome == .remembered }
            .map { "\($0.label): \($0.note)" }
    }
}
