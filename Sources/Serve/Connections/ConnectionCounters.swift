package import HitServer
import Memory

/// What all connections of the server did since the start, over all threads.
package struct ConnectionCounters: Sendable, Equatable {
    /// 200 responses from prepared bytes, HEAD included.
    package var hits = 0
    /// 304 responses from prepared bytes.
    package var notModified = 0
    /// Stale ones among ``hits``.
    package var staleHits = 0
    /// Stale ones among ``notModified``.
    package var staleNotModified = 0
    /// Bytes of the bodies sent.
    package var bodyBytes = 0
    /// Requests that a responder answered.
    package var responded = 0
    /// Connections accepted.
    package var accepted = 0
    /// Connections open now.
    package var open = 0
    /// Requests refused before routing: 400, 408, 414, 431, 501, 503, 505.
    package var refused = 0
    /// Connections closed because their client neither sent nor read for too long.
    package var timedOut = 0
    /// Responses from prepared bytes and files, other than pictures.
    package var blobs: [BlobCount: Int] = [:]
    /// Their durations.
    var blobSeconds: [BlobSeries: HistogramSeries.Counts] = [:]
    /// Durations of fresh hits, 304 included, and of stale ones.
    var hitSeconds = HistogramSeries.Counts(HistogramSeries.seconds)
    var staleSeconds = HistogramSeries.Counts(HistogramSeries.seconds)

    package static func + (left: Self, right: Self) -> Self {
        Self(
            hits: left.hits + right.hits, notModified: left.notModified + right.notModified,
            staleHits: left.staleHits + right.staleHits,
            staleNotModified: left.staleNotModified + right.staleNotModified,
            bodyBytes: left.bodyBytes + right.bodyBytes,
            responded: left.responded + right.responded,
            accepted: left.accepted + right.accepted, open: left.open + right.open,
            refused: left.refused + right.refused, timedOut: left.timedOut + right.timedOut,
            blobs: left.blobs.merging(right.blobs, uniquingKeysWith: +),
            blobSeconds: left.blobSeconds.merging(right.blobSeconds, uniquingKeysWith: +),
            hitSeconds: left.hitSeconds + right.hitSeconds,
            staleSeconds: left.staleSeconds + right.staleSeconds)
    }
}

/// Names the responses of a route that are equally fresh.
package struct BlobSeries: Hashable, Sendable {
    package var route: HitRoute
    package var isStale: Bool
}

/// Names the responses of one kind.
package struct BlobCount: Hashable, Sendable {
    package var series: BlobSeries
    package var status: Int
}

/// Counts of one thread, read from any.
final class LoopCounters: Sendable {
    let hits = HitCounters(onChange: StateChange.tell)
    private let hitSeconds = HistogramSeries(bounds: HistogramSeries.seconds, scale: 1)
    private let staleSeconds = HistogramSeries(bounds: HistogramSeries.seconds, scale: 1)

    private let blobSeconds = HitRoute.allCases.flatMap { route in
        [false, true].map { isStale in
            (
                BlobSeries(route: route, isStale: isStale),
                HistogramSeries(bounds: HistogramSeries.seconds, scale: 1)
            )
        }
    }

    func recordBlob(_ route: HitRoute, _ seconds: Double, isStale: Bool) {
        blobSeconds[2 * route.rawValue + (isStale ? 1 : 0)].1.record(seconds)
    }

    private var blobs: [BlobCount: Int] {
        var counts: [BlobCount: Int] = [:]
        for route in HitRoute.allCases where route != .picture {
            let of = hits.of(route)
            for (status, isStale, count) in [
                (200, false, of.whole.now), (200, true, of.staleWhole.now),
                (206, false, of.partial.now), (206, true, of.stalePartial.now),
                (304, false, of.notModified.now), (304, true, of.staleNotModified.now),
            ] where count > 0 {
                let series = BlobSeries(route: route, isStale: isStale)
                counts[BlobCount(series: series, status: status)] = count
            }
        }
        return counts
    }

    func recordLatency(_ seconds: Double, fresh: Int, stale: Int) {
        hitSeconds.record(seconds, times: fresh)
        staleSeconds.record(seconds, times: stale)
    }

    var snapshot: ConnectionCounters {
        ConnectionCounters(
            hits: hits.hits.now, notModified: hits.notModified.now, staleHits: hits.staleHits.now,
            staleNotModified: hits.staleNotModified.now, bodyBytes: hits.bodyBytes.now,
            responded: hits.responded.now, accepted: hits.accepted.now, open: hits.open.now,
            refused: hits.refused.now, timedOut: hits.timedOut.now, blobs: blobs,
            blobSeconds: Dictionary(
                uniqueKeysWithValues: blobSeconds.map { ($0.0, $0.1.counts) }),
            hitSeconds: hitSeconds.counts,
            staleSeconds: staleSeconds.counts)
    }
}
