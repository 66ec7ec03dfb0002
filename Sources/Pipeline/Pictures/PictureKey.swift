import Catalog
import Imaging
import Store

/// The key of a hit.
struct PictureKey: Hashable, Sendable {
    var item: Item
    var rendition: Rendition
}
