/// How fresh a hit is when it is sent.
package struct HitFreshness: Equatable, Sendable {
    package var isStale: Bool
    /// Negative once it is stale.
    package var secondsLeft: Int

    package init(isStale: Bool, secondsLeft: Int) {
        self.isStale = isStale
        self.secondsLeft = secondsLeft
    }
}
