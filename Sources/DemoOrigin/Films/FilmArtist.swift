import Imaging

/// Draws posters and backdrops of films in the size asked for: the same seed, film and variant give
/// the same picture.
struct FilmArtist: Sendable {
    let seed: UInt64

    /// The second variant of a poster has no words on it.
    func poster(
        _ film: DemoFilm, variant: Int, width: Int, height: Int
    ) throws(ImagingError) -> Canvas {
        var (scene, art) = try scene(film, 17, variant, width: width, height: height)
        let area = art.paint(&scene)
        scene.canvas.vignette(strength: 0.28)
        if variant != 1 {
            let lettering = Lettering(title: film.title, area: area) { _ in Self.billing(film) }
            try lettering.draw(on: &scene)
        }
        return finished(scene)
    }

    func backdrop(
        _ film: DemoFilm, variant: Int, width: Int, height: Int
    ) throws(ImagingError) -> Canvas {
        var (scene, art) = try scene(film, 18, variant, width: width, height: height)
        _ = art.paint(&scene)
        scene.canvas.vignette(strength: 0.35)
        return finished(scene)
    }

    /// A film keeps its art direction and palette in its first poster and all backdrops.
    private func scene(
        _ film: DemoFilm, _ salt: UInt64, _ variant: Int, width: Int, height: Int
    ) throws(ImagingError) -> (Scene, ArtDirection) {
        let style = salt == 17 ? UInt64(variant / 2) : 0
        var random = SeededRandom(seed: seed, 19, UInt64(film.number), style)
        let art = ArtDirection.suiting(
            title: film.title, genre: film.genres.first?.television, &random)
        let palette = random.pick(art.palettes)
        let canvas = try Canvas(width: width, height: height, fill: palette.deep)
        let numbers = SeededRandom(seed: seed, salt, UInt64(film.number), UInt64(variant))
        return (Scene(canvas: canvas, palette: palette, random: numbers), art)
    }

    private func finished(_ scene: Scene) -> Canvas {
        var random = scene.random
        scene.canvas.grain(
            seed: random.next(), strength: random.number(in: 0.012...0.026))
        return scene.canvas
    }

    /// Two lines, as at the foot of every film poster.
    private static func billing(_ film: DemoFilm) -> [String] {
        let cast = film.cast.map(\.name).joined(separator: "  ·  ")
        return [
            cast.uppercased(),
            "\(film.studio) presents a film by \(film.director.name)  ·  \(film.year)".uppercased(),
        ]
    }
}

extension FilmGenre {
    /// What shows of its kind are called, by which posters are designed.
    fileprivate var television: String {
        switch self {
        case .scienceFiction: "Science-Fiction"
        case .action: "Thriller"
        case .western: "Adventure"
        case .animation: "Family"
        default: name
        }
    }
}
