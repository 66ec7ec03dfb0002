import CNoise
import Imaging

extension Picture {
    /// Draws it without its surface.
    func drawing(width: Int, height: Int) throws -> Canvas {
        try Canvas(svg: try Filling.svg(self, pixels: (width, height)))
    }

    /// Draws it. Blocks for some tens of milliseconds per megapixel.
    func draw(width: Int, height: Int) throws -> Canvas {
        let canvas = try drawing(width: width, height: height)
        var random = random
        let seed = random.next()
        let unit = Double(min(width, height)) / 1_000
        canvas.withPixels { pixels in
            guard let start = pixels.baseAddress else { return }
            noise_finish(
                start, Int32(width), Int32(height), seed,
                random.number(in: surface.grain), surface.mottle, surface.mottleSize * unit,
                surface.vignette)
        }
        return canvas
    }
}
