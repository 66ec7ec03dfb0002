import Imaging

extension Scene {
    /// A skyline at night, three rows deep, with lit windows.
    mutating func city() -> TitleArea {
        canvas.gradient([
            GradientStop(0, palette.night), GradientStop(0.35, palette.deep),
            GradientStop(0.72, palette.mid), GradientStop(0.9, palette.bright),
        ])
        stars(90, above: height * 0.5, colour: palette.pale)
        canvas.noise(seed: random.next(), scale: 320 * unit, strength: 0.09, octaves: 5)
        let moonX = width * random.number(in: 0.2...0.8)
        sun(
            x: moonX, y: height * random.number(in: 0.36...0.46),
            radius: random.number(in: 46...100) * unit,
            colour: palette.pale, light: palette.bright, strength: 0.5)
        for row in 0..<3 {
            let share = Double(row) / 2
            mist(
                y: height * (0.84 + 0.06 * share), height: 70 * unit, colour: palette.bright,
                alpha: 0.16)
            buildings(
                colour: palette.mid.mixed(with: palette.night, 0.38 + share * 0.54),
                lowest: height * (0.4 - share * 0.13), highest: height * (0.56 - share * 0.14),
                windows: [0.08, 0.2, 0.32][row], row: row)
        }
        canvas.glow(
            x: width / 2, y: height * 0.93, radius: width * 0.6, colour: palette.accent,
            strength: 0.45)
        quay()
        return TitleArea(
            top: 0.06, bottom: 0.34, colour: palette.pale, shade: palette.night,
            typefaces: [.narrow, .grotesque, .geometric, .light])
    }

    /// The near bank of a river, with lamps.
    private mutating func quay() {
        let top = height * 0.915
        canvas.rectangle(
            x: 0, y: top, width: width, height: height - top + 1, colour: palette.night)
        var x = random.number(in: 10...60) * unit
        while x < width {
            canvas.line(
                from: Point(x, top), to: Point(x, top - 44 * unit), width: 3 * unit,
                colour: palette.night)
            canvas.glow(
                x: x, y: top - 46 * unit, radius: 36 * unit, colour: palette.accent,
                strength: 0.9)
            canvas.circle(x: x, y: top - 46 * unit, radius: 4 * unit, colour: palette.pale)
            x += random.number(in: 90...130) * unit
        }
    }

    private mutating func buildings(
        colour: RGB, lowest: Double, highest: Double, windows: Double, row: Int
    ) {
        var x = -random.number(in: 0...40) * unit
        while x < width {
            let wide = random.number(in: 54...120) * unit * (0.75 + Double(row) * 0.2)
            let tall =
                random.number(in: min(lowest, highest)...max(lowest, highest))
                * random.number(in: 0.62...1)
            let top = height - tall
            canvas.rectangle(x: x, y: top, width: wide, height: tall + 2, colour: colour)
            roof(x: x, y: top, width: wide, colour: colour)
            lights(x: x, y: top, width: wide, height: tall, wall: colour, share: windows)
            x += wide + (random.chance(0.25) ? random.number(in: 2...16) * unit : -1)
        }
    }

    private mutating func roof(x: Double, y: Double, width: Double, colour: RGB) {
        switch random.integer(in: 0...4) {
        case 0:
            let middle = x + width / 2
            canvas.line(
                from: Point(middle, y), to: Point(middle, y - 46 * unit), width: 2.4 * unit,
                colour: colour)
            canvas.glow(
                x: middle, y: y - 47 * unit, radius: 12 * unit, colour: palette.accent,
                strength: 0.9)
        case 1:
            canvas.rectangle(
                x: x + width * 0.2, y: y - 22 * unit, width: width * 0.6, height: 24 * unit,
                colour: colour)
        case 2:
            canvas.polygon(
                [
                    Point(x, y + 1), Point(x + width, y + 1),
                    Point(x + width, y - width * 0.35),
                ], colour: colour)
        case 3:
            canvas.polygon(
                [
                    Point(x + width * 0.25, y + 1), Point(x + width / 2, y - 58 * unit),
                    Point(x + width * 0.75, y + 1),
                ], colour: colour)
        default: break
        }
    }

    /// Windows on a grid; whole floors are dark at times.
    private mutating func lights(
        x: Double, y: Double, width: Double, height: Double, wall: RGB, share: Double
    ) {
        let (wide, tall) = (5 * unit, 8 * unit)
        let columns = max(1, Int(width / (14 * unit)))
        let gap = width / Double(columns)
        let tints = [palette.accent, palette.pale, palette.bright, palette.pale]
        var floor = y + 14 * unit
        while floor < y + height {
            let isLit = random.chance(0.85)
            for column in 0..<columns where isLit && random.chance(share) {
                canvas.rectangle(
                    x: x + (Double(column) + 0.5) * gap - wide / 2, y: floor, width: wide,
                    height: tall, colour: wall.mixed(with: random.pick(tints), 0.85))
            }
            floor += 19 * unit
        }
    }
}
