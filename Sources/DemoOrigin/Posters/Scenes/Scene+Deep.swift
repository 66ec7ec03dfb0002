import Imaging

extension Scene {
    /// A whale under a very small boat.
    mutating func deep() -> TitleArea {
        let surface = height * 0.2
        canvas.gradient([
            GradientStop(0, palette.pale),
            GradientStop(0.2, palette.bright.mixed(with: palette.pale, 0.4)),
            GradientStop(0.2005, palette.bright), GradientStop(0.45, palette.mid),
            GradientStop(0.75, palette.deep), GradientStop(1, palette.night),
        ])
        rays(from: surface)
        canvas.noise(seed: random.next(), scale: 240 * unit, strength: 0.08, octaves: 5)
        rowingBoat(x: width * random.number(in: 0.3...0.7), y: surface)
        let isLeft = random.chance(0.5)
        whale(
            x: width * 0.5, y: height * random.number(in: 0.46...0.54),
            length: random.number(in: 430...500) * unit, facing: isLeft ? -1 : 1)
        fish()
        for _ in 0..<46 {
            canvas.circle(
                x: random.fraction() * width, y: random.number(in: 0.24...1) * height,
                radius: random.number(in: 1...4.5) * unit, colour: palette.pale,
                alpha: random.number(in: 0.15...0.5))
        }
        land(
            ridge(detail: 6, roughness: 0.5), base: height * 0.985, reach: 70 * unit,
            colour: palette.night)
        return TitleArea(
            top: 0.68, bottom: 0.9, atBottom: true, colour: palette.pale, shade: palette.night,
            typefaces: [.geometric, .bookish, .grotesque, .light, .century])
    }

    private mutating func rays(from surface: Double) {
        for _ in 0..<7 {
            let x = random.number(in: -0.1...1) * width
            let wide = random.number(in: 20...70) * unit
            let drift = random.number(in: 60...150) * unit
            let long = random.number(in: 0.3...0.55) * height
            canvas.polygon(
                [
                    Point(x, surface), Point(x + wide, surface),
                    Point(x + wide * 2.4 + drift, surface + long), Point(x + drift, surface + long),
                ], colour: palette.pale, alpha: 0.09)
        }
    }

    private func rowingBoat(x: Double, y: Double) {
        let ink = palette.night
        canvas.polygon(
            Self.curve(
                Point(x - 40 * unit, y - 12 * unit), Point(x - 28 * unit, y + 12 * unit),
                Point(x + 28 * unit, y + 12 * unit), Point(x + 40 * unit, y - 14 * unit)),
            colour: ink)
        canvas.circle(x: x - 4 * unit, y: y - 36 * unit, radius: 6 * unit, colour: ink)
        canvas.polygon(
            [
                Point(x - 12 * unit, y - 8 * unit), Point(x - 8 * unit, y - 31 * unit),
                Point(x + 1 * unit, y - 31 * unit), Point(x + 6 * unit, y - 8 * unit),
            ], colour: ink)
        canvas.line(
            from: Point(x, y - 22 * unit), to: Point(x + 44 * unit, y + 14 * unit),
            width: 2.6 * unit, colour: ink)
    }

    /// `facing` 1 looks to the right.
    private func whale(x: Double, y: Double, length: Double, facing: Double) {
        func at(_ along: Double, _ across: Double) -> Point {
            Point(x + along * length * facing, y + across * length)
        }
        let body = palette.night.mixed(with: palette.deep, 0.35)
        let back =
            Self.curve(at(0.5, 0.03), at(0.47, -0.13), at(0.2, -0.2), at(-0.08, -0.11))
            + Self.curve(at(-0.08, -0.11), at(-0.26, -0.05), at(-0.38, -0.06), at(-0.47, -0.12))
        let belly =
            Self.curve(at(-0.46, -0.09), at(-0.34, 0.02), at(-0.2, 0.1), at(0.05, 0.14))
            + Self.curve(at(0.05, 0.14), at(0.3, 0.17), at(0.46, 0.12), at(0.5, 0.03))
        canvas.polygon(back + belly, colour: body)
        canvas.polygon(
            Self.curve(at(-0.43, -0.1), at(-0.5, -0.16), at(-0.55, -0.26), at(-0.66, -0.24))
                + Self.curve(at(-0.66, -0.24), at(-0.6, -0.16), at(-0.56, -0.11), at(-0.53, -0.09))
                + Self.curve(at(-0.53, -0.09), at(-0.58, -0.06), at(-0.62, 0.0), at(-0.66, 0.03))
                + Self.curve(at(-0.66, 0.03), at(-0.54, 0.04), at(-0.48, -0.02), at(-0.43, -0.08)),
            colour: body)
        let pale = palette.bright.mixed(with: palette.deep, 0.4)
        canvas.polygon(
            Self.curve(at(0.495, 0.05), at(0.34, 0.08), at(0.2, 0.1), at(0.02, 0.115))
                + Self.curve(at(0.02, 0.137), at(0.3, 0.168), at(0.455, 0.12), at(0.495, 0.05)),
            colour: pale)
        for groove in 1..<5 {
            let share = Double(groove) / 5
            canvas.line(
                from: at(0.44 - share * 0.08, 0.07 + share * 0.055),
                to: at(0.12 - share * 0.02, 0.11 + share * 0.03), width: 1.4 * unit, colour: body,
                alpha: 0.7)
        }
        canvas.polygon(
            Self.curve(at(0.2, 0.1), at(0.18, 0.2), at(0.1, 0.27), at(0.0, 0.3))
                + Self.curve(at(0.0, 0.3), at(0.02, 0.22), at(0.05, 0.16), at(0.08, 0.1)),
            colour: body.mixed(with: palette.mid, 0.25))
        let eye = at(0.33, 0.035)
        canvas.circle(x: eye.x, y: eye.y, radius: 5 * unit, colour: palette.pale)
        canvas.circle(x: eye.x, y: eye.y, radius: 2.6 * unit, colour: palette.night)
    }

    private mutating func fish() {
        let x = random.number(in: 0.2...0.8) * width
        let y = random.number(in: 0.3...0.36) * height
        for _ in 0..<13 {
            let at = Point(
                x + random.number(in: -100...100) * unit, y + random.number(in: -34...34) * unit)
            canvas.ellipse(
                x: at.x, y: at.y, radiusX: 10 * unit, radiusY: 3.6 * unit,
                colour: palette.accent, alpha: 0.9)
            canvas.polygon(
                [
                    Point(at.x - 8 * unit, at.y), Point(at.x - 16 * unit, at.y - 5 * unit),
                    Point(at.x - 16 * unit, at.y + 5 * unit),
                ], colour: palette.accent, alpha: 0.9)
        }
    }
}
