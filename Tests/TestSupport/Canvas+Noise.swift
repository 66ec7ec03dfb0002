import CNoise
package import Imaging

extension Canvas {
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
