package import FoundationEssentials
package import Store

/// What is known of a picture before a part of it is made.
package struct ZoomFacts: Sendable, Equatable {
    package var size: ZoomSize
    package var freshUntil: Date
    /// Whether size and tiles are guessed, because no pyramid has been made.
    package var isExpected = false
}

/// A part of a picture, encoded.
package struct ZoomAnswer: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        /// A part of a blob.
        case part(OpenBlob, Range<Int>)
        /// The client has it.
        case known
    }

    package var content: Content
    /// Differs for different bytes.
    package var tag: String
    package var renderedAt: Date
    package var freshUntil: Date
    /// Whether only private caches may keep it.
    package var isPrivate: Bool
    package var outcome: CacheOutcome
    /// Whether a sharper one may follow.
    package var isPreview = false
}
