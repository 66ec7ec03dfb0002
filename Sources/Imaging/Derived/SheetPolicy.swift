/// The look of contact sheets and their largest size.
package struct SheetPolicy: Sendable, Hashable {
    /// Pixels of a sheet; 16 million hold a page of 250 thumbnails of 160×240, and take 48 MB of
    /// memory while they are drawn.
    package var maxPixels = 16_000_000
    /// The color behind and between the pictures.
    package var background = RGB(red: 0xf4, green: 0xf5, blue: 0xf7)
    /// Longest side in pixels; WebP can't have more.
    package static let maxSide = 16_383

    package init() {}

    package func allows(_ layout: SheetLayout) -> Bool {
        layout.pixels <= maxPixels && max(layout.width, layout.height) <= Self.maxSide
    }
}
