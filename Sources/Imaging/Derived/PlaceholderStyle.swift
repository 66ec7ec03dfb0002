/// The placeholder for items without a picture.
package struct PlaceholderStyle: Sendable, Hashable {
    /// A picture in any supported format; nil draws one.
    package var picture: [UInt8]?
    /// The colors of the drawn one.
    package var background = RGB(red: 0xe0, green: 0xe5, blue: 0xeb)
    package var foreground = RGB(red: 0xa4, green: 0xaf, blue: 0xbd)

    package init() {}
}
