import Imaging

/// Draws covers in the size asked for: the same seed and album give the same cover.
struct CoverArtist: Sendable {
    static let quality = 86

    let seed: UInt64

    func cover(_ credits: CoverCredits, width: Int, height: Int) throws(ImagingError) -> Canvas {
        var random = SeededRandom(seed: seed, 6, UInt64(credits.number))
        let direction = random.pick(CoverDirection.suiting(credits.genre))
        return try cover(credits, as: direction, &random, width: width, height: height)
    }

    func cover(
        _ credits: CoverCredits, as direction: CoverDirection, _ random: inout SeededRandom,
        width: Int, height: Int
    ) throws(ImagingError) -> Canvas {
        let palette = random.pick(direction.palettes)
        let canvas = try Canvas(width: width, height: height, fill: palette.deep)
        var scene = Scene(canvas: canvas, palette: palette, random: random)
        direction.paint(&scene, credits)
        // Print: paper and ink are never quite even.
        canvas.noise(
            seed: scene.random.next(), scale: 420 * scene.unit, strength: 0.025, octaves: 2)
        canvas.grain(seed: scene.random.next(), strength: scene.random.number(in: 0.008...0.022))
        return canvas
    }
}

/// The ways a cover is drawn.
enum CoverDirection: Sendable, CaseIterable {
    case modernist, gradient, sunburst, landscape, minimal, ridgelines, bars, cutouts, halftone,
        contours

    func paint(_ scene: inout Scene, _ credits: CoverCredits) {
        switch self {
        case .modernist: scene.modernist(credits)
        case .gradient: scene.gradient(credits)
        case .sunburst: scene.sunburst(credits)
        case .landscape: scene.landscape(credits)
        case .minimal: scene.minimal(credits)
        case .ridgelines: scene.ridgelines(credits)
        case .bars: scene.bars(credits)
        case .cutouts: scene.cutouts(credits)
        case .halftone: scene.halftone(credits)
        case .contours: scene.contours(credits)
        }
    }

    static func suiting(_ genre: MusicGenre) -> [CoverDirection] {
        switch genre {
        case .jazz: [.bars, .bars, .modernist, .cutouts, .halftone]
        case .electronic: [.gradient, .ridgelines, .halftone, .contours, .minimal]
        case .alternative: [.ridgelines, .landscape, .halftone, .minimal, .gradient]
        case .folk: [.landscape, .landscape, .cutouts, .contours, .sunburst]
        case .classical: [.minimal, .modernist, .landscape, .contours]
        case .soul: [.sunburst, .sunburst, .cutouts, .bars, .gradient]
        case .rock: [.halftone, .landscape, .sunburst, .ridgelines]
        case .pop: [.gradient, .cutouts, .modernist, .sunburst]
        case .ambient: [.contours, .gradient, .landscape, .minimal]
        case .soundtrack: [.landscape, .landscape, .modernist, .ridgelines]
        }
    }

    /// Colours that suit it.
    var palettes: [Palette] {
        switch self {
        case .gradient: [.neon, .dusk, .lagoon, .ember, .rose, .ocean, .plum, .ice]
        case .ridgelines: [.ink, .north, .neon, .dusk, .ice, .ocean, .ember]
        case .sunburst: [.mustard, .desert, .ember, .lagoon, .rose, .olive, .dusk]
        case .bars: [.ink, .north, .mustard, .ocean, .ember, .ice, .olive]
        case .modernist, .landscape, .minimal, .cutouts, .halftone, .contours:
            Palette.forEverything
        }
    }
}
