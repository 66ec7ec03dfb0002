import CPixels
import CVips

extension Canvas {
    /// Text whose block has its top left corner at `x`, `y`, wrapped at words to `width` pixels and
    /// aligned within them. Returns the height of the block in pixels, 0 where nothing can be drawn.
    @discardableResult
    package func text(
        _ string: String, x: Double, y: Double, width: Double, style: TextStyle
    ) -> Double {
        guard !string.allSatisfy(\.isWhitespace), width >= 1 else { return 0 }
        // Without a font, or without libvips, a drawing is a drawing without words.
        guard let mask = try? textMask(string, width: width, style: style) else { return 0 }
        let spare = width - Double(mask.width)
        let indent =
            switch style.alignment {
            case .leading: 0.0
            case .centre: spare / 2
            case .trailing: spare
            }
        pixels_mask(
            pixels, mask.bytes, Int32(mask.width), Int32(mask.height),
            Self.pixel(x + indent), Self.pixel(y),
            pixels_paint(style.colour, style.alpha))
        return Double(mask.height)
    }

    private func textMask(
        _ string: String, width: Double, style: TextStyle
    ) throws(ImagingError) -> PixelBuffer {
        try Vips.start()
        let font = "\(style.family) \(style.weight) \(style.size)"
        let align =
            switch style.alignment {
            case .leading: VIPS_ALIGN_LOW
            case .centre: VIPS_ALIGN_CENTRE
            case .trailing: VIPS_ALIGN_HIGH
            }
        let mask = try VipsPicture {
            vitrine_vips_text(
                Self.escaped(string), font, Self.pixel(width), align, Self.pixel(style.spacing), $0)
        }
        return try mask.resampled(
            spanX: Double(mask.width), spanY: Double(mask.height), to: mask.size)
    }

    /// Pango reads markup.
    private static func escaped(_ string: String) -> String {
        string.reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\0": break
            default: text.append(character)
            }
        }
    }
}
