/// Every bound and setting of rendering, with its default and its reason.
package struct ImagingConfiguration: Sendable {
    /// Render threads; 0 means one per core.
    package var threads = 0
    /// Renders waiting for a thread; one more is refused with ``ImagingError/overloaded``.
    package var queueLimit = 10_000
    /// Bytes of an original.
    package var maxBytes = 64 << 20
    /// Pixels of an original before decoding; 100 MP covers every camera and museum scan in use.
    package var maxPixels = 100_000_000
    /// Either side of an original in pixels; the largest that JPEG and GIF can name.
    package var maxSide = 65_535
    package var jpegQuality = 80
    package var webpQuality = 80
    /// libwebp's method, 0…6; 2 costs half of the usual 4 for 2.7 % more bytes.
    package var webpEffort = 2
    /// What transparent pictures are flattened on where the format has no alpha, `#rrggbb`.
    package var background = RGB(red: 255, green: 255, blue: 255)
    package var placeholder = PlaceholderStyle()
    package var sheet = SheetPolicy()

    package init() {}
}

/// An sRGB colour, 8 bit.
package struct RGB: Sendable, Hashable, Codable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}
