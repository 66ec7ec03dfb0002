import Imaging

extension Scene {
    /// Trunks in fog, and somebody with a lantern.
    mutating func forest() -> TitleArea {
        let fog = palette.tone(0.8)
        canvas.gradient([
            GradientStop(0, palette.tone(0.48)), GradientStop(0.45, fog),
            GradientStop(0.75, palette.tone(0.55)), GradientStop(1, palette.deep),
        ])
        let lightX = width * random.number(in: 0.35...0.65)
        canvas.glow(
            x: lightX, y: height * 0.46, radius: 420 * unit, colour: palette.pale, strength: 0.7)
        canvas.noise(seed: random.next(), scale: 280 * unit, strength: 0.1, octaves: 5)
        let rows = 4
        for row in 0..<rows {
            let share = Double(row) / Double(rows - 1)
            let colour = palette.tone(0.66 * (1 - share) * (1 - share * 0.35))
            trunks(
                count: 13 - row * 2, thick: 7 + share * 34, foot: height * (0.64 + share * 0.18),
                colour: colour, clearing: row == rows - 1 ? lightX : nil)
            let ground = ridge(detail: 5, roughness: 0.5)
            land(
                ground, base: height * (0.66 + share * 0.14), reach: 34 * unit, colour: colour)
            if row < rows - 1 {
                mist(
                    y: height * (0.6 + share * 0.12), height: 80 * unit, colour: fog,
                    alpha: 0.26)
            }
            if row == rows - 2 { lantern(x: lightX, y: height * (0.66 + share * 0.14) - 4 * unit) }
        }
        return TitleArea(
            top: 0.78, bottom: 0.92, atBottom: true, colour: palette.pale, shade: palette.night,
            typefaces: [.bookish, .light, .narrow, .century, .bookman])
    }

    private mutating func trunks(
        count: Int, thick: Double, foot: Double, colour: RGB, clearing: Double?
    ) {
        for index in 0..<count {
            let x = (Double(index) + random.number(in: 0.1...0.9)) * width / Double(count)
            if let clearing, abs(x - clearing) < 165 * unit { continue }
            let half = thick * unit * random.number(in: 0.35...0.62)
            let lean = random.number(in: -26...26) * unit
            canvas.polygon(
                Self.curve(
                    Point(x - half * 2, foot + 30 * unit), Point(x - half, foot - 30 * unit),
                    Point(x - half * 0.8 + lean, height * 0.3), Point(x - half * 0.6 + lean, -2))
                    + Self.curve(
                        Point(x + half * 0.6 + lean, -2),
                        Point(x + half * 0.8 + lean, height * 0.3),
                        Point(x + half, foot - 30 * unit),
                        Point(x + half * 2, foot + 30 * unit)), colour: colour)
            for _ in 0..<random.integer(in: 2...5) {
                twig(
                    from: Point(
                        x + lean * random.number(in: 0.5...0.9),
                        height * random.number(in: 0.02...0.5)), thick: half * 0.45,
                    colour: colour)
            }
        }
    }

    private mutating func twig(from: Point, thick: Double, colour: RGB) {
        let side = random.pick([-1.0, 1.0])
        let middle = Point(
            from.x + side * random.number(in: 30...70) * unit,
            from.y - random.number(in: 10...50) * unit)
        let end = Point(
            middle.x + side * random.number(in: 15...60) * unit,
            middle.y - random.number(in: 20...70) * unit)
        canvas.line(from: from, to: middle, width: thick, colour: colour)
        canvas.line(from: middle, to: end, width: thick * 0.55, colour: colour)
        canvas.line(
            from: middle,
            to: Point(middle.x + side * 40 * unit, middle.y + random.number(in: -12...20) * unit),
            width: thick * 0.4, colour: colour)
    }

    /// A cloaked figure, seen from behind.
    private func lantern(x: Double, y: Double) {
        let ink = palette.night
        canvas.glow(
            x: x + 36 * unit, y: y - 60 * unit, radius: 210 * unit, colour: palette.accent,
            strength: 0.8)
        canvas.circle(x: x, y: y - 124 * unit, radius: 15 * unit, colour: ink)
        let right = Self.curve(
            Point(x, y - 116 * unit), Point(x + 24 * unit, y - 112 * unit),
            Point(x + 22 * unit, y - 60 * unit), Point(x + 32 * unit, y + 8 * unit))
        canvas.polygon(
            right + right.reversed().map { Point(2 * x - $0.x, $0.y) }, colour: ink)
        canvas.line(
            from: Point(x + 12 * unit, y - 88 * unit), to: Point(x + 37 * unit, y - 70 * unit),
            width: 8 * unit, colour: ink)
        canvas.rectangle(
            x: x + 30 * unit, y: y - 66 * unit, width: 13 * unit, height: 19 * unit,
            cornerRadius: 3 * unit, colour: palette.pale)
    }
}
