import Imaging

extension Scene {
    /// Stems, leaves and blossoms in front of a disc.
    mutating func botanical() -> TitleArea {
        let isDark = random.chance(0.55)
        let paper = isDark ? palette.night : palette.pale
        canvas.gradient([
            GradientStop(0, paper.mixed(with: isDark ? palette.deep : palette.bright, 0.45)),
            GradientStop(1, paper),
        ])
        let disc = Point(width * random.number(in: 0.42...0.58), height * 0.56)
        canvas.circle(
            x: disc.x, y: disc.y, radius: 215 * unit,
            colour: isDark ? palette.mid : palette.bright.mixed(with: palette.pale, 0.3))
        canvas.noise(seed: random.next(), scale: 160 * unit, strength: 0.07, octaves: 5)
        let greens =
            isDark
            ? [palette.bright, palette.pale, palette.bright.mixed(with: palette.mid, 0.4)]
            : [palette.deep, palette.night, palette.mid]
        for stem in 0..<9 {
            let share = Double(stem) / 8 * 2 - 1
            let root = Point(width / 2 + share * 46 * unit, height * 0.84)
            let tip = Point(
                width / 2 + share * (290 + random.number(in: -30...30)) * unit,
                height * (0.4 + abs(share) * 0.16) + random.number(in: -40...70) * unit)
            let path = Self.curve(
                root, Point(root.x + share * 20 * unit, height * 0.72),
                Point(tip.x - share * 60 * unit, height * 0.58), tip)
            plant(along: path, colour: random.pick(greens), isFern: stem.isMultiple(of: 2))
        }
        vase(isDark ? palette.deep.mixed(with: palette.mid, 0.35) : palette.mid)
        for _ in 0..<26 {
            canvas.circle(
                x: random.fraction() * width, y: height * random.number(in: 0.32...0.95),
                radius: random.number(in: 1.5...4) * unit, colour: palette.accent,
                alpha: random.number(in: 0.4...0.9))
        }
        return TitleArea(
            top: 0.055, bottom: 0.3, colour: isDark ? palette.pale : palette.night,
            creditsColour: isDark ? palette.pale : palette.night,
            typefaces: [.century, .bookish, .bookman, .geometric, .light])
    }

    private func vase(_ colour: RGB) {
        let (x, top, foot) = (width / 2, height * 0.8, height * 0.915)
        let right = Self.curve(
            Point(x + 58 * unit, top), Point(x + 40 * unit, top + 18 * unit),
            Point(x + 112 * unit, top + 74 * unit), Point(x + 52 * unit, foot))
        let left = right.reversed().map { Point(2 * x - $0.x, $0.y) }
        canvas.polygon(right + left, colour: colour)
        canvas.rectangle(
            x: x - 64 * unit, y: top - 8 * unit, width: 128 * unit, height: 14 * unit,
            cornerRadius: 7 * unit, colour: colour.mixed(with: palette.pale, 0.25))
        for stripe in 0..<2 {
            canvas.rectangle(
                x: x - (70 - Double(stripe) * 2) * unit, y: top + (44 + Double(stripe) * 14) * unit,
                width: (140 - Double(stripe) * 4) * unit, height: 4 * unit,
                colour: palette.accent)
        }
    }

    private mutating func plant(along path: [Point], colour: RGB, isFern: Bool) {
        for (from, to) in zip(path, path.dropFirst()) {
            canvas.line(from: from, to: to, width: 3.6 * unit, colour: colour)
        }
        for index in 5..<(path.count - 1) {
            let at = path[index]
            let ahead = path[index + 1]
            let share = Double(index) / Double(path.count)
            let long = (isFern ? 64 : 92) * unit * (1.15 - share) * random.number(in: 0.8...1.15)
            for side in [-1.0, 1.0] where isFern || (index.isMultiple(of: 2) == (side > 0)) {
                leaf(
                    at: at, towards: ahead, turn: side * (isFern ? 62 : 46), length: long,
                    breadth: isFern ? 0.2 : 0.36, colour: colour)
            }
        }
        guard let tip = path.last else { return }
        if isFern {
            canvas.circle(x: tip.x, y: tip.y, radius: 8 * unit, colour: palette.accent)
        } else {
            blossom(at: tip, radius: random.number(in: 26...44) * unit)
        }
    }

    private func leaf(
        at: Point, towards: Point, turn: Double, length: Double, breadth: Double, colour: RGB
    ) {
        let (dx, dy) = (towards.x - at.x, towards.y - at.y)
        let norm = max((dx * dx + dy * dy).squareRoot(), 0.001)
        func place(_ along: Double, _ across: Double) -> Point {
            Point(
                at.x + (dx * along - dy * across) * length / norm,
                at.y + (dy * along + dx * across) * length / norm
            ).rotated(turn, around: at)
        }
        canvas.polygon(
            Self.curve(place(0, 0), place(0.3, breadth), place(0.7, breadth), place(1, 0))
                + Self.curve(place(1, 0), place(0.7, -breadth), place(0.3, -breadth), place(0, 0)),
            colour: colour)
        canvas.line(
            from: place(0.08, 0), to: place(0.9, 0), width: 1.2 * unit,
            colour: palette.tone(0.35), alpha: 0.55)
    }

    private mutating func blossom(at centre: Point, radius: Double) {
        let petals = random.integer(in: 5...8)
        let start = random.number(in: 0...90)
        for ring in 0..<2 {
            let reach = radius * (ring == 0 ? 1 : 0.62)
            for petal in 0..<petals {
                let angle = start + Double(petal) / Double(petals) * 360 + Double(ring) * 25
                let middle = Point(centre.x + reach * 0.6, centre.y).rotated(
                    angle, around: centre)
                canvas.ellipse(
                    x: middle.x, y: middle.y, radiusX: reach * 0.58, radiusY: reach * 0.34,
                    rotation: angle,
                    colour: ring == 0
                        ? palette.accent : palette.accent.mixed(with: palette.pale, 0.45))
            }
        }
        canvas.circle(x: centre.x, y: centre.y, radius: radius * 0.24, colour: palette.night)
    }
}
