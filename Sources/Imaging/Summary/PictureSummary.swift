/// What a grid shows before the picture is there.
package struct PictureSummary: Sendable, Equatable {
    /// About 25 bytes, see ``ThumbHash``.
    package var thumbHash: [UInt8]
    /// The colour that most of the picture is close to.
    package var colour: RGB
    /// Size of the original in pixels as seen, orientation applied.
    package var width: Int
    package var height: Int

    package init(thumbHash: [UInt8], colour: RGB, width: Int, height: Int) {
        self.thumbHash = thumbHash
        self.colour = colour
        self.width = width
        self.height = height
    }

    /// Of pixels that were made from an original of `size`.
    init(_ pixels: PixelBuffer, of size: PixelSize) throws(ImagingError) {
        let box = Level(name: "", width: ThumbHash.maxSide, height: ThumbHash.maxSide)
        let small = pixels.size.fitting(box)
        let pixels =
            small == pixels.size
            ? pixels : try pixels.resampled(width: small.width, height: small.height)
        self.init(
            thumbHash: ThumbHash.encode(pixels), colour: DominantColour.find(pixels),
            width: size.width, height: size.height)
    }
}

extension RGB {
    /// `#rrggbb`.
    package var hex: String {
        let value = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        let digits = String(value, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// `nil` unless it is `#` and six hexadecimal digits.
    package init?(hex: String) {
        let digits = hex.utf8.dropFirst()
        guard hex.utf8.first == UInt8(ascii: "#"), digits.count == 6,
            digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(hex.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xff), blue: UInt8(value & 0xff))
    }
}
