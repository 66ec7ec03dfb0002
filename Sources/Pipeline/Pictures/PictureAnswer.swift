/// What a request for a thumbnail gets.
package struct PictureAnswer: Sendable {
    package var picture: Picture
    package var outcome: CacheOutcome
    /// Of the miss that was waited for; nil for a stored picture.
    package var timings: MissTimings?
}
