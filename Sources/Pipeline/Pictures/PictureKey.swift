import Catalog
import Imaging

/// The key of hits.
struct PictureKey: Hashable, Sendable {
    var item: Item
    var rendition: Rendition
}
