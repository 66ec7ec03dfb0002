import Catalog
import FoundationEssentials
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct FreshnessTests {
    private let policy = FreshnessPolicy()

    private func lifetime(_ fields: [String: String]) -> TimeInterval {
        policy.lifetime { fields[$0] }
    }

    @Test(arguments: ["private", "max-age=900, Private", "public, private"])
    func `what only private caches may keep has no freshness, but a floor for refreshes`(
        field: String
    ) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        var policy = policy
        let until = policy.freshUntil({ $0 == "cache-control" ? field : nil }, at: now)
        #expect(FreshnessPolicy.isPrivate(until))
        #expect(policy.believed(until, since: now, now: now + 5) == now + policy.originalMin)
        policy.honorsPrivate = false
        let mistaken = policy.freshUntil({ $0 == "cache-control" ? field : nil }, at: now)
        #expect(mistaken == now + (field.contains("900") ? 900 : policy.originalDefault))
    }

    @Test(
        arguments: [
            ([:], 604_800),
            (["cache-control": "public, max-age=3600"], 3_600),
            (["cache-control": "max-age=60, s-maxage=120"], 120),
            (["cache-control": "MAX-AGE=\"90\""], 90),
            (["cache-control": "max-age=3600", "age": "600"], 3_000),
            (["cache-control": "max-age=60", "age": "600"], 60),
            (["cache-control": "max-age=0"], 60),
            (["cache-control": "max-age=900, public, max-age=300"], 300),
            (["cache-control": "s-maxage=900, s-maxage=300, max-age=100"], 300),
            (["cache-control": "max-age=300, max-age=nonsense"], 300),
            (["cache-control": "private=\"set-cookie\", max-age=300"], 300),
            (["cache-control": "no-store"], 60),
            (["cache-control": "max-age=600, no-cache"], 60),
            (["cache-control": "max-age=99999999999999999999"], 2_592_000),
            (["cache-control": "max-age=-5"], 60),
            (["cache-control": "max-age=1e3"], 604_800),
            (["cache-control": "max-age=3600", "age": "nan"], 3_600),
            (["cache-control": "max-age=3600", "age": "-inf"], 3_600),
            (["cache-control": "max-age=3600", "age": "-99999"], 3_600),
            (["cache-control": "max-age=3600", "age": "1e308"], 3_600),
            (["cache-control": "max-age=3600", "age": "99999999999999999999"], 60),
            (["cache-control": "max-age=99999999"], 2_592_000),
            (["cache-control": "max-age=nonsense"], 604_800),
            (["cache-control": "public"], 604_800),
            (
                [
                    "expires": "Sun, 06 Nov 1994 08:51:37 GMT",
                    "date": "Sun, 06 Nov 1994 08:49:37 GMT",
                ], 120
            ),
            (["expires": "0", "date": "Sun, 06 Nov 1994 08:49:37 GMT"], 60),
            (["expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 60),
        ] as [([String: String], TimeInterval)])
    func `an original stays fresh as long as its origin says, within bounds`(
        fields: [String: String], expected: TimeInterval
    ) {
        #expect(lifetime(fields) == expected)
    }

    @Test func `a configured minimum outweighs the origin`() {
        var policy = FreshnessPolicy()
        policy.originalMin = 900
        #expect(policy.lifetime { $0 == "cache-control" ? "no-store" : nil } == 900)
    }

    @Test(
        arguments: [
            (Failure.Kind.absent, 86_400), (.unavailable, 30), (.timedOut, 30), (.rejected, 3_600),
            (.refused, 3_600),
        ] as [(Failure.Kind, TimeInterval)])
    func `each class of failure has its own lifetime`(
        kind: Failure.Kind, expected: TimeInterval
    ) {
        #expect(policy.lifetime(of: kind) == expected)
    }
}
