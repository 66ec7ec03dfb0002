import Imaging

extension Scene {
    /// Ranges one behind the other, paler with distance, under a low sun.
    mutating func mountains() -> TitleArea {
        let isNight = random.chance(0.4)
        canvas.gradient(
            isNight
                ? [
                    GradientStop(0, palette.night), GradientStop(0.3, palette.deep),
                    GradientStop(0.6, palette.mid), GradientStop(0.8, palette.bright),
                ]
                : [
                    GradientStop(0, palette.deep), GradientStop(0.28, palette.mid),
                    GradientStop(0.55, palette.bright), GradientStop(0.75, palette.pale),
                ])
        if isNight { stars(150, above: height * 0.45, colour: palette.pale) }
        canvas.noise(
            seed: random.next(), scale: 260 * unit, strength: 0.05, octaves: 4)
        let sunX = width * random.number(in: 0.25...0.75)
        let sunY = height * random.number(in: 0.42...0.52)
        sun(
            x: sunX, y: sunY, radius: random.number(in: 48...92) * unit,
            colour: palette.pale.mixed(with: palette.accent, isNight ? 0.1 : 0.45),
            light: palette.accent.mixed(with: palette.pale, 0.4), strength: 0.55)
        let layers = random.integer(in: 5...6)
        let hazy = isNight ? 0.62 : 0.72
        for layer in 0..<layers {
            let share = Double(layer) / Double(layers - 1)
            let base = height * (0.62 + share * 0.33)
            let colour = palette.tone(hazy * (1 - share) * (1 - share * 0.25))
            let heights = ridge(detail: 7, roughness: 0.42 + 0.1 * share)
            let reach = height * (0.17 - share * 0.06)
            land(heights, base: base, reach: reach, colour: colour)
            // The lit side: the same ridge a little lower and to one side, a little darker.
            land(
                heights.map { max(0, $0 - 0.16) }, base: base + 6 * unit, reach: reach,
                colour: colour.mixed(with: palette.night, 0.12))
            if layer < layers - 2 {
                mist(
                    y: base + 8 * unit, height: 34 * unit,
                    colour: palette.tone(0.85).mixed(with: colour, 0.3), alpha: 0.28)
            } else if layer == layers - 1 {
                pines(on: heights, base: base, reach: reach, colour: colour)
            }
        }
        birds(
            random.integer(in: 3...7), x: width - sunX, y: sunY - 70 * unit,
            colour: palette.night)
        return TitleArea(
            top: 0.055, bottom: 0.36, colour: palette.pale,
            shade: isNight ? palette.night : palette.deep)
    }

    /// Firs along the nearest ridge.
    private mutating func pines(
        on heights: [Double], base: Double, reach: Double, colour: RGB
    ) {
        let step = width / Double(heights.count - 1)
        var x = -10 * unit
        while x < width + 10 * unit {
            let index = min(max(Int(x / step), 0), heights.count - 1)
            let foot = base - heights[index] * reach + 6 * unit
            let tall = random.number(in: 26...72) * unit
            for tier in 0..<3 {
                let top = foot - tall * (1 - Double(tier) * 0.26)
                let half = tall * (0.1 + Double(tier) * 0.055)
                canvas.polygon(
                    [
                        Point(x, top), Point(x + half, top + tall * 0.46),
                        Point(x - half, top + tall * 0.46),
                    ], colour: colour)
            }
            x += random.number(in: 9...34) * unit
        }
    }
}
