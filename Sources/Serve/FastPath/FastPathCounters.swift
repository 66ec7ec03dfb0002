import Memory
import Pipeline
import Synchronization

/// What the fast path answered since the start, over all threads.
package struct FastPathCounters: Sendable, Equatable {
    /// 200 from memory; HEAD among them.
    package var hits = 0
    /// 304 from memory.
    package var notModified = 0
    /// Of the hits, those past their freshness.
    package var staleHits = 0
    /// The same of 304.
    package var staleNotModified = 0
    /// Bytes of the bodies sent.
    package var bodyBytes = 0
    /// Requests that went the long way.
    package var handedOn = 0
    /// Connections accepted.
    package var accepted = 0
    /// Connections open now.
    package var open = 0
    /// Requests refused before routing: 400, 408, 414, 431, 501, 505.
    package var refused = 0
    /// Connections closed because their client neither sent nor read for too long.
    package var timedOut = 0
    /// How long hits took, 304 among them, and those past their freshness.
    var hitSeconds = HistogramCounts(HistogramSeries.seconds)
    var staleSeconds = HistogramCounts(HistogramSeries.seconds)

    package static func + (left: Self, right: Self) -> Self {
        Self(
            hits: left.hits + right.hits, notModified: left.notModified + right.notModified,
            staleHits: left.staleHits + right.staleHits,
            staleNotModified: left.staleNotModified + right.staleNotModified,
            bodyBytes: left.bodyBytes + right.bodyBytes, handedOn: left.handedOn + right.handedOn,
            accepted: left.accepted + right.accepted, open: left.open + right.open,
            refused: left.refused + right.refused, timedOut: left.timedOut + right.timedOut,
            hitSeconds: left.hitSeconds + right.hitSeconds,
            staleSeconds: left.staleSeconds + right.staleSeconds)
    }
}

/// Counts of one thread, read from any.
final class LoopCounters: Sendable {
    let hits = Count()
    let notModified = Count()
    let staleHits = Count()
    let staleNotModified = Count()
    let bodyBytes = Count()
    let handedOn = ToldCount()
    let accepted = Count()
    let open = ToldCount()
    let refused = Count()
    let timedOut = ToldCount()
    let hitSeconds = HistogramSeries(bounds: HistogramSeries.seconds, scale: 1)
    let staleSeconds = HistogramSeries(bounds: HistogramSeries.seconds, scale: 1)

    /// Written by one thread, so that adding needs no locked instruction.
    struct Count: ~Copyable, Sendable {
        private let value = Atomic<Int>(0)

        func add(_ amount: Int = 1) {
            value.store(value.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
        }

        var now: Int { value.load(ordering: .relaxed) }
    }

    /// A count that tells its changes. Not for what counts each hit.
    struct ToldCount: ~Copyable, Sendable {
        private let count = Count()

        func add(_ amount: Int = 1) {
            count.add(amount)
            StateChange.tell()
        }

        var now: Int { count.now }
    }

    func count(_ answer: HitLookup.Answer) {
        if answer.variant.isNotModified { notModified.add() } else { hits.add() }
        if answer.isStale {
            if answer.variant.isNotModified { staleNotModified.add() } else { staleHits.add() }
        }
        if answer.hasBody { bodyBytes.add(answer.bodySize) }
    }

    func count(_ answer: HitLookup.Answer, seconds: Double) {
        count(answer)
        (answer.isStale ? staleSeconds : hitSeconds).record(seconds)
    }

    var snapshot: FastPathCounters {
        FastPathCounters(
            hits: hits.now, notModified: notModified.now, staleHits: staleHits.now,
            staleNotModified: staleNotModified.now, bodyBytes: bodyBytes.now,
            handedOn: handedOn.now, accepted: accepted.now, open: open.now, refused: refused.now,
            timedOut: timedOut.now, hitSeconds: hitSeconds.counts,
            staleSeconds: staleSeconds.counts)
    }
}
