package import Catalog
package import FoundationEssentials
package import Imaging
package import Store

/// A thumbnail as it is served, or the placeholder with the failure that it replaces.
package struct Picture: Sendable {
    package var facts: PictureFacts
    /// Empty for a placeholder that can't be rendered.
    package var bytes: [UInt8]
    package var format: ThumbnailFormat
    package var freshUntil: Date
    /// Whether only private caches may keep it. It never comes into memory.
    package var isPrivate = false
    /// Why the placeholder is shown, or why a stale picture could not be refreshed.
    package var failure: Failure?
    package var isPlaceholder: Bool

    /// All that is known of it.
    var withoutBytes: Picture {
        var picture = self
        picture.bytes = []
        return picture
    }

    func wantsRefresh(at now: Date) -> Bool {
        FreshnessPolicy.wantsRefresh(freshUntil, failure?.until, at: now)
    }
}

extension Picture {
    /// A stored thumbnail.
    ///
    /// - Parameter known: what is believed of its item.
    init(
        _ thumbnail: ThumbnailRecord, _ format: ThumbnailFormat, _ known: BelievedResolution,
        _ bytes: [UInt8] = []
    ) {
        self.init(
            facts: thumbnail.facts, bytes: bytes, format: format, freshUntil: known.freshUntil,
            isPrivate: known.isPrivate, failure: known.failure, isPlaceholder: false)
    }
}

/// The dates of a stored thumbnail, in seconds since 1970. Pure.
package struct HitLife: Sendable, BitwiseCopyable {
    /// When it came into memory, by the clock of that time.
    private let madeAt: Double
    private let freshUntil: Double
    /// How long the failure of its last refresh is remembered; in the past after a success.
    private let failedUntil: Double

    init(_ picture: Picture, at now: Date) {
        madeAt = now.timeIntervalSince1970
        freshUntil = picture.freshUntil.timeIntervalSince1970
        failedUntil = picture.failure?.until.timeIntervalSince1970 ?? -.infinity
    }

    /// Whether its last refresh failed.
    var hasFailed: Bool { failedUntil > -.infinity }

    var freshDate: Date { Date(timeIntervalSince1970: freshUntil) }

    /// Returns the outcome of serving it at `now`.
    package func outcome(at now: Date) -> CacheOutcome {
        freshUntil > now.timeIntervalSince1970 && isCredible(at: now) ? .hit : .stale
    }

    /// Returns whether its dates are plausible. They are not if the clock was set back since.
    package func isCredible(at now: Date) -> Bool {
        madeAt <= now.timeIntervalSince1970 + FreshnessPolicy.tolerance
    }

    /// Returns whether a refresh should run at `now`, also because the dates can't be believed.
    package func wantsRefresh(at now: Date) -> Bool {
        FreshnessPolicy.wantsRefresh(freshUntil, failedUntil, at: now.timeIntervalSince1970)
            || !isCredible(at: now)
    }

    /// Returns the seconds of freshness left at `now`; negative after the expiry.
    package func secondsLeft(at now: Date) -> Int {
        isCredible(at: now) ? Int(freshUntil - now.timeIntervalSince1970) : 0
    }
}
