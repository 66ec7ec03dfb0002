package import FoundationEssentials

/// A part of a list of objects.
package struct ObjectList: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package var key: String
        package var byteCount: Int
        /// By the store's clock, which has whole seconds at worst; nil if the store doesn't say it.
        package var modifiedAt: Date?

        package init(key: String, byteCount: Int, modifiedAt: Date? = nil) {
            self.key = key
            self.byteCount = byteCount
            self.modifiedAt = modifiedAt
        }
    }

    package var entries: [Entry]
    /// Whether more objects follow.
    package var isTruncated: Bool

    package init(entries: [Entry], isTruncated: Bool) {
        self.entries = entries
        self.isTruncated = isTruncated
    }
}
