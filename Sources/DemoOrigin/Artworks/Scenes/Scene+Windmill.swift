import Imaging

extension Scene {
    /// Flat land with a mill, and water that leads to it.
    mutating func windmill() {
        let horizon = height * random.number(in: 0.62...0.7)
        dutchSky(horizon: horizon)
        skyline(horizon: horizon, colour: palette.mid.mixed(with: palette.deep, 0.3))
        let grass = palette.mid.mixed(with: RGB(hex: 0x5C6B35), 0.6)
        meadow(from: horizon, grass)
        let isLeft = random.chance(0.5)
        let foot = horizon + (height - horizon) * 0.24
        let x = width * (isLeft ? 0.3 : 0.7)
        canal(from: horizon, towards: x, isLeft: isLeft)
        if random.chance(0.5) {
            mill(x: width * (isLeft ? 0.84 : 0.14), foot: horizon + 14 * unit, size: 0.34)
        }
        mill(x: x, foot: foot, size: random.number(in: 0.9...1.12))
        cottage(x: x + (isLeft ? 150 : -150) * unit, foot: foot + 14 * unit)
        for _ in 0..<random.integer(in: 3...6) {
            // On the bank where the canal isn't.
            let x = random.number(in: 0.05...0.3)
            cow(
                x: width * (isLeft ? x : 1 - x),
                y: height - (height - horizon) * random.number(in: 0.22...0.5))
        }
        reeds()
        birds(random.integer(in: 3...7), x: width * 0.5, y: height * 0.28, colour: palette.deep)
    }

    private mutating func meadow(from horizon: Double, _ grass: RGB) {
        for step in 0..<12 {
            let share = Double(step) / 11
            canvas.rectangle(
                x: 0, y: horizon + (height - horizon) * share, width: width,
                height: (height - horizon) / 11 + 1,
                colour: grass.mixed(with: palette.bright, 0.45 * (1 - share))
                    .mixed(with: palette.night, 0.42 * share))
        }
        for _ in 0..<260 {
            let depth = random.fraction()
            canvas.ellipse(
                x: random.number(in: 0...width), y: horizon + (height - horizon) * depth,
                radiusX: (8 + 52 * depth) * unit, radiusY: (1.2 + 4 * depth) * unit,
                rotation: random.number(in: -6...6),
                colour: random.pick([grass, palette.bright, palette.deep]),
                alpha: random.number(in: 0.1...0.3))
        }
    }

    /// Wide in front, narrow where it reaches the mill.
    private mutating func canal(from horizon: Double, towards x: Double, isLeft: Bool) {
        let start = width * (isLeft ? 0.62 : 0.38)
        let foot = horizon + (height - horizon) * 0.2
        let left = Self.curve(
            Point(x - 20 * unit, foot), Point(x + (isLeft ? 60 : -80) * unit, foot + 60 * unit),
            Point(start - 190 * unit, height * 0.88), Point(start - 290 * unit, height + 4))
        let right = Self.curve(
            Point(start + 260 * unit, height + 4), Point(start + 130 * unit, height * 0.88),
            Point(x + (isLeft ? 130 : 0) * unit, foot + 50 * unit), Point(x + 40 * unit, foot))
        canvas.polygon(left + right, colour: palette.bright.mixed(with: palette.mid, 0.35))
        for _ in 0..<60 {
            let share = random.fraction()
            let at = left[Int(share * 15)]
            let to = right[16 - Int(share * 15)]
            let place = random.number(in: 0.1...0.9)
            canvas.ellipse(
                x: at.x + (to.x - at.x) * place, y: at.y, radiusX: (6 + 50 * share) * unit,
                radiusY: (0.8 + 2 * share) * unit,
                colour: random.chance(0.6) ? palette.pale : palette.deep, alpha: 0.3)
        }
    }

    private mutating func mill(x: Double, foot: Double, size: Double) {
        let u = unit * size
        let wood = palette.deep.mixed(with: palette.night, 0.35)
        func at(_ dx: Double, _ up: Double) -> Point { Point(x + dx * u, foot - up * u) }
        canvas.ellipse(
            x: x, y: foot + 4 * u, radiusX: 110 * u, radiusY: 12 * u, colour: palette.night,
            alpha: 0.35)
        canvas.polygon(
            [at(-82, 0), at(-50, 190), at(50, 190), at(82, 0)], colour: wood)
        canvas.polygon(
            [at(-82, 0), at(-50, 190), at(-22, 190), at(-40, 0)],
            colour: palette.bright, alpha: 0.3)
        for row in 0..<9 {
            stroke(
                [
                    at(-80 + Double(row) * 3.4, 10 + Double(row) * 20),
                    at(80 - Double(row) * 3.4, 10 + Double(row) * 20),
                ],
                width: 1.2 * u, colour: palette.night, alpha: 0.35)
        }
        canvas.polygon(
            [at(-58, 186), at(-46, 214), at(-14, 244), at(26, 240), at(58, 206), at(58, 186)],
            colour: palette.accent.mixed(with: palette.night, 0.5))
        canvas.rectangle(
            x: x - 14 * u, y: foot - 46 * u, width: 28 * u, height: 46 * u, colour: palette.night)
        canvas.rectangle(
            x: x - 11 * u, y: foot - 120 * u, width: 22 * u, height: 26 * u,
            colour: palette.night, alpha: 0.8)
        // A gallery around the body.
        stroke([at(-92, 76), at(92, 76)], width: 6 * u, colour: palette.night)
        for post in -4...4 {
            stroke(
                [at(Double(post) * 22, 76), at(Double(post) * 22, 96)], width: 2 * u,
                colour: palette.night)
        }
        stroke([at(-92, 96), at(92, 96)], width: 2.4 * u, colour: palette.night)
        let hub = at(0, 208)
        let turn = random.number(in: 15...75)
        for blade in 0..<4 { self.blade(hub, u, turn + Double(blade) * 90) }
        canvas.circle(x: hub.x, y: hub.y, radius: 10 * u, colour: palette.night)
    }

    /// One of the four: a spar, a lattice on one side, and cloth on some of it.
    private mutating func blade(_ hub: Point, _ u: Double, _ turn: Double) {
        func at(_ along: Double, _ across: Double) -> Point {
            Point(hub.x + along * u, hub.y + across * u).rotated(turn, around: hub)
        }
        if random.chance(0.75) {
            canvas.polygon(
                [at(48, 4), at(206, 4), at(206, 42), at(48, 36)],
                colour: palette.pale.mixed(with: palette.mid, 0.3), alpha: 0.75)
        }
        stroke([at(0, 0), at(212, 0)], width: 6 * u, colour: palette.night)
        for across in [14.0, 28, 42] {
            stroke([at(46, across), at(208, across)], width: 1.6 * u, colour: palette.night)
        }
        for rung in stride(from: 46.0, through: 208, by: 18) {
            stroke([at(rung, 0), at(rung, 42)], width: 1.6 * u, colour: palette.night)
        }
    }

    private mutating func cottage(x: Double, foot: Double) {
        let wall = palette.accent.mixed(with: palette.deep, 0.35)
        canvas.rectangle(
            x: x - 62 * unit, y: foot - 52 * unit, width: 124 * unit, height: 52 * unit,
            colour: wall)
        canvas.polygon(
            [
                Point(x - 74 * unit, foot - 50 * unit), Point(x - 46 * unit, foot - 104 * unit),
                Point(x + 46 * unit, foot - 104 * unit), Point(x + 74 * unit, foot - 50 * unit),
            ], colour: palette.deep.mixed(with: palette.night, 0.4))
        canvas.rectangle(
            x: x + 20 * unit, y: foot - 126 * unit, width: 14 * unit, height: 34 * unit,
            colour: wall)
        for window in [-40.0, 4, 34] {
            canvas.rectangle(
                x: x + window * unit, y: foot - 38 * unit, width: 15 * unit, height: 19 * unit,
                colour: palette.night)
        }
        for _ in 0..<26 {
            canvas.circle(
                x: x + random.number(in: -130 ... -60) * unit,
                y: foot - random.number(in: 10...110) * unit,
                radius: random.number(in: 12...26) * unit,
                colour: palette.deep.mixed(with: RGB(hex: 0x3F4A24), random.number(in: 0.3...0.9)),
                alpha: 0.7)
        }
    }

    private mutating func cow(x: Double, y: Double) {
        let size = unit * (0.5 + (y / height - 0.6) * 2.2)
        let hide = random.pick([palette.night, RGB(hex: 0x6E3F22), palette.pale])
        canvas.ellipse(
            x: x, y: y + 20 * size, radiusX: 34 * size, radiusY: 5 * size,
            colour: palette.night, alpha: 0.35)
        canvas.rectangle(
            x: x - 26 * size, y: y - 14 * size, width: 52 * size, height: 24 * size,
            cornerRadius: 9 * size, colour: hide)
        canvas.ellipse(
            x: x - 34 * size, y: y - 12 * size, radiusX: 11 * size, radiusY: 8 * size,
            rotation: -25, colour: hide)
        for leg in [-22.0, -12, 12, 22] {
            canvas.rectangle(
                x: x + (leg - 2.5) * size, y: y + 6 * size, width: 5 * size, height: 16 * size,
                colour: hide)
        }
        if hide != palette.pale {
            canvas.ellipse(
                x: x + 6 * size, y: y - 5 * size, radiusX: 10 * size, radiusY: 6 * size,
                colour: palette.pale, alpha: 0.85)
        }
    }

    /// In front, against the light.
    private mutating func reeds() {
        for _ in 0..<90 {
            let x =
                random.chance(0.5)
                ? random.number(in: -0.02...0.26) * width : random.number(in: 0.78...1.02) * width
            let tall = random.number(in: 40...110) * unit
            let lean = random.number(in: -26...26) * unit
            let path = Self.curve(
                Point(x, height + 4), Point(x, height - tall * 0.5),
                Point(x + lean * 0.4, height - tall * 0.8), Point(x + lean, height - tall))
            band(path, width: 3 * unit, colour: palette.night, alpha: 0.8)
        }
    }
}
