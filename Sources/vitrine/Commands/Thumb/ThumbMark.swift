import Hashing
import Imaging
import Store

/// The note on a thumbnail's file that says what it was made from, and how. A later run leaves the
/// file alone if it would write the same.
enum ThumbMark {
    private static let beginning = "thumb1 "

    /// Returns the note.
    ///
    /// - Parameters:
    ///   - recipe: of the rendition.
    ///   - source: changes with the picture: its place, size and time.
    static func text(_ rendition: Rendition, recipe: String, source: String) -> String {
        let level = rendition.level
        let whole =
            "\(level.name) \(level.width)x\(level.height) \(rendition.format.rawValue) \(recipe) "
            + source
        return beginning + "\(Digest(of: Array(whole.utf8)))".prefix(32)
    }

    static func isMark(_ note: String) -> Bool { note.hasPrefix(beginning) }
}
