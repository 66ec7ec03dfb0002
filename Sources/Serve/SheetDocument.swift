package import Imaging

/// The positions of the pictures on a contact sheet.
package struct SheetDocument: Encodable, Sendable {
    /// The sheet's picture: its URL, and its size in pixels.
    package struct Image: Encodable, Sendable {
        package var url: String
        package var width: Int
        package var height: Int
    }

    /// The position of one picture, in pixels from the top left corner.
    package struct Rectangle: Encodable, Sendable {
        package var item: String
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int
        /// Whether the placeholder is shown because the item has no picture.
        package var placeholder: Bool

        package init(item: String, _ frame: SheetLayout.Frame, isPlaceholder: Bool) {
            self.item = item
            x = frame.x
            y = frame.y
            width = frame.width
            height = frame.height
            placeholder = isPlaceholder
        }
    }

    package var image: Image
    package var items: [Rectangle]

    package init(url: String, layout: SheetLayout, items: [Rectangle]) {
        image = Image(url: url, width: layout.width, height: layout.height)
        self.items = items
    }

    /// The document as JSON with sorted keys.
    package var json: [UInt8] { JSON.encode(self) }
}
