import Imaging

extension Scene {
    /// A white church, seen down its nave.
    mutating func interior() {
        canvas.gradient([
            GradientStop(0, palette.bright), GradientStop(0.6, palette.pale),
            GradientStop(1, palette.bright),
        ])
        let eye = Point(width * random.number(in: 0.42...0.58), height * 0.6)
        // Everything runs to the eye: a frame of the nave, shrunk by its distance.
        func at(_ x: Double, _ y: Double, _ depth: Double) -> Point {
            let scale = 1 / depth
            return Point(
                eye.x + (x * width - eye.x) * scale, eye.y + (y * height - eye.y) * scale)
        }
        let depths = (0...7).map { (bay: Int) -> Double in
            let bay = Double(bay)
            return 1 + bay * 0.34 + bay * bay * 0.07
        }
        vault(at, depths)
        floor(at, depths)
        window(at, depths[7])
        for bay in (0..<7).reversed() {
            for side in [0.0, 1] {
                arcade(
                    at, side: side, near: bay == 0 ? 0.8 : depths[bay], far: depths[bay + 1],
                    bay: bay)
            }
        }
        chandelier(at)
        for _ in 0..<random.integer(in: 4...7) {
            let depth = random.number(in: 1.4...3.6)
            visitor(at(random.number(in: 0.25...0.75), 1.02, depth), size: 1.9 / depth)
        }
        canvas.glow(
            x: width * 0.15, y: height * 0.3, radius: width * 0.7, colour: palette.pale,
            strength: 0.4)
        strokes(
            70, x: 0...width, y: 0...height, length: 60 * unit, thickness: 10 * unit,
            angle: 60...120, colours: [palette.pale, palette.bright, palette.mid], alpha: 0.06)
    }

    typealias Perspective = (_ x: Double, _ y: Double, _ depth: Double) -> Point

    /// A wooden barrel over the nave.
    private func vault(_ at: Perspective, _ depths: [Double]) {
        let wood = palette.mid.mixed(with: palette.deep, 0.25)
        func rib(_ depth: Double) -> [Point] {
            stride(from: 180.0, through: 360, by: 12).map { angle in
                let edge = Self.arc(
                    x: 0.5, y: 0.12, radiusX: 0.42, radiusY: 0.34, from: angle, to: angle + 1,
                    steps: 1)[0]
                return at(edge.x, edge.y, depth)
            }
        }
        for bay in 0..<7 {
            let tone = wood.mixed(with: palette.pale, 0.1 + Double(bay) * 0.06)
            canvas.polygon(rib(depths[bay] * 0.8) + rib(depths[bay + 1]).reversed(), colour: tone)
            band(
                rib(depths[bay]), width: 9 * unit / depths[bay],
                colour: palette.deep, alpha: 0.75)
        }
    }

    private func floor(_ at: Perspective, _ depths: [Double]) {
        let rows = 16
        for row in 0..<rows {
            let (near, far) = (1 + Double(row) * 0.22, 1 + Double(row + 1) * 0.22)
            for column in 0..<12 {
                let (from, to) = (-0.4 + Double(column) * 0.15, -0.4 + Double(column + 1) * 0.15)
                let isDark = (row + column).isMultiple(of: 2)
                canvas.polygon(
                    [
                        at(from, 1.02, near), at(to, 1.02, near), at(to, 1.02, far),
                        at(from, 1.02, far),
                    ],
                    colour: isDark
                        ? palette.mid.mixed(with: palette.deep, 0.2)
                        : palette.bright.mixed(with: palette.pale, 0.2))
            }
        }
    }

    private func window(_ at: Perspective, _ depth: Double) {
        let wall = [
            at(0.08, -0.2, depth), at(0.92, -0.2, depth), at(0.92, 1.02, depth),
            at(0.08, 1.02, depth),
        ]
        canvas.polygon(wall, colour: palette.bright)
        for column in 0..<3 {
            let x = 0.28 + Double(column) * 0.22
            let arch =
                Self.arc(x: x, y: 0.22, radiusX: 0.075, radiusY: 0.12, from: 180, to: 360).map {
                    at($0.x, $0.y, depth)
                } + [at(x + 0.075, 0.72, depth), at(x - 0.075, 0.72, depth)]
            canvas.polygon(arch, colour: RGB(hex: 0xE9F0EE))
            for bar in 0..<5 {
                stroke(
                    [
                        at(x - 0.075, 0.2 + Double(bar) * 0.12, depth),
                        at(x + 0.075, 0.2 + Double(bar) * 0.12, depth),
                    ],
                    width: 1.4 * unit, colour: palette.mid)
            }
        }
    }

    /// A pillar, and the arch from it to the next one.
    private func arcade(_ at: Perspective, side: Double, near: Double, far: Double, bay: Int) {
        let inner = side == 0 ? 0.1 : 0.9
        let outer = side == 0 ? -0.9 : 1.9
        let isLit = side == 1
        let fade = Double(bay) * 0.09
        let stone = palette.pale.mixed(with: palette.mid, isLit ? 0.06 : 0.36)
            .mixed(with: palette.pale, fade)
        // The wall above, with the opening cut out by drawing what lies behind it.
        canvas.polygon(
            [
                at(inner, -0.3, near), at(inner, -0.3, far), at(inner, 1.02, far),
                at(inner, 1.02, near),
            ],
            colour: stone)
        let behind = palette.mid.mixed(with: palette.pale, isLit ? 0.45 : 0.22)
        let steps = 14
        let middle = (near + far) / 2
        func depth(_ share: Double) -> Double {
            // Evenly spaced along the nave.
            let (a, b) = (near + (far - near) * 0.16, far)
            return a + (b - a) * share
        }
        let arch = (0...steps).map { step -> Point in
            let share = Double(step) / Double(steps)
            let lift = (1 - (share * 2 - 1) * (share * 2 - 1)).squareRoot()
            return at(inner, 0.36 - lift * 0.14, depth(share))
        }
        canvas.polygon(
            arch + [at(inner, 1.02, depth(1)), at(inner, 1.02, depth(0))], colour: behind)
        let glass =
            [0.34, 0.66].map { at(inner, 0.4, depth($0)) }
            + [0.66, 0.34].map { at(inner, 0.72, depth($0)) }
        canvas.polygon(glass, colour: RGB(hex: 0xEEF2EC), alpha: isLit ? 0.85 : 0.5)
        band(arch, width: 7 * unit / middle, colour: palette.mid, alpha: 0.55)
        pillar(at, x: inner, outer: outer, depth: near, stone: stone, isLit: isLit)
    }

    private func pillar(
        _ at: Perspective, x: Double, outer: Double, depth: Double, stone: RGB, isLit: Bool
    ) {
        let top = at(x, 0.36, depth)
        let foot = at(x, 1.02, depth)
        let half = 46 * unit / depth
        for step in 0..<8 {
            let share = 1 - Double(step) / 8
            let shift = (1 - share) * half * (isLit ? -0.3 : 0.3)
            canvas.rectangle(
                x: top.x - half * share + shift, y: top.y, width: half * 2 * share,
                height: foot.y - top.y,
                colour: stone.mixed(with: palette.deep, 0.4 * share * share), alpha: 0.8)
        }
        for (y, wide, tall) in [
            (top.y - 18 * unit / depth, 1.3, 20.0), (foot.y - 26 * unit / depth, 1.25, 28),
        ] {
            canvas.rectangle(
                x: top.x - half * wide, y: y, width: half * wide * 2, height: tall * unit / depth,
                colour: stone.mixed(with: palette.deep, 0.2))
        }
    }

    private func chandelier(_ at: Perspective) {
        let hang = at(0.5, -0.15, 1.7)
        let ring = at(0.5, 0.36, 1.7)
        let brass = RGB(hex: 0xB08A3E)
        stroke([hang, ring], width: 2.4 * unit, colour: palette.deep)
        canvas.circle(x: ring.x, y: ring.y + 20 * unit, radius: 11 * unit, colour: brass)
        for arm in -3...3 {
            let reach = Double(arm) * 18 * unit
            band(
                Self.curve(
                    Point(ring.x, ring.y + 12 * unit),
                    Point(ring.x + reach * 0.4, ring.y + 34 * unit),
                    Point(ring.x + reach, ring.y + 30 * unit),
                    Point(ring.x + reach, ring.y + 4 * unit)),
                width: 3 * unit, colour: brass)
            canvas.rectangle(
                x: ring.x + reach - 2.4 * unit, y: ring.y - 12 * unit, width: 4.8 * unit,
                height: 16 * unit, colour: palette.pale)
        }
    }

    private mutating func visitor(_ foot: Point, size: Double) {
        let u = unit * size
        let coat = random.pick([palette.night, palette.deep, palette.accent, palette.night])
        canvas.ellipse(
            x: foot.x + 10 * u, y: foot.y, radiusX: 24 * u, radiusY: 5 * u, colour: palette.deep,
            alpha: 0.4)
        canvas.polygon(
            [
                Point(foot.x - 10 * u, foot.y - 72 * u), Point(foot.x + 10 * u, foot.y - 72 * u),
                Point(foot.x + 19 * u, foot.y), Point(foot.x - 19 * u, foot.y),
            ], colour: coat)
        canvas.circle(
            x: foot.x, y: foot.y - 82 * u, radius: 8.4 * u, colour: RGB(hex: 0xD8AE86))
        canvas.ellipse(
            x: foot.x, y: foot.y - 71 * u, radiusX: 11 * u, radiusY: 4 * u, colour: palette.pale)
        canvas.ellipse(
            x: foot.x, y: foot.y - 88 * u, radiusX: 14 * u, radiusY: 4.4 * u,
            colour: palette.night)
    }
}
