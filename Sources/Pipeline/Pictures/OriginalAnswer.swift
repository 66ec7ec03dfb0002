package import FoundationEssentials
package import Hashing

/// An original as the origin sent it, and how it was obtained.
package struct OriginalAnswer: Sendable {
    package var digest: Digest
    package var content: BlobContent
    package var fetchedAt: Date
    package var freshUntil: Date
    /// Whether only private caches may keep it.
    package var isPrivate: Bool
    package var outcome: CacheOutcome
    /// See ``FreshnessPolicy/wantsRefresh(_:_:at:)``.
    var wantsRefresh: Bool
}
