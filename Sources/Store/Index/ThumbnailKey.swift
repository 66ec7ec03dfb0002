package import Hashing

/// Everything that the bytes of a thumbnail depend on.
package struct ThumbnailKey: Sendable, Hashable {
    /// Levels of contact sheets begin with this.
    private static let sheetPrefix = "sheet-"

    package var original: Digest
    /// Name and box, `m:320x480`, so that a level with a changed box is another level.
    package var level: String
    package var format: String
    package var recipe: String

    package init(original: Digest, level: String, format: String, recipe: String) {
        self.original = original
        self.level = level
        self.format = format
        self.recipe = recipe
    }

    /// Whether it is one of a contact sheet, whose original has no blob.
    var isSheet: Bool { level.hasPrefix(Self.sheetPrefix) }
}

extension ThumbnailKey: Comparable {
    /// Orders keys as the index does.
    package static func < (left: Self, right: Self) -> Bool {
        (left.original, left.level, left.format, left.recipe)
            < (right.original, right.level, right.format, right.recipe)
    }
}
