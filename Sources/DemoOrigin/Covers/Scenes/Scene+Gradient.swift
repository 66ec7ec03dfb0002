import Imaging

extension Scene {
    /// Soft lights that run into each other, and one great word.
    mutating func gradient(_ credits: CoverCredits) {
        canvas.gradient(
            [
                GradientStop(0, palette.deep), GradientStop(0.55, palette.mid),
                GradientStop(1, palette.night),
            ], angle: random.number(in: -60...60))
        let lights = [palette.bright, palette.accent, palette.pale, palette.mid, palette.bright]
        for light in lights {
            canvas.glow(
                x: width * random.number(in: 0.05...0.95),
                y: height * random.number(in: 0.05...0.95),
                radius: width * random.number(in: 0.4...0.75), colour: light,
                strength: random.number(in: 0.6...0.95))
        }
        canvas.glow(
            x: width * random.number(in: 0.2...0.8), y: height * random.number(in: 0.3...0.6),
            radius: width * 0.42, colour: palette.night, strength: 0.7)
        canvas.noise(seed: random.next(), scale: 600 * unit, strength: 0.06, octaves: 2)
        let margin = width * 0.055
        let typeface = random.pick([Typeface.geometric, .narrow, .grotesque, .bookish])
        let isLow = random.chance(0.6)
        canvas.glow(
            x: width * 0.4, y: height * (isLow ? 0.8 : 0.2), radius: width * 0.7,
            colour: palette.night, strength: 0.38)
        letter(
            credits.title, typeface, largest: 190, x: margin,
            y: height * (isLow ? 0.58 : 0.05), width: width - 2 * margin, height: height * 0.36,
            colour: palette.pale)
        letter(
            credits.artist, .geometric, largest: 38, x: margin,
            y: height * (isLow ? 0.05 : 0.9), width: width - 2 * margin, height: height * 0.06,
            colour: palette.pale)
    }
}
