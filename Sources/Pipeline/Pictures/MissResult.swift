package import Catalog
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
