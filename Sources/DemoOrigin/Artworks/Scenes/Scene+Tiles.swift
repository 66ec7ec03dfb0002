import Imaging

extension Scene {
    /// Tiles of tin glaze, each painted by hand.
    mutating func tiles() {
        let columns = width > height ? 6 : random.integer(in: 4...5)
        let side = width / Double(columns)
        let rows = Int((height / side).rounded(.up))
        canvas.fill(palette.mid.mixed(with: palette.deep, 0.6))
        let motif = random.integer(in: 0...4)
        let corner = random.integer(in: 0...2)
        for row in 0..<rows {
            for column in 0..<columns {
                let x = Double(column) * side
                let y = Double(row) * side + (height - Double(rows) * side) / 2
                let gap = side * 0.008
                canvas.rectangle(
                    x: x + gap, y: y + gap, width: side - 2 * gap, height: side - 2 * gap,
                    cornerRadius: side * 0.012,
                    colour: palette.pale.mixed(with: palette.bright, random.number(in: 0...0.14)))
                corners(x: x, y: y, side: side, kind: corner)
                let isOdd = (row + column).isMultiple(of: 2)
                tileMotif(
                    isOdd ? motif : (motif + 2) % 5,
                    Point(x + side / 2, y + side / 2), side * 0.3)
                crackle(x: x, y: y, side: side)
            }
        }
    }

    private var blue: RGB { palette.deep }

    private mutating func corners(x: Double, y: Double, side: Double, kind: Int) {
        let middle = Point(x + side / 2, y + side / 2)
        for turn in 0..<4 {
            func at(_ dx: Double, _ dy: Double) -> Point {
                Point(x + dx * side, y + dy * side).rotated(Double(turn) * 90, around: middle)
            }
            switch kind {
            case 0:
                // Ox heads.
                let curl = Self.curve(at(0.03, 0.2), at(0.13, 0.17), at(0.17, 0.13), at(0.2, 0.03))
                band(curl, width: side * 0.02, colour: blue)
                for bud in [at(0.03, 0.2), at(0.2, 0.03), at(0.14, 0.14)] {
                    canvas.circle(x: bud.x, y: bud.y, radius: side * 0.026, colour: blue)
                }
                stroke([at(0.03, 0.03), at(0.13, 0.13)], width: side * 0.022, colour: blue)
            case 1:
                // Quarter stars: four tiles make a flower.
                for petal in [12.0, 45, 78] {
                    let base = at(0, 0)
                    let tip = at(0.17, 0).rotated(petal, around: base)
                    canvas.line(from: base, to: tip, width: side * 0.045, colour: palette.mid)
                    canvas.line(from: base, to: tip, width: side * 0.018, colour: blue)
                }
            default:
                let lily = [at(0.02, 0.02), at(0.16, 0.08), at(0.12, 0.12), at(0.08, 0.16)]
                canvas.polygon(lily, colour: palette.mid)
                stroke([at(0.02, 0.02), at(0.14, 0.14)], width: side * 0.014, colour: blue)
            }
        }
    }

    private mutating func tileMotif(_ kind: Int, _ centre: Point, _ size: Double) {
        switch kind {
        case 0: tulip(centre, size)
        case 1: star(centre, size)
        case 2: tileShip(centre, size)
        case 3: pomegranate(centre, size)
        default: fish(centre, size)
        }
    }

    private mutating func tulip(_ c: Point, _ s: Double) {
        let sway = random.number(in: -0.1...0.1) * s
        band(
            Self.curve(
                Point(c.x, c.y + s), Point(c.x + sway, c.y + s * 0.5),
                Point(c.x - sway, c.y + s * 0.1), Point(c.x, c.y - s * 0.2)),
            width: s * 0.07, colour: blue)
        for side in [-1.0, 1.0] {
            let leaf =
                Self.curve(
                    Point(c.x, c.y + s * 0.9), Point(c.x + side * s * 0.3, c.y + s * 0.6),
                    Point(c.x + side * s * 0.7, c.y + s * 0.5),
                    Point(c.x + side * s * 0.72, c.y - s * 0.05))
                + Self.curve(
                    Point(c.x + side * s * 0.72, c.y - s * 0.05),
                    Point(c.x + side * s * 0.45, c.y + s * 0.3),
                    Point(c.x + side * s * 0.2, c.y + s * 0.4), Point(c.x, c.y + s * 0.9))
            canvas.polygon(leaf, colour: palette.mid)
            band(leaf, width: s * 0.03, colour: blue)
            let petal =
                Self.curve(
                    Point(c.x, c.y - s * 0.12), Point(c.x + side * s * 0.5, c.y - s * 0.2),
                    Point(c.x + side * s * 0.42, c.y - s * 0.7),
                    Point(c.x + side * s * 0.32, c.y - s))
                + [Point(c.x, c.y - s * 0.62)]
            canvas.polygon(petal, colour: palette.bright)
            band(petal + petal.prefix(1), width: s * 0.035, colour: blue)
        }
        canvas.ellipse(
            x: c.x, y: c.y - s * 0.52, radiusX: s * 0.15, radiusY: s * 0.38, colour: palette.mid)
    }

    private mutating func star(_ c: Point, _ s: Double) {
        for ring in 0..<2 {
            for point in 0..<8 {
                let turn = Double(point) * 45 + Double(ring) * 22.5
                let reach = ring == 0 ? s : s * 0.62
                let tip = Point(c.x + reach, c.y).rotated(turn, around: c)
                let left = Point(c.x + reach * 0.46, c.y - reach * 0.16).rotated(turn, around: c)
                let right = Point(c.x + reach * 0.46, c.y + reach * 0.16).rotated(turn, around: c)
                canvas.polygon(
                    [c, left, tip, right], colour: ring == 0 ? palette.mid : blue)
            }
        }
        canvas.circle(x: c.x, y: c.y, radius: s * 0.16, colour: palette.pale)
        canvas.circle(x: c.x, y: c.y, radius: s * 0.08, colour: blue)
    }

    private mutating func tileShip(_ c: Point, _ s: Double) {
        for wave in 0..<3 {
            let y = c.y + s * (0.62 + Double(wave) * 0.14)
            band(
                Self.curve(
                    Point(c.x - s * (1 - Double(wave) * 0.2), y),
                    Point(c.x - s * 0.4, y - s * 0.12),
                    Point(c.x + s * 0.3, y + s * 0.14), Point(c.x + s * (1 - Double(wave) * 0.2), y)
                ),
                width: s * 0.04, colour: palette.mid)
        }
        let hull = Self.curve(
            Point(c.x - s * 0.75, c.y + s * 0.28), Point(c.x - s * 0.5, c.y + s * 0.72),
            Point(c.x + s * 0.5, c.y + s * 0.72), Point(c.x + s * 0.85, c.y + s * 0.2))
        canvas.polygon(hull, colour: blue)
        for (dx, tall) in [(-0.3, 0.8), (0.25, 0.95)] {
            stroke(
                [Point(c.x + dx * s, c.y + s * 0.4), Point(c.x + dx * s, c.y - s * tall)],
                width: s * 0.04, colour: blue)
            let sail =
                Self.curve(
                    Point(c.x + (dx - 0.22) * s, c.y - s * tall * 0.8),
                    Point(c.x + (dx + 0.1) * s, c.y - s * tall * 0.5),
                    Point(c.x + (dx + 0.1) * s, c.y - s * 0.1),
                    Point(c.x + (dx - 0.28) * s, c.y + s * 0.1))
                + [
                    Point(c.x + (dx + 0.28) * s, c.y + s * 0.1),
                    Point(c.x + (dx + 0.24) * s, c.y - s * tall * 0.8),
                ]
            canvas.polygon(sail, colour: palette.bright)
            band(sail + sail.prefix(1), width: s * 0.03, colour: blue)
        }
    }

    private mutating func pomegranate(_ c: Point, _ s: Double) {
        for turn in [0.0, 120, 240] {
            let at = Point(c.x, c.y - s * 0.52).rotated(turn, around: c)
            canvas.circle(x: at.x, y: at.y, radius: s * 0.36, colour: palette.bright)
            canvas.circle(x: at.x, y: at.y, radius: s * 0.24, colour: palette.mid)
            for seed in 0..<6 {
                let dot = Point(at.x + s * 0.14, at.y).rotated(Double(seed) * 60, around: at)
                canvas.circle(x: dot.x, y: dot.y, radius: s * 0.045, colour: blue)
            }
            let leaf = Point(c.x, c.y - s * 0.85).rotated(turn + 60, around: c)
            canvas.line(from: c, to: leaf, width: s * 0.16, colour: palette.mid)
            canvas.line(from: c, to: leaf, width: s * 0.04, colour: blue)
        }
        canvas.circle(x: c.x, y: c.y, radius: s * 0.13, colour: blue)
    }

    private mutating func fish(_ c: Point, _ s: Double) {
        let side: Double = random.chance(0.5) ? 1 : -1
        func at(_ dx: Double, _ dy: Double) -> Point { Point(c.x + side * dx * s, c.y + dy * s) }
        let body =
            Self.curve(at(-0.9, 0), at(-0.4, -0.6), at(0.3, -0.5), at(0.6, 0))
            + Self.curve(at(0.6, 0), at(0.3, 0.45), at(-0.4, 0.5), at(-0.9, 0))
        canvas.polygon(body, colour: palette.bright)
        band(body, width: s * 0.04, colour: blue)
        canvas.polygon([at(0.55, 0), at(1, -0.38), at(0.9, 0), at(1, 0.38)], colour: blue)
        for scale in 0..<5 {
            let x = -0.4 + Double(scale) * 0.2
            band(
                Self.curve(at(x, -0.26), at(x + 0.13, -0.1), at(x + 0.13, 0.1), at(x, 0.24)),
                width: s * 0.03, colour: palette.mid)
        }
        let eye = at(-0.62, -0.08)
        canvas.circle(x: eye.x, y: eye.y, radius: s * 0.06, colour: blue)
        for wave in 0..<2 {
            let y = c.y + s * (0.7 + Double(wave) * 0.16)
            stroke(
                [Point(c.x - s * 0.6, y), Point(c.x + s * 0.6, y)], width: s * 0.03,
                colour: palette.mid)
        }
    }

    /// Hairlines in the glaze, and chips at the edges of some.
    private mutating func crackle(x: Double, y: Double, side: Double) {
        if random.chance(0.3) {
            let start = Point(x + side * random.fraction(), y + side * 0.02)
            let end = Point(x + side * random.fraction(), y + side * 0.98)
            band(
                Self.curve(
                    start, Point(start.x + side * 0.1, y + side * 0.35),
                    Point(end.x - side * 0.12, y + side * 0.6), end),
                width: side * 0.004, colour: palette.night, alpha: 0.4)
        }
        if random.chance(0.4) {
            canvas.polygon(
                blob(
                    x: x + side * random.pick([0.02, 0.98]), y: y + side * random.fraction(),
                    radius: side * random.number(in: 0.012...0.03), wobble: 0.3),
                colour: RGB(hex: 0xC9A27C))
        }
    }
}
