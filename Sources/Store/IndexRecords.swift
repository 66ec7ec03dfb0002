package import FoundationEssentials

/// What is known of one original's URL: its blob, or why there is none.
package struct OriginalRecord: Sendable, Equatable {
    package var url: String
    /// `nil` where fetching failed; a failure keeps the digest of an earlier success.
    package var digest: Digest?
    package var byteCount: Int
    /// Pixels as seen; 0 where unknown.
    package var width: Int
    package var height: Int
    /// `jpeg`, `png`, …; empty where unknown.
    package var format: String
    package var entityTag: String?
    package var lastModified: String?
    package var fetchedAt: Date
    package var freshUntil: Date
    /// Why the last try failed; `nil` after a success.
    package var failure: FailureRecord?

    package init(url: String, fetchedAt: Date, freshUntil: Date) {
        self.url = url
        self.byteCount = 0
        self.width = 0
        self.height = 0
        self.format = ""
        self.fetchedAt = fetchedAt
        self.freshUntil = freshUntil
    }
}

/// A remembered failure (RFC 9111 knows them as negative responses).
package struct FailureRecord: Sendable, Equatable, Codable {
    /// `absent`, `unavailable`, `rejected`: the words are the pipeline's.
    package var kind: String
    package var reason: String
    /// Until then it isn't tried again.
    package var until: Date

    package init(kind: String, reason: String, until: Date) {
        self.kind = kind
        self.reason = reason
        self.until = until
    }
}

/// What decides the bytes of a thumbnail.
package struct ThumbnailKey: Sendable, Hashable {
    package var original: Digest
    /// Name and box, `m:320x480`: a level whose box was reconfigured is another one.
    package var level: String
    package var format: String
    package var recipe: String

    package init(original: Digest, level: String, format: String, recipe: String) {
        self.original = original
        self.level = level
        self.format = format
        self.recipe = recipe
    }
}

extension ThumbnailKey: Comparable {
    /// As the index sorts them.
    package static func < (left: Self, right: Self) -> Bool {
        (left.original, left.level, left.format, left.recipe)
            < (right.original, right.level, right.format, right.recipe)
    }
}

/// A stored thumbnail.
package struct ThumbnailRecord: Sendable, Equatable {
    package var key: ThumbnailKey
    package var digest: Digest
    package var byteCount: Int
    package var width: Int
    package var height: Int
    package var renderedAt: Date

    package init(
        key: ThumbnailKey, digest: Digest, byteCount: Int, width: Int, height: Int,
        renderedAt: Date
    ) {
        self.key = key
        self.digest = digest
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.renderedAt = renderedAt
    }
}

/// What a grid shows of an original before its picture is there.
package struct SummaryRecord: Sendable, Equatable {
    package var original: Digest
    package var thumbHash: [UInt8]
    /// `#rrggbb`.
    package var colour: String
    /// Size of the original in pixels as seen.
    package var width: Int
    package var height: Int

    package init(
        original: Digest, thumbHash: [UInt8], colour: String, width: Int, height: Int
    ) {
        self.original = original
        self.thumbHash = thumbHash
        self.colour = colour
        self.width = width
        self.height = height
    }
}

/// Which original an item shows at a level, or why none.
package struct BindingRecord: Sendable, Equatable {
    /// `tvmaze/show/1`.
    package var item: String
    /// Level key as in ``ThumbnailKey/level``.
    package var level: String
    package var original: Digest?
    /// The URL the original came from.
    package var url: String?
    package var failure: FailureRecord?
    /// The walked chain as the pipeline encodes it.
    package var trace: [UInt8]
    package var resolvedAt: Date
    package var freshUntil: Date

    package init(
        item: String, level: String, original: Digest?, url: String?, failure: FailureRecord?,
        trace: [UInt8], resolvedAt: Date, freshUntil: Date
    ) {
        self.item = item
        self.level = level
        self.original = original
        self.url = url
        self.failure = failure
        self.trace = trace
        self.resolvedAt = resolvedAt
        self.freshUntil = freshUntil
    }
}

/// A keyed document with its clock.
package struct DocumentRecord: Sendable, Equatable {
    package var key: String
    package var body: [UInt8]
    package var fetchedAt: Date
    package var expiresAt: Date

    package init(key: String, body: [UInt8], fetchedAt: Date, expiresAt: Date) {
        self.key = key
        self.body = body
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
    }
}

/// Rows in the index.
package struct IndexStatistics: Sendable, Equatable {
    package var originals = 0
    package var failures = 0
    package var thumbnails = 0
    package var items = 0
    package var documents = 0
    /// Originals that are not rendered again, see ``QuarantineRecord``.
    package var quarantined = 0
    /// Bytes of all originals, each URL's counted.
    package var originalBytes = 0
    /// Bytes of all thumbnails, each original's counted.
    package var thumbnailBytes = 0

    package init() {}
}

/// What a check of the index found.
package struct IndexVerification: Sendable, Equatable {
    /// SQLite's own complaints; empty when sound.
    package var complaints: [String] = []
    /// Blobs that rows name and that are gone, in order.
    package var missing: [Digest] = []
    /// Whether the index was made empty because of its complaints.
    package var wasErased = false

    package init() {}
}
