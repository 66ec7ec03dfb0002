import Imaging

/// Draws musicians and film people: the same seed and number give the same portrait.
struct PortraitArtist: Sendable {
    let seed: UInt64

    func portrait(
        _ artist: DemoArtist, width: Int, height: Int
    ) throws(ImagingError) -> Canvas {
        var random = SeededRandom(seed: seed, 7, UInt64(artist.number))
        let styles: [PortraitStyle] =
            artist.members > 1 ? [.group, .group, .stage] : [.bust, .bust, .profile, .stage]
        let style = random.pick(styles)
        return try picture(
            style, members: artist.members, &random, width: width, height: height)
    }

    /// Somebody who makes films.
    func face(_ number: Int, width: Int, height: Int) throws(ImagingError) -> Canvas {
        var random = SeededRandom(seed: seed, 8, UInt64(number))
        let style = random.pick([PortraitStyle.bust, .bust, .profile])
        return try picture(style, members: 1, &random, width: width, height: height)
    }

    func picture(
        _ style: PortraitStyle, members: Int, _ random: inout SeededRandom, width: Int,
        height: Int
    ) throws(ImagingError) -> Canvas {
        let palette = random.pick(Palette.forEverything)
        let canvas = try Canvas(width: width, height: height, fill: palette.deep)
        var scene = Scene(canvas: canvas, palette: palette, random: random)
        switch style {
        case .bust: scene.bust()
        case .profile: scene.cutProfile()
        case .group: scene.group(members)
        case .stage: scene.stage(members)
        }
        canvas.vignette(strength: 0.2)
        canvas.grain(
            seed: scene.random.next(), strength: scene.random.number(in: 0.012...0.03))
        return canvas
    }
}

/// The ways a portrait is drawn.
enum PortraitStyle: Sendable, CaseIterable {
    case bust, profile, group, stage
}
