import Imaging
import Store

/// An original with the thumbnails that were rendered from it.
struct RenderedOriginal {
    var original: Original
    /// Of the original, with its size and format.
    var record: OriginalRecord
    var wanted: Set<Rendition>
    /// Nil if all wanted thumbnails were stored.
    var rendering: Rendering?
    /// Wanted thumbnails that were stored.
    var reused: Int
}
