import Imaging

/// Draws the pictures of shows: the same seed, show and slot give the same picture.
struct PosterArtist: Sendable {
    /// Raised with every change that changes pictures: entity tags follow it.
    static let version: UInt64 = 1
    /// Mediums show less grain, so they bear less quality for the bytes of real ones.
    static let originalQuality = 86
    static let mediumQuality = 88

    let seed: UInt64

    /// The original, then the medium one where there is one. Blocks for some tens of milliseconds.
    func files(_ slot: PictureName.Slot, of show: DemoShow) throws(ImagingError) -> [[UInt8]] {
        let canvas = try draw(slot, of: show)
        let original = try canvas.encodeJPEG(quality: Self.originalQuality)
        guard let size = slot.mediumSize else {
            return [original]
        }
        let pixels = PictureName(show: show.id, slot: slot, size: size).pixels
        let medium = try Canvas(width: pixels.width, height: pixels.height)
        // The whole width; what is too high is cut evenly above and below.
        let height = Double(pixels.width) * Double(canvas.height) / Double(canvas.width)
        medium.draw(
            canvas, x: 0, y: (Double(pixels.height) - height) / 2, width: Double(pixels.width),
            height: height)
        return [original, try medium.encodeJPEG(quality: Self.mediumQuality)]
    }

    /// The picture at its original size.
    func draw(_ slot: PictureName.Slot, of show: DemoShow) throws(ImagingError) -> Canvas {
        var random = SeededRandom(seed: seed, 4, UInt64(show.id), UInt64(slot.rawValue))
        let art = ArtDirection.suiting(
            title: show.title, genre: show.genres.first, &random)
        return try draw(slot, of: show, as: art, &random)
    }

    func draw(
        _ slot: PictureName.Slot, of show: DemoShow, as art: ArtDirection,
        _ random: inout SeededRandom
    ) throws(ImagingError) -> Canvas {
        let palette = random.pick(art.palettes)
        let size = PictureName(show: show.id, slot: slot, size: .original).pixels
        let canvas = try Canvas(width: size.width, height: size.height, fill: palette.deep)
        var scene = Scene(canvas: canvas, palette: palette, random: random)
        let area = art.paint(&scene)
        canvas.vignette(strength: 0.28)
        switch slot {
        case .mainPoster, .otherPoster: try Lettering(show: show, area: area).draw(on: &scene)
        case .background, .banner, .unclassified: break
        }
        canvas.grain(seed: scene.random.next(), strength: scene.random.number(in: 0.012...0.03))
        return canvas
    }
}
