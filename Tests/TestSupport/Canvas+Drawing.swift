import CNoise
package import Imaging

/// Shapes and noise for pictures of tests. The same bytes on every machine.
extension Canvas {
    /// Fills the canvas with shades of two colors.
    package func shade(from top: RGB, to bottom: RGB) {
        for y in 0..<height {
            func mixed(_ top: UInt8, _ bottom: UInt8) -> UInt8 {
                UInt8((Int(top) * (height - y) + Int(bottom) * y) / height)
            }
            rectangle(
                x: 0, y: Double(y), width: Double(width), height: 1,
                color: RGB(
                    red: mixed(top.red, bottom.red), green: mixed(top.green, bottom.green),
                    blue: mixed(top.blue, bottom.blue)))
        }
    }

    /// Fills a rectangle, as far as it is on the canvas. Its edges are rounded to whole pixels.
    package func rectangle(
        x: Double, y: Double, width: Double, height: Double, color: RGB, alpha: Double = 1
    ) {
        let (columns, rows) = (
            Self.pixels(x, width, within: self.width), Self.pixels(y, height, within: self.height)
        )
        let paint = [Int(color.red), Int(color.green), Int(color.blue)]
        let share = Int(alpha * 256)
        let pitch = 3 * self.width
        withPixels { pixels in
            for row in rows {
                let start = row * pitch
                for place in start + 3 * columns.lowerBound..<start + 3 * columns.upperBound {
                    let below = Int(pixels[place])
                    pixels[place] = UInt8(below + (paint[place % 3] - below) * share / 256)
                }
            }
        }
    }

    private static func pixels(_ start: Double, _ count: Double, within side: Int) -> Range<Int> {
        let first = min(max(0, Int(start.rounded())), side)
        return first..<max(first, min(side, Int((start + count).rounded())))
    }

    /// Clouds: fractal noise that lightens and darkens by up to `strength` (0…1) of half the range;
    /// `scale` is the size of the largest features in pixels. Up to 8,192 pixels of the width.
    package func noise(seed: UInt64, scale: Double, strength: Double, octaves: Int = 4) {
        let (width, height) = (Int32(width), Int32(height))
        withPixels { pixels in
            guard let start = pixels.baseAddress else { return }
            noise_patches(start, width, height, seed, scale, strength, Int32(clamping: octaves))
        }
    }

    /// Film grain: independent noise for each pixel, `strength` 0…1 (0.03 is film, 0.1 coarse).
    package func grain(seed: UInt64, strength: Double) {
        let (width, height) = (Int32(width), Int32(height))
        withPixels { pixels in
            guard let start = pixels.baseAddress else { return }
            noise_grain(start, width, height, seed, strength)
        }
    }
}
