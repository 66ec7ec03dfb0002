import Catalog
import Fetch
import FoundationEssentials
import Hashing
import Imaging
import Store
import TestSupport
import Testing

@testable import Pipeline

/// What a run has to do, how long it takes and when: pure.
@Suite(.timeLimit(.minutes(1))) struct WarmPlanningTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static let digest = Digest(of: [1])
    private static let small = Rendition(
        level: Level(name: "s", width: 10, height: 10), format: .webp)
    private static let large = Rendition(
        level: Level(name: "l", width: 90, height: 90), format: .webp)

    private func shown(
        _ rendition: Rendition, original: Digest? = digest, failure: FailureRecord? = nil,
        fresh: Bool = true
    ) -> ItemRecord.Resolution {
        ItemRecord.Resolution(
            levels: [rendition.level.key], original: original, url: "http://a/", failure: failure,
            trace: nil, resolvedAt: Self.now,
            freshUntil: Self.now.addingTimeInterval(fresh ? 1 : -1))
    }

    private func need(_ shown: [ItemRecord.Resolution], stored: Set<Rendition>) -> ItemLack {
        ItemRecord("a/b/1", shown).lacks(
            [Self.small, Self.large], FreshnessPolicy(), at: Self.now
        ) { stored.contains($1) }
    }

    private func lackOfAll() -> ItemLack {
        ItemRecord("a/b/1").lacks([Self.small], FreshnessPolicy(), at: Self.now) { _, _ in false }
    }

    @Test func `an item is missing, stale or fresh by its worst thumbnail`() {
        let both: Set = [Self.small, Self.large]
        let unknown = need([], stored: [])
        #expect(unknown.state == .missing && unknown.thumbnails == 2 && unknown.asksOrigin)
        let part = need([shown(Self.small), shown(Self.large)], stored: [Self.small])
        // Another thumbnail of a fresh original needs no request.
        #expect(part.state == .missing && part.thumbnails == 1 && !part.asksOrigin)
        #expect(part.reused == 1)
        let old = need([shown(Self.small, fresh: false), shown(Self.large)], stored: both)
        #expect(old.state == .stale && old.thumbnails == 0 && old.asksOrigin)
        let fresh = need([shown(Self.small), shown(Self.large)], stored: both)
        #expect(fresh.state == .fresh && fresh.reused == 2 && !fresh.asksOrigin)
    }

    @Test func `a remembered failure needs nothing until it expires`() {
        let failure = FailureRecord(kind: "absent", reason: "none", until: Self.now)
        func none(fresh: Bool) -> ItemLack {
            need(
                [Self.small, Self.large].map {
                    shown($0, original: nil, failure: failure, fresh: fresh)
                }, stored: [])
        }
        #expect(none(fresh: true).isPlaceholder && none(fresh: true).state == .fresh)
        #expect(none(fresh: false).state == .missing && none(fresh: false).asksOrigin)
    }

    private func transfers(_ requests: Int, _ seconds: Double) -> HostTransfers {
        var transfers = HostTransfers()
        transfers.requests = requests
        transfers.seconds = seconds
        return transfers
    }

    @Test func `the network's time follows from a host's concurrency or its rate`() {
        let rate = HostPolicy.Rate(count: 20, per: .seconds(10))
        let both = HostPolicy(maxConcurrent: 4, rate: rate)
        #expect(transfers(20, 8).seconds(under: both) == 2)
        // The first 20 start at once, the other 200 at two per second.
        #expect(transfers(220, 8).seconds(under: both) == 100)
        #expect(transfers(220, 80).seconds(under: HostPolicy(maxConcurrent: 16)) == 5)
    }

    @Test func `a forecast counts what is missing, and the time that rates alone take`() {
        var forecast = WarmForecast()
        var need = lackOfAll()
        for _ in 0..<200 { forecast.add(need, onlyMissing: false) }
        need.state = .stale
        need.thumbnails = 0
        forecast.add(need, onlyMissing: true)
        #expect(forecast.items == 201 && forecast.missing == 200 && forecast.stale == 1)
        #expect(forecast.originals == 200 && forecast.thumbnails == 200)
        forecast.estimate(meanBytes: 7)
        #expect(forecast.basis == .storedOriginals && forecast.bytesFetched == 1_400)
        #expect(forecast.requests == 200 && forecast.seconds == 0)
        let rate = HostPolicy.Rate(count: 20, per: .seconds(10))
        // The first 20 start at once, the other 180 at two per second.
        forecast.estimate(meanBytes: nil, rate: 4, [rate])
        #expect(forecast.seconds == 90)
        forecast.estimate(meanBytes: nil, rate: 1, [rate])
        #expect(forecast.seconds == 200)
    }

    @Test func `without stored originals a forecast knows no bytes`() {
        var forecast = WarmForecast()
        let need = lackOfAll()
        forecast.add(need, onlyMissing: false)
        forecast.estimate(meanBytes: nil)
        #expect(forecast.basis == .nothing && forecast.bytesFetched == 0)
        #expect(forecast.requests == 1)
    }

    @Test func `a forecast's JSON has the members of a summary`() throws {
        let members = [
            "items", "originals", "bytesFetched", "thumbnails", "reused", "placeholders",
            "fallbacks", "failed", "seconds", "requests", "stalePages",
        ]
        let json = String(decoding: try JSONEncoder().encode(WarmForecast()), as: UTF8.self)
        for member in members { #expect(json.contains("\"\(member)\":"), "\(member)") }
    }

    @Test func `items begin at the pace that is asked for`() {
        let start = ContinuousClock.now
        // Turns that were not taken don't come back.
        let later = start + .seconds(9)
        var pace = WarmPace(rate: 4)
        let turns = [start, start, start, later, later].map { pace.turn(at: $0) }
        #expect(
            turns == [
                nil, start + .milliseconds(250), start + .milliseconds(500), nil,
                later + .milliseconds(250),
            ])
        var free = WarmPace(rate: nil)
        #expect([start, start].map { free.turn(at: $0) } == [nil, nil])
    }

    @Test func `each job begins soon after the start, then after its pause with jitter`() {
        let start = ContinuousClock.now
        let often = WarmSchedule.Job(source: "a", list: "b", every: .seconds(100))
        let seldom = WarmSchedule.Job(source: "a", list: "c", every: .seconds(1_000))
        var schedule = WarmSchedule([seldom, often], at: start) { 0.5 }
        /// Seconds from the start, rounded.
        func next() -> [Int] {
            guard let next = schedule.next else { return [] }
            return [next.job, Int(((next.at - start) / .seconds(1)).rounded())]
        }
        #expect(next() == [0, 30])
        schedule.ended(0, at: start + .seconds(40)) { 0 }
        #expect(next() == [1, 30])
        schedule.ended(1, at: start + .seconds(50)) { 1 }
        #expect(next() == [1, 160])
        schedule.ended(1, at: start + .seconds(10_000)) { 0.5 }
        // A tenth less than its pause after the end of its last run.
        #expect(next() == [0, 940])
        #expect(WarmSchedule([], at: start) { 0 }.next == nil)
    }

    @Test func `a repeated item is known, and a long list forgets its oldest items`() {
        func item(_ id: Int) -> Item { Item(source: "a", kind: "b", id: "\(id)") }
        var seen = SeenItems(limit: 2)
        // The first two are the older generation when the fourth comes, and forgotten after it.
        let isNew = [1, 2, 3, 1, 3, 4, 5, 1].map { seen.insert(item($0)) }
        #expect(isNew == [true, true, true, false, false, true, true, true])
    }
}
