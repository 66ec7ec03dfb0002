package import Imaging
import JSON

/// The positions of the pictures on a contact sheet.
package struct SheetDocument: Sendable {
    private let image: JSON
    private var items: [JSON] = []

    /// - Parameter url: of the sheet's picture.
    package init(url: String, layout: SheetLayout) {
        image = ["url": .text(url)] + .size(layout.width, layout.height)
    }

    /// Adds the position of one picture, in pixels from the top left corner.
    ///
    /// - Parameter isPlaceholder: whether the placeholder is shown because the item has no picture.
    package mutating func add(item: String, _ frame: SheetLayout.Frame, isPlaceholder: Bool) {
        items.append(
            [
                "item": .text(item), "x": .integer(frame.x), "y": .integer(frame.y),
                "placeholder": .flag(isPlaceholder),
            ] + .size(frame.width, frame.height))
    }

    /// The document as JSON with sorted keys.
    package var json: [UInt8] {
        let document: JSON = ["image": image, "items": .list(items)]
        return document.sortedBytes
    }
}
