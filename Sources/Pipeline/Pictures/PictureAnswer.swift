/// A thumbnail, and how it was obtained.
package struct PictureAnswer: Sendable {
    package var picture: Picture
    package var outcome: CacheOutcome
    /// The durations of the miss that made it; nil for a stored picture.
    package var timings: MissTimings?
}
