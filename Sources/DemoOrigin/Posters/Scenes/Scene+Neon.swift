import Imaging

extension Scene {
    /// A striped sun over a glowing grid.
    mutating func neon() -> TitleArea {
        let line = height * random.number(in: 0.6...0.66)
        canvas.gradient([
            GradientStop(0, palette.night), GradientStop(0.35, palette.deep),
            GradientStop(line / height, palette.mid),
            GradientStop(min(line / height + 0.001, 1), palette.night),
            GradientStop(1, palette.deep),
        ])
        stars(170, above: line, colour: palette.pale)
        canvas.noise(seed: random.next(), scale: 300 * unit, strength: 0.07, octaves: 5)
        let centre = Point(width / 2, line - 105 * unit)
        let radius = random.number(in: 165...205) * unit
        canvas.glow(
            x: centre.x, y: centre.y, radius: radius * 2.1, colour: palette.bright, strength: 0.75)
        stripedSun(centre, radius: radius)
        canvas.glow(
            x: width / 2, y: line, radius: width * 0.8, colour: palette.bright, strength: 0.25)
        peaks(foot: line)
        canvas.rectangle(
            x: 0, y: line, width: width, height: height - line, colour: palette.night)
        canvas.glow(x: width / 2, y: line, radius: width * 0.7, colour: palette.mid, strength: 0.6)
        grid(from: line)
        return TitleArea(
            top: 0.06, bottom: 0.32, colour: palette.pale, shade: palette.night,
            typefaces: [.slanted, .grotesque, .geometric, .narrow])
    }

    private func stripedSun(_ centre: Point, radius: Double) {
        var top = -1.0
        while top < 0.98 {
            // Solid above, then ever thinner stripes with ever wider gaps.
            let thick = top < -0.3 ? 0.05 : max(0.035, 0.13 - (top + 0.3) * 0.1)
            let gap = top < -0.3 ? 0 : 0.03 + (top + 0.3) * 0.05
            let bottom = min(top + thick + (gap == 0 ? 0.004 : 0), 0.99)
            let edge = [top, (top + bottom) / 2, bottom].map { latitude in
                (
                    y: centre.y + latitude * radius,
                    half: max(0, 1 - latitude * latitude).squareRoot() * radius
                )
            }
            let points =
                edge.map { Point(centre.x + $0.half, $0.y) }
                + edge.reversed().map { Point(centre.x - $0.half, $0.y) }
            canvas.polygon(
                points,
                colour: palette.pale.mixed(with: palette.bright, min(1, (top + 1) * 0.75)))
            top = bottom + gap
        }
    }

    private mutating func peaks(foot: Double) {
        for side in [0.0, 1.0] {
            let heights = ridge(detail: 4, roughness: 0.55)
            let span = width * 0.42
            let step = span / Double(heights.count - 1)
            let points = heights.enumerated().map { offset, value in
                let away = Double(offset) / Double(heights.count - 1)
                let x = side == 0 ? Double(offset) * step : width - Double(offset) * step
                return Point(x, foot - value * 150 * unit * (1 - away) - 4 * unit)
            }
            let end = side == 0 ? span : width - span
            canvas.polygon(
                points + [Point(end, foot + 2), Point(side * width, foot + 2)],
                colour: palette.night.mixed(with: palette.deep, 0.4))
            for (from, to) in zip(points, points.dropFirst()) {
                glowingLine(from, to, width: 1.8)
                canvas.line(
                    from: to, to: Point(to.x + (to.x - from.x) * 0.6, foot), width: unit,
                    colour: palette.accent, alpha: 0.3)
            }
        }
    }

    private func grid(from line: Double) {
        for column in -14...14 {
            let reach = Double(column) * width * 0.3
            glowingLine(
                Point(width / 2 + Double(column) * width * 0.045, line),
                Point(width / 2 + reach, height), width: 1.6)
        }
        for row in 0..<13 {
            let share = Double(row) / 12
            let y = line + (height - line) * share * share * share
            glowingLine(Point(0, y), Point(width, y), width: 1.1 + share * 1.4)
        }
    }

    private func glowingLine(_ from: Point, _ to: Point, width: Double) {
        canvas.line(
            from: from, to: to, width: width * 4.5 * unit, colour: palette.accent, alpha: 0.14)
        canvas.line(from: from, to: to, width: width * unit, colour: palette.accent, alpha: 0.9)
    }
}
