import Imaging

extension Scene {
    /// Ships on quiet water under a great sky.
    mutating func harbour() {
        let horizon = height * random.number(in: 0.64...0.7)
        dutchSky(horizon: horizon)
        skyline(horizon: horizon, colour: palette.mid.mixed(with: palette.deep, 0.35))
        water(from: horizon)
        let count = random.integer(in: 4...6)
        for index in 0..<count {
            let share = Double(index) / Double(count - 1)
            let x = width * (0.14 + 0.72 * fmodShare(index, count))
            ship(
                x: x + random.number(in: -30...30) * unit,
                line: horizon + (10 + 118 * share * share) * unit,
                size: (0.32 + 0.78 * share) * random.number(in: 0.85...1.1),
                tone: palette.night.mixed(with: palette.mid, 0.55 * (1 - share)))
        }
        rowers(x: width * random.number(in: 0.2...0.8), line: horizon + 205 * unit)
        birds(random.integer(in: 4...8), x: width * 0.6, y: height * 0.3, colour: palette.deep)
    }

    /// Far and near ships take turns on the left and the right.
    private func fmodShare(_ index: Int, _ count: Int) -> Double {
        let order = [0.85, 0.2, 0.62, 0.05, 0.42, 0.95]
        return order[index % order.count]
    }

    mutating func water(from horizon: Double) {
        for band in 0..<24 {
            let share = Double(band) / 23
            canvas.rectangle(
                x: 0, y: horizon + (height - horizon) * share, width: width,
                height: (height - horizon) / 23 + 1,
                colour: palette.bright.mixed(with: palette.deep, 0.12 + 0.6 * share))
        }
        for _ in 0..<220 {
            let depth = random.fraction()
            let y = horizon + (height - horizon) * depth * depth
            let long = (14 + 90 * depth) * unit * random.number(in: 0.4...1.3)
            canvas.ellipse(
                x: random.number(in: 0...width), y: y, radiusX: long,
                radiusY: (0.8 + 2.6 * depth) * unit,
                colour: random.chance(0.5) ? palette.pale : palette.deep,
                alpha: random.number(in: 0.08...0.3))
        }
    }

    private mutating func ship(x: Double, line: Double, size: Double, tone: RGB) {
        let u = unit * size
        let side: Double = random.chance(0.5) ? 1 : -1
        func at(_ dx: Double, _ up: Double) -> Point { Point(x + side * dx * u, line - up * u) }
        // Mirrored, broken by the water.
        for strip in 0..<9 {
            canvas.ellipse(
                x: x + random.number(in: -10...10) * u, y: line + (6 + Double(strip) * 12) * u,
                radiusX: (110 - Double(strip) * 9) * u, radiusY: 4 * u, colour: tone,
                alpha: 0.3 - Double(strip) * 0.028)
        }
        let hull =
            Self.curve(at(-120, 52), at(-112, 6), at(-90, 0), at(-60, -4))
            + Self.curve(at(-60, -4), at(40, -6), at(100, 6), at(128, 44))
            + Self.curve(at(128, 44), at(60, 22), at(-40, 18), at(-84, 30))
        canvas.polygon(hull + [at(-86, 64), at(-122, 70)], colour: tone)
        stroke(
            Self.curve(at(-112, 40), at(-60, 12), at(50, 10), at(118, 34)), width: 3.4 * u,
            colour: palette.bright, alpha: 0.65)
        let masts = random.integer(in: 2...3)
        for mast in 0..<masts {
            let dx = -70 + 78 * Double(mast)
            let tall = [176.0, 236, 190][mast]
            stroke([at(dx, 20), at(dx, tall)], width: 4 * u, colour: tone)
            stroke([at(dx, tall), at(128, 46)], width: 1 * u, colour: tone, alpha: 0.7)
            stroke([at(dx, tall), at(-118, 64)], width: 1 * u, colour: tone, alpha: 0.7)
            for yard in 0..<2 where random.chance(0.88) {
                let top = tall - 22 - Double(yard) * 76
                sail(at(dx, top), wide: (48 + Double(yard) * 14) * u, tall: 66 * u, side: side)
                stroke(
                    [at(dx - 52 - Double(yard) * 14, top), at(dx + 52 + Double(yard) * 14, top)],
                    width: 3 * u, colour: tone)
            }
            flag(at(dx, tall), u: u, side: side)
        }
        stroke([at(116, 40), at(176, 74)], width: 4 * u, colour: tone)
        let jib = [at(170, 72), at(88 - 70, 176), at(96, 50)]
        canvas.polygon(jib, colour: palette.pale.mixed(with: palette.mid, 0.3), alpha: 0.85)
    }

    private mutating func sail(_ top: Point, wide: Double, tall: Double, side: Double) {
        let cloth = palette.pale.mixed(with: palette.bright, random.number(in: 0...0.7))
        let belly = side * wide * random.number(in: 0.1...0.3)
        let left = Self.curve(
            Point(top.x - wide, top.y), Point(top.x - wide + belly * 0.3, top.y + tall * 0.4),
            Point(top.x - wide + belly, top.y + tall * 0.7),
            Point(top.x - wide * 1.06, top.y + tall))
        let right = Self.curve(
            Point(top.x + wide * 1.06, top.y + tall),
            Point(top.x + wide + belly, top.y + tall * 0.7),
            Point(top.x + wide + belly * 0.6, top.y + tall * 0.4),
            Point(top.x + wide, top.y))
        canvas.polygon(left + right, colour: cloth)
        canvas.polygon(
            [
                Point(top.x + wide * 0.3, top.y), Point(top.x + wide, top.y),
                Point(top.x + wide * 1.06, top.y + tall), Point(top.x + wide * 0.5, top.y + tall),
            ], colour: palette.deep, alpha: 0.2)
    }

    private func flag(_ top: Point, u: Double, side: Double) {
        for (stripe, colour) in [palette.accent, palette.pale, RGB(hex: 0x2F4F7C)].enumerated() {
            let y = top.y - 16 * u + Double(stripe) * 5 * u
            canvas.polygon(
                [
                    Point(top.x, y), Point(top.x - side * 42 * u, y + 4 * u),
                    Point(top.x - side * 42 * u, y + 9 * u), Point(top.x, y + 5.2 * u),
                ], colour: colour)
        }
    }

    private mutating func rowers(x: Double, line: Double) {
        let ink = palette.night
        let hull = Self.curve(
            Point(x - 80 * unit, line - 14 * unit), Point(x - 50 * unit, line + 16 * unit),
            Point(x + 50 * unit, line + 16 * unit), Point(x + 84 * unit, line - 18 * unit))
        canvas.ellipse(
            x: x, y: line + 16 * unit, radiusX: 92 * unit, radiusY: 7 * unit, colour: ink,
            alpha: 0.3)
        canvas.polygon(hull, colour: ink)
        for seat in 0..<3 {
            let at = x + (Double(seat) * 42 - 46) * unit
            canvas.ellipse(
                x: at, y: line - 18 * unit, radiusX: 10 * unit, radiusY: 17 * unit,
                colour: seat == 1 ? palette.accent : ink)
            canvas.circle(x: at + 2 * unit, y: line - 38 * unit, radius: 7 * unit, colour: ink)
            stroke(
                [
                    Point(at + 4 * unit, line - 16 * unit),
                    Point(at + random.number(in: 30...46) * unit, line + 22 * unit),
                ], width: 2.6 * unit, colour: ink)
        }
    }
}
