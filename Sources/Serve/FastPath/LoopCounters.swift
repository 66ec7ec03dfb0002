import HitServer
import Memory

/// Counts of one thread, read from any.
final class LoopCounters: Sendable {
    let hits = HitCounters(onChange: StateChange.tell)
    let handedOn = HitCounters.Count(onChange: StateChange.tell)
    let refused = HitCounters.Count()
    private let hitSeconds = HistogramSeries(bounds: HistogramSeries.seconds, scale: 1)
    private let staleSeconds = HistogramSeries(bounds: HistogramSeries.seconds, scale: 1)

    func recordLatency(_ seconds: Double, fresh: Int, stale: Int) {
        hitSeconds.record(seconds, times: fresh)
        staleSeconds.record(seconds, times: stale)
    }

    var snapshot: FastPathCounters {
        FastPathCounters(
            hits: hits.hits.now, notModified: hits.notModified.now, staleHits: hits.staleHits.now,
            staleNotModified: hits.staleNotModified.now, bodyBytes: hits.bodyBytes.now,
            handedOn: handedOn.now, accepted: hits.accepted.now, open: hits.open.now,
            refused: refused.now, timedOut: hits.timedOut.now, hitSeconds: hitSeconds.counts,
            staleSeconds: staleSeconds.counts)
    }
}
