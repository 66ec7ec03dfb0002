import CNoise
import Imaging

/// A picture to draw. Equal values draw equal pixels with the same version of librsvg and the same
/// fonts.
struct Picture: Sendable {
    var motif: Motif
    var palette: Palette
    var words: [String: String]
    /// The source of all that is drawn at random.
    var random: SeededRandom
    /// Proportions of what is shown.
    var shape: (width: Int, height: Int)
    var surface: Surface

    /// The texture over a drawing. Strengths are shares of the range of a sample, 0…1.
    struct Surface: Sendable {
        /// The finest grain, which differs for each pixel.
        var grain: ClosedRange<Double>
        /// Soft patches. Their size is in units of a poster 1,000 high.
        var mottle = 0.0
        var mottleSize = 300.0
        /// Darker corners.
        var vignette = 0.0

        static let print = Surface(grain: 0.012...0.03, mottle: 0.045, vignette: 0.28)
        static let sleeve = Surface(grain: 0.008...0.022, mottle: 0.025, mottleSize: 420)
        static let photograph = Surface(grain: 0.012...0.03, vignette: 0.2)
        static let painting = Surface(
            grain: 0.018...0.022, mottle: 0.07, mottleSize: 22, vignette: 0.34)
        static let glaze = Surface(
            grain: 0.01...0.012, mottle: 0.05, mottleSize: 80, vignette: 0.16)
    }

    /// Picks one of the motif's palettes with `random`, unless one is given.
    init(
        _ motif: Motif, palette: Palette? = nil, words: [String: String] = [:],
        shape: (width: Int, height: Int), surface: Surface = .print, _ random: SeededRandom
    ) {
        var random = random
        self.motif = motif
        self.palette = palette ?? random.pick(motif.palettes)
        self.words = words
        self.random = random
        self.shape = shape
        self.surface = surface
    }

    /// Returns the SVG document of the picture, scaled to a size in pixels.
    func svg(width: Int, height: Int) -> String {
        var pen = Pen(self, pixels: (width, height))
        motif.draw(&pen)
        return pen.svg + "</svg>"
    }

    /// Draws it without its surface.
    func drawing(width: Int, height: Int) throws -> Canvas {
        try Canvas(svg: Array(svg(width: width, height: height).utf8))
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

extension Pen {
    fileprivate init(_ picture: Picture, pixels: (width: Int, height: Int)) {
        let own = picture.motif.size
        let shape = (width: Double(picture.shape.width), height: Double(picture.shape.height))
        let unit = min(shape.width / own.width, shape.height / own.height)
        // Very thin pictures are drawn less thin, because their loops would never end.
        width = min(shape.width / unit, own.width * 8)
        height = min(shape.height / unit, own.height * 3)
        words = picture.words
        palette = picture.palette
        random = picture.random
        anchor = random.chance(0.6) ? "middle" : "start"
        svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(pixels.width)" height="\(pixels.height)" \
            viewBox="0 0 \(width.svg) \(height.svg)" preserveAspectRatio="none">
            """
    }
}
