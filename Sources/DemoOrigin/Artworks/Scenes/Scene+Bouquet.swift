import Imaging

extension Scene {
    /// More flowers than ever bloomed at once, in front of the dark.
    mutating func bouquet() {
        canvas.gradient(
            [
                GradientStop(0, palette.deep), GradientStop(0.5, palette.night),
                GradientStop(1, palette.night),
            ],
            angle: 30)
        canvas.glow(
            x: width * 0.3, y: height * 0.3, radius: width * 0.6, colour: palette.mid,
            strength: 0.5)
        strokes(
            120, x: 0...width, y: 0...height, length: 70 * unit, thickness: 22 * unit,
            angle: 20...70, colours: [palette.deep, palette.mid, palette.night], alpha: 0.08)
        let ledge = height * 0.86
        canvas.rectangle(
            x: 0, y: ledge, width: width, height: height - ledge + 1,
            colour: palette.mid.mixed(with: palette.deep, 0.4))
        canvas.rectangle(
            x: 0, y: ledge, width: width, height: 5 * unit, colour: palette.bright, alpha: 0.6)
        let middle = Point(width * 0.5, height * 0.43)
        let reach = min(width * 0.4, height * 0.3)
        stems(middle, ledge)
        foliage(middle, reach)
        vessel(x: middle.x, ledge: ledge)
        flowers(middle, reach)
        for _ in 0..<5 {
            petal(
                Point(
                    width * random.number(in: 0.2...0.8), ledge + random.number(in: 18...60) * unit),
                random.number(in: 14...22) * unit, random.number(in: 0...180),
                random.pick(Self.petals))
        }
        butterfly(Point(width * random.number(in: 0.2...0.34), height * 0.17))
    }

    private static let petals = [
        0xE8B7B0, 0xF4EBDD, 0xD9482F, 0xE8A02C, 0x8E2C48, 0xF2CF63, 0xC76B86, 0x6E7FB0,
    ].map { RGB(hex: UInt32($0)) }

    private mutating func stems(_ middle: Point, _ ledge: Double) {
        for stem in 0..<12 {
            let share = Double(stem) / 11 - 0.5
            band(
                Self.curve(
                    Point(middle.x + share * 40 * unit, ledge - 60 * unit),
                    Point(middle.x + share * 30 * unit, ledge - 200 * unit),
                    Point(middle.x + share * 240 * unit, middle.y + 60 * unit),
                    Point(middle.x + share * 420 * unit, middle.y - 30 * unit)),
                width: 5 * unit, colour: RGB(hex: 0x46532C))
        }
    }

    private mutating func foliage(_ middle: Point, _ reach: Double) {
        let greens = [0x2E3B22, 0x46582F, 0x6B7A40, 0x3B4A33].map { RGB(hex: UInt32($0)) }
        for _ in 0..<64 {
            let angle = random.number(in: 0...360)
            let away = reach * random.number(in: 0.35...1.12)
            let at = Point(middle.x + away, middle.y).rotated(angle, around: middle)
            canvas.ellipse(
                x: at.x, y: at.y, radiusX: random.number(in: 34...72) * unit,
                radiusY: random.number(in: 9...17) * unit,
                rotation: angle + random.number(in: -30...30), colour: random.pick(greens))
        }
    }

    private mutating func vessel(x: Double, ledge: Double) {
        let foot = ledge + 34 * unit
        func at(_ half: Double, _ up: Double) -> Point { Point(half * unit, foot - up * unit) }
        for step in 0..<4 {
            canvas.ellipse(
                x: x + 26 * unit, y: foot, radiusX: (104 - Double(step) * 16) * unit,
                radiusY: (22 - Double(step) * 3) * unit, colour: palette.night, alpha: 0.25)
        }
        let glass = random.chance(0.5)
        let clay = glass ? RGB(hex: 0x6F8577) : RGB(hex: 0x8C5A3C)
        turned(
            x: x,
            profile: Self.profile([
                at(50, 0), at(58, 12), at(90, 70), at(86, 130), at(54, 176), at(58, 204),
            ]), shade: clay.mixed(with: palette.night, 0.75), colour: clay,
            light: clay.mixed(with: palette.pale, 0.55), alpha: glass ? 0.5 : 0.85)
        // A window in the belly.
        canvas.polygon(
            [
                Point(x - 56 * unit, foot - 118 * unit), Point(x - 32 * unit, foot - 126 * unit),
                Point(x - 30 * unit, foot - 78 * unit), Point(x - 56 * unit, foot - 74 * unit),
            ], colour: palette.pale, alpha: glass ? 0.6 : 0.28)
    }

    private mutating func flowers(_ middle: Point, _ reach: Double) {
        let count = 27
        for index in (0..<count).reversed() {
            // A sunflower's spiral spreads them evenly, the middle ones in front.
            let away = reach * (Double(index) / Double(count)).squareRoot()
            let angle = Double(index) * 137.5 + random.number(in: -10...10)
            let at = Point(middle.x + away, middle.y).rotated(angle, around: middle)
            let size = random.number(in: 36...62) * unit * (1.12 - away / reach * 0.4)
            canvas.circle(
                x: at.x + size * 0.18, y: at.y + size * 0.22, radius: size, colour: palette.night,
                alpha: 0.3)
            let colour = random.pick(Self.petals)
            switch random.integer(in: 0...3) {
            case 0: rose(at, size, colour)
            case 1: paintedTulip(at, size, angle, colour)
            case 2: anemone(at, size, colour)
            default: carnation(at, size, colour)
            }
        }
    }

    private mutating func rose(_ c: Point, _ s: Double, _ colour: RGB) {
        for ring in 0..<5 {
            let share = Double(ring) / 5
            let petals = 7 - ring
            for petal in 0..<petals {
                let turn = Double(petal) * 360 / Double(petals) + Double(ring) * 31
                let at = Point(c.x + s * (0.55 - share * 0.5), c.y).rotated(turn, around: c)
                let isLit = turn.truncatingRemainder(dividingBy: 360) > 150
                canvas.circle(
                    x: at.x, y: at.y, radius: s * (0.5 - share * 0.34),
                    colour: colour.mixed(
                        with: isLit ? palette.pale : palette.night,
                        isLit ? 0.25 : 0.34 - share * 0.2),
                    alpha: 0.85)
            }
        }
        canvas.circle(
            x: c.x, y: c.y, radius: s * 0.14, colour: colour.mixed(with: palette.night, 0.45))
    }

    /// Broken by a virus, as they were dearest.
    private mutating func paintedTulip(_ c: Point, _ s: Double, _ angle: Double, _ colour: RGB) {
        let turn = angle + 90
        for (side, tone) in [(-1.0, 0.02), (1, 0.26), (0, 0.1)] {
            func at(_ dx: Double, _ dy: Double) -> Point {
                Point(c.x + dx * s, c.y + dy * s).rotated(turn, around: c)
            }
            // From the foot over the belly to the tip, and back.
            let foot = at(side * 0.12, 0.8)
            let tip = at(side * 0.52, -1.05)
            let petal =
                Self.curve(
                    foot, at(side * 0.5 - 0.55, 0.55), at(side * 0.5 - 0.5, -0.4), tip)
                + Self.curve(tip, at(side * 0.5 + 0.5, -0.4), at(side * 0.5 + 0.55, 0.55), foot)
            canvas.polygon(petal, colour: palette.pale.mixed(with: palette.night, tone))
            for flame in -1...1 {
                let way = Self.curve(
                    at(side * 0.16, 0.7), at(side * 0.4 + Double(flame) * 0.26, 0.3),
                    at(side * 0.5 + Double(flame) * 0.24, -0.3),
                    at(side * 0.52 + Double(flame) * 0.08, -random.number(in: 0.55...0.95)))
                band(
                    way, width: s * (flame == 0 ? 0.15 : 0.08),
                    colour: colour.mixed(with: palette.night, tone))
            }
        }
    }

    private mutating func anemone(_ c: Point, _ s: Double, _ colour: RGB) {
        for petal in 0..<6 { self.petal(c, s, Double(petal) * 60 + 15, colour) }
        canvas.circle(x: c.x, y: c.y, radius: s * 0.24, colour: palette.night)
        for dot in 0..<14 {
            let at = Point(c.x + s * 0.3, c.y).rotated(Double(dot) * 25.7, around: c)
            canvas.circle(x: at.x, y: at.y, radius: s * 0.035, colour: palette.pale)
        }
    }

    private func petal(_ c: Point, _ s: Double, _ turn: Double, _ colour: RGB) {
        let at = Point(c.x + s * 0.55, c.y).rotated(turn, around: c)
        let isLit = turn > 150
        let tone = colour.mixed(with: isLit ? palette.pale : palette.night, isLit ? 0.2 : 0.22)
        canvas.ellipse(
            x: at.x, y: at.y, radiusX: s * 0.5, radiusY: s * 0.36, rotation: turn, colour: tone)
        canvas.ellipse(
            x: at.x, y: at.y, radiusX: s * 0.34, radiusY: s * 0.12, rotation: turn,
            colour: tone.mixed(with: palette.pale, 0.35), alpha: 0.6)
    }

    private mutating func carnation(_ c: Point, _ s: Double, _ colour: RGB) {
        for ring in 0..<3 {
            let reach = s * (0.8 - Double(ring) * 0.26)
            for tuft in 0..<16 {
                let turn = Double(tuft) * 22.5 + Double(ring) * 9
                let at = Point(c.x + reach, c.y).rotated(turn, around: c)
                canvas.line(
                    from: c, to: at, width: s * 0.2,
                    colour: colour.mixed(
                        with: turn > 170 ? palette.pale : palette.night,
                        random.number(in: 0.04...0.3)))
            }
        }
    }

    private func butterfly(_ c: Point) {
        let s = 26 * unit
        for side in [-1.0, 1.0] {
            canvas.ellipse(
                x: c.x + side * s * 0.7, y: c.y - s * 0.35, radiusX: s * 0.75, radiusY: s * 0.5,
                rotation: side * -32, colour: palette.accent)
            canvas.ellipse(
                x: c.x + side * s * 0.5, y: c.y + s * 0.4, radiusX: s * 0.5, radiusY: s * 0.36,
                rotation: side * 30, colour: palette.accent.mixed(with: palette.bright, 0.5))
            canvas.circle(
                x: c.x + side * s * 0.9, y: c.y - s * 0.45, radius: s * 0.13,
                colour: palette.pale)
        }
        stroke(
            [Point(c.x, c.y - s * 0.6), Point(c.x, c.y + s * 0.7)], width: s * 0.16,
            colour: palette.night)
    }
}
