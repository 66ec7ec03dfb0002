import Imaging

extension Scene {
    /// Ice, bare trees, and a whole town upon it.
    mutating func winter() {
        let horizon = height * random.number(in: 0.42...0.5)
        canvas.gradient([
            GradientStop(0, palette.mid), GradientStop(0.24, palette.bright),
            GradientStop(horizon / height, palette.pale.mixed(with: RGB(hex: 0xF2D9A8), 0.4)),
            GradientStop(1, palette.bright),
        ])
        strokes(
            110, x: 0...width, y: 0...horizon, length: 130 * unit, thickness: 15 * unit,
            angle: -8...4, colours: [palette.pale, palette.bright, palette.mid], alpha: 0.16)
        skyline(horizon: horizon, colour: palette.mid.mixed(with: palette.bright, 0.3))
        ice(from: horizon)
        let isLeft = random.chance(0.5)
        houses(horizon: horizon, isLeft: isLeft)
        for _ in 0..<64 {
            let depth = random.fraction()
            skater(
                x: random.number(in: 0.03...0.97) * width,
                y: horizon + (height - horizon) * (0.05 + 0.9 * depth * depth),
                size: 0.22 + 1.0 * depth * depth)
        }
        bareTree(
            from: Point(width * (isLeft ? 0.93 : 0.07), height * 0.92), angle: isLeft ? -96 : -84,
            length: height * 0.17, width: 22 * unit, depth: 8)
        birds(random.integer(in: 4...8), x: width * 0.5, y: height * 0.16, colour: palette.night)
    }

    private mutating func ice(from horizon: Double) {
        let cold = palette.bright.mixed(with: RGB(hex: 0xBFD0D6), 0.5)
        for step in 0..<16 {
            let share = Double(step) / 15
            canvas.rectangle(
                x: 0, y: horizon + (height - horizon) * share, width: width,
                height: (height - horizon) / 15 + 1,
                colour: palette.pale.mixed(with: cold, 0.3 + 0.6 * share)
                    .mixed(with: palette.mid, 0.3 * share))
        }
        strokes(
            150, x: 0...width, y: horizon...height, length: 120 * unit, thickness: 4 * unit,
            angle: -4...4, colours: [palette.pale, palette.mid, cold], alpha: 0.2)
        // Traces of skates.
        for _ in 0..<34 {
            let y = horizon + (height - horizon) * random.number(in: 0.1...1)
            let x = random.number(in: 0...width)
            let path = Self.curve(
                Point(x, y), Point(x + 80 * unit, y + random.number(in: -16...16) * unit),
                Point(x + 150 * unit, y + random.number(in: -20...20) * unit),
                Point(x + 230 * unit, y))
            band(path, width: 1.3 * unit, colour: palette.pale, alpha: 0.7)
        }
    }

    private mutating func houses(horizon: Double, isLeft: Bool) {
        for index in 0..<4 {
            let share = Double(index) / 3
            let size = (1.25 - share * 0.8) * unit
            let away = 0.1 + 0.17 * Double(index) + random.number(in: -0.05...0.05)
            let x = width * (isLeft ? away : 1 - away)
            let foot = horizon + (64 - 50 * share) * unit
            let wall = palette.accent.mixed(with: palette.deep, random.number(in: 0.2...0.6))
                .mixed(with: palette.bright, share * 0.4)
            let (wide, tall) = (
                random.number(in: 84...120) * size, random.number(in: 70...100) * size
            )
            canvas.rectangle(
                x: x - wide / 2, y: foot - tall, width: wide, height: tall, colour: wall)
            // A stepped gable under snow.
            for step in 0..<5 {
                let half = wide / 2 * (1 - Double(step) * 0.2)
                canvas.rectangle(
                    x: x - half, y: foot - tall - Double(step + 1) * 13 * size, width: half * 2,
                    height: 14 * size, colour: wall)
                for side in [-1.0, 1.0] {
                    canvas.rectangle(
                        x: x + side * half - (side > 0 ? wide * 0.1 : 0),
                        y: foot - tall - Double(step + 1) * 13 * size - 4 * size,
                        width: wide * 0.1, height: 5 * size, colour: palette.pale)
                }
            }
            for window in 0..<4 {
                canvas.rectangle(
                    x: x + (Double(window % 2) - 0.75) * wide * 0.5,
                    y: foot - tall * (window < 2 ? 0.88 : 0.42), width: wide * 0.17,
                    height: tall * 0.25, colour: palette.night)
            }
            canvas.ellipse(
                x: x, y: foot + 2 * size, radiusX: wide * 0.72, radiusY: 9 * size,
                colour: palette.pale)
        }
    }

    private mutating func skater(x: Double, y: Double, size: Double) {
        let u = unit * size
        let lean = random.number(in: -14...14)
        let coat = random.pick([
            palette.night, palette.night, palette.deep, palette.accent, RGB(hex: 0x3C4A63),
            RGB(hex: 0x6B5A2E),
        ])
        canvas.ellipse(
            x: x + 8 * u, y: y, radiusX: 22 * u, radiusY: 4 * u, colour: palette.deep, alpha: 0.3)
        let hip = Point(x, y - 30 * u)
        let neck = Point(x + lean * u, y - 62 * u)
        for side in [-1.0, 1.0] {
            stroke(
                [hip, Point(x + side * random.number(in: 5...17) * u, y)], width: 6 * u,
                colour: palette.night)
        }
        if random.chance(0.4) {
            canvas.polygon(
                [
                    Point(neck.x - 7 * u, neck.y), Point(neck.x + 7 * u, neck.y),
                    Point(x + 19 * u, y - 4 * u), Point(x - 19 * u, y - 4 * u),
                ], colour: coat)
        } else {
            stroke([hip, neck], width: 17 * u, colour: coat)
        }
        stroke(
            [neck, Point(neck.x + random.number(in: -26...26) * u, neck.y + 24 * u)],
            width: 6 * u, colour: coat)
        canvas.circle(
            x: neck.x + lean * 0.2 * u, y: neck.y - 11 * u, radius: 7.4 * u,
            colour: RGB(hex: 0xD9AE87))
        canvas.ellipse(
            x: neck.x + lean * 0.2 * u, y: neck.y - 16 * u, radiusX: 11 * u, radiusY: 4.6 * u,
            colour: palette.night)
    }

    private mutating func bareTree(
        from: Point, angle: Double, length: Double, width: Double, depth: Int
    ) {
        let end = Point(from.x + length, from.y).rotated(angle, around: from)
        canvas.line(from: from, to: end, width: width, colour: palette.night)
        canvas.line(
            from: Point(from.x - width * 0.3, from.y), to: Point(end.x - width * 0.25, end.y),
            width: width * 0.22, colour: palette.pale, alpha: 0.6)
        guard depth > 0 else { return }
        for side in [-1.0, 1.0] {
            bareTree(
                from: end, angle: angle + side * random.number(in: 10...36),
                length: length * random.number(in: 0.66...0.84), width: width * 0.66,
                depth: depth - 1)
        }
    }
}
