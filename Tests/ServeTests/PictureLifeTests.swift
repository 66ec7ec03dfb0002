import Pipeline
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct PictureLifeTests {
    @Test(arguments: [
        (100, 1_000, "max-age=100, stale-while-revalidate=60, stale-if-error=900"),
        (100, 130, "max-age=100, stale-while-revalidate=30, stale-if-error=30"),
        (100, 3, "max-age=3, stale-while-revalidate=0, stale-if-error=0"),
        (-10, 20, "max-age=0, stale-while-revalidate=30, stale-if-error=30"),
        (-10, 0, "max-age=0, stale-while-revalidate=10, stale-if-error=10"),
        (100, -5, "max-age=0, stale-while-revalidate=0, stale-if-error=0"),
    ])
    func `the lifetime of a picture ends with its signed URL`(
        left: Int, linkLeft: Int, expected: String
    ) {
        var freshness = FreshnessPolicy()
        (freshness.staleWhileRevalidate, freshness.staleIfError) = (60, 10_000)
        let life = PictureLife(freshness)
        #expect(life.bounded(left: left, linkLeft: linkLeft) == "public, \(expected)")
    }
}
