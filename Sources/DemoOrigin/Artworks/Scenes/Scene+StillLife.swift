import Imaging

extension Scene {
    /// A table at the edge of the dark: a jug, a bowl with fruit, a glass and a lemon.
    mutating func stillLife() {
        let unit = unit
        // A wide picture shows less air above the things, not smaller things.
        self.unit *= min(1.45, max(1, width / (760 * unit)))
        defer { self.unit = unit }
        paintTable()
    }

    private mutating func paintTable() {
        canvas.gradient(
            [
                GradientStop(0, palette.mid.mixed(with: palette.deep, 0.55)),
                GradientStop(0.6, palette.deep), GradientStop(1, palette.night),
            ], angle: 50)
        canvas.glow(
            x: width * 0.25, y: height * 0.25, radius: width * 0.55, colour: palette.bright,
            strength: 0.3)
        strokes(
            140, x: 0...width, y: 0...(height * 0.66), length: 60 * unit, thickness: 18 * unit,
            angle: -60 ... -20, colours: [palette.deep, palette.mid, palette.night], alpha: 0.1)
        let table = height * 0.64
        cloth(table)
        let isLeft = random.chance(0.5)
        let jugX = width * (isLeft ? 0.26 : 0.74)
        jug(x: jugX, foot: table + 34 * unit)
        roemer(x: width * (isLeft ? 0.76 : 0.26), foot: table + 20 * unit)
        bowl(x: width * 0.5, foot: table + 70 * unit)
        lemon(x: width * (isLeft ? 0.72 : 0.3), y: table + 92 * unit)
        grapes(x: width * (isLeft ? 0.3 : 0.7), y: table + 80 * unit)
        knife(table + 130 * unit, isLeft: isLeft)
    }

    private mutating func cloth(_ table: Double) {
        let wood = palette.mid.mixed(with: palette.night, 0.4)
        canvas.rectangle(x: 0, y: table, width: width, height: height - table + 1, colour: wood)
        strokes(
            60, x: 0...width, y: table...height, length: 140 * unit, thickness: 3 * unit,
            angle: -2...2, colours: [palette.night, palette.mid], alpha: 0.25)
        let (from, to) = (width * 0.18, width * 0.92)
        let edge = table + 150 * unit
        let linen = palette.pale.mixed(with: palette.mid, 0.12)
        canvas.polygon(
            [
                Point(from, table + 4 * unit), Point(to, table + 4 * unit),
                Point(to + 60 * unit, edge), Point(to + 40 * unit, height + 2),
                Point(from - 50 * unit, height + 2), Point(from - 70 * unit, edge),
            ], colour: linen)
        // Folds hang from the edge.
        for fold in 0..<13 {
            let x = from - 60 * unit + (to - from + 120 * unit) * Double(fold) / 12
            let tone = fold.isMultiple(of: 2) ? palette.mid : palette.deep
            canvas.polygon(
                [
                    Point(x, edge - 8 * unit), Point(x + 16 * unit, edge),
                    Point(x + random.number(in: 10...40) * unit, height + 2),
                    Point(x - random.number(in: 0...14) * unit, height + 2),
                ], colour: tone, alpha: 0.3)
        }
        strokes(
            50, x: from...to, y: table...edge, length: 70 * unit, thickness: 5 * unit,
            angle: -12...12, colours: [palette.pale, palette.mid, palette.bright], alpha: 0.22)
    }

    private func shadow(x: Double, y: Double, wide: Double) {
        for step in 0..<4 {
            canvas.ellipse(
                x: x + wide * 0.25, y: y, radiusX: wide * (1.15 - Double(step) * 0.16),
                radiusY: wide * (0.26 - Double(step) * 0.03), colour: palette.night, alpha: 0.2)
        }
    }

    private func jug(x: Double, foot: Double) {
        let tin = palette.bright.mixed(with: RGB(hex: 0x7E8284), 0.75)
        func at(_ half: Double, _ up: Double) -> Point { Point(half * unit, foot - up * unit) }
        shadow(x: x, y: foot - 8 * unit, wide: 90 * unit)
        let handle = Self.curve(
            Point(x + 48 * unit, foot - 236 * unit), Point(x + 150 * unit, foot - 240 * unit),
            Point(x + 140 * unit, foot - 90 * unit), Point(x + 68 * unit, foot - 90 * unit))
        band(handle, width: 15 * unit, colour: tin.mixed(with: palette.night, 0.55))
        turned(
            x: x,
            profile: Self.profile([
                at(64, 0), at(70, 10), at(44, 26), at(78, 80), at(86, 130), at(62, 196),
                at(44, 236), at(50, 262), at(54, 270),
            ]),
            shade: palette.night.mixed(with: tin, 0.25), colour: tin,
            light: palette.pale.mixed(with: tin, 0.2), alpha: 0.7)
        // Lid with its knob.
        turned(
            x: x,
            profile: Self.profile([
                at(57, 268), at(56, 278), at(30, 300), at(8, 308), at(12, 320), at(0, 332),
            ]), shade: palette.night.mixed(with: tin, 0.3), colour: tin, light: palette.pale,
            alpha: 0.7)
        canvas.ellipse(
            x: x - 34 * unit, y: foot - 130 * unit, radiusX: 7 * unit, radiusY: 44 * unit,
            rotation: 4, colour: palette.pale, alpha: 0.6)
    }

    private func roemer(x: Double, foot: Double) {
        let green = RGB(hex: 0x7E8F4E)
        func at(_ half: Double, _ up: Double) -> Point { Point(half * unit, foot - up * unit) }
        shadow(x: x, y: foot - 4 * unit, wide: 60 * unit)
        let cup = Self.profile([
            at(26, 110), at(52, 136), at(62, 180), at(54, 228), at(46, 244),
        ])
        let stem = Self.profile([at(58, 0), at(52, 8), at(26, 26), at(24, 60), at(26, 112)])
        for part in [stem, cup] {
            let left = part.reversed().map { Point(x - $0.x, $0.y) }
            canvas.polygon(
                part.map { Point(x + $0.x, $0.y) } + left, colour: green, alpha: 0.42)
        }
        // Wine up to two thirds.
        let wine = Self.profile([at(26, 112), at(50, 138), at(60, 180), at(61, 196)])
        canvas.polygon(
            wine.map { Point(x + $0.x, $0.y) }
                + wine.reversed().map { Point(x - $0.x, $0.y) }, colour: palette.bright,
            alpha: 0.5)
        canvas.ellipse(
            x: x, y: foot - 196 * unit, radiusX: 60 * unit, radiusY: 9 * unit,
            colour: palette.pale, alpha: 0.35)
        for ring in 0..<4 {
            canvas.ellipse(
                x: x, y: foot - (14 + Double(ring) * 13) * unit,
                radiusX: (40 - Double(ring) * 5) * unit, radiusY: 5 * unit,
                colour: palette.pale, alpha: 0.2)
        }
        // The window, mirrored in the bowl.
        canvas.polygon(
            [
                Point(x - 40 * unit, foot - 222 * unit), Point(x - 26 * unit, foot - 226 * unit),
                Point(x - 30 * unit, foot - 176 * unit), Point(x - 45 * unit, foot - 178 * unit),
            ], colour: palette.pale, alpha: 0.7)
        canvas.ellipse(
            x: x + 34 * unit, y: foot - 168 * unit, radiusX: 4 * unit, radiusY: 26 * unit,
            rotation: -12, colour: palette.pale, alpha: 0.4)
    }

    private mutating func bowl(x: Double, foot: Double) {
        let porcelain = RGB(hex: 0xDDE3E4)
        shadow(x: x, y: foot - 6 * unit, wide: 130 * unit)
        let rim = foot - 92 * unit
        canvas.ellipse(
            x: x, y: rim, radiusX: 150 * unit, radiusY: 34 * unit,
            colour: porcelain.mixed(with: palette.night, 0.5))
        let fruits = [0xD8892B, 0xC94F2A, 0xE0B13A, 0xB7352B, 0x9AA23C].map { RGB(hex: UInt32($0)) }
        for place in [(-86.0, -6.0), (82, -8), (-34, -40), (40, -44), (0, -92), (-4, 4)] {
            let colour = random.pick(fruits)
            ball(
                x: x + place.0 * unit, y: rim + (place.1 - 14) * unit,
                radius: random.number(in: 44...54) * unit,
                shade: colour.mixed(with: palette.night, 0.72), colour: colour,
                light: colour.mixed(with: palette.pale, 0.6))
        }
        leaf(x: x + 20 * unit, y: rim - 140 * unit)
        func at(_ half: Double, _ down: Double) -> Point { Point(half * unit, rim + down * unit) }
        turned(
            x: x,
            profile: Self.profile([
                at(150, 0), at(140, 34), at(96, 74), at(56, 84), at(58, 94),
            ]), shade: porcelain.mixed(with: palette.night, 0.6), colour: porcelain,
            light: palette.pale, alpha: 0.75)
        // Blue painting around it.
        let blue = RGB(hex: 0x2F4F86)
        for step in -4...4 {
            let share = Double(step) / 4.6
            let at = Point(x + share * 132 * unit, rim + (44 - share * share * 16) * unit)
            canvas.circle(x: at.x, y: at.y, radius: 8 * unit, colour: blue, alpha: 0.65)
            for petal in 0..<5 {
                let tip = Point(at.x + 14 * unit, at.y).rotated(Double(petal) * 72, around: at)
                canvas.circle(x: tip.x, y: tip.y, radius: 4.4 * unit, colour: blue, alpha: 0.55)
            }
        }
    }

    private func leaf(x: Double, y: Double) {
        let tip = Point(x + 86 * unit, y - 26 * unit)
        canvas.polygon(
            Self.curve(
                Point(x, y), Point(x + 20 * unit, y - 48 * unit),
                Point(x + 60 * unit, y - 50 * unit), tip)
                + Self.curve(
                    tip, Point(x + 60 * unit, y + 4 * unit), Point(x + 26 * unit, y + 10 * unit),
                    Point(x, y)), colour: RGB(hex: 0x4E5B2C))
        stroke([Point(x, y), tip], width: 2 * unit, colour: RGB(hex: 0x9AA05A))
    }

    /// Cut open, its peel hanging over the edge.
    private func lemon(x: Double, y: Double) {
        let peel = RGB(hex: 0xE3B92F)
        shadow(x: x, y: y + 26 * unit, wide: 48 * unit)
        ball(
            x: x, y: y, radius: 42 * unit, shade: peel.mixed(with: palette.night, 0.6),
            colour: peel, light: peel.mixed(with: palette.pale, 0.6))
        canvas.ellipse(
            x: x - 20 * unit, y: y - 4 * unit, radiusX: 27 * unit, radiusY: 35 * unit,
            rotation: 12, colour: palette.pale)
        canvas.ellipse(
            x: x - 20 * unit, y: y - 4 * unit, radiusX: 22 * unit, radiusY: 30 * unit,
            rotation: 12, colour: RGB(hex: 0xF0D873))
        for segment in 0..<8 {
            let centre = Point(x - 20 * unit, y - 4 * unit)
            let to = Point(centre.x + 23 * unit, centre.y).rotated(
                Double(segment) * 45, around: centre)
            stroke([centre, to], width: 1.6 * unit, colour: palette.pale, alpha: 0.8)
        }
        let hanging = Self.curve(
            Point(x + 20 * unit, y + 34 * unit), Point(x + 110 * unit, y + 30 * unit),
            Point(x - 10 * unit, y + 90 * unit), Point(x + 70 * unit, y + 120 * unit))
        band(hanging, width: 19 * unit, colour: peel.mixed(with: palette.night, 0.18))
        band(
            hanging.map { Point($0.x + 4 * unit, $0.y - 3 * unit) }, width: 6 * unit,
            colour: palette.pale, alpha: 0.55)
    }

    private mutating func grapes(x: Double, y: Double) {
        let isDark = random.chance(0.5)
        let grape = RGB(hex: isDark ? 0x4A2745 : 0x8C9A45)
        for row in (0..<5).reversed() {
            for place in 0..<(5 - row) {
                ball(
                    x: x + (Double(place) - Double(4 - row) / 2) * 30 * unit
                        + random.number(in: -5...5) * unit,
                    y: y + (Double(row) * 21 - 30 + random.number(in: -5...5)) * unit,
                    radius: 19 * unit, shade: grape.mixed(with: palette.night, 0.7),
                    colour: grape, light: grape.mixed(with: palette.pale, 0.7))
            }
        }
    }

    private func knife(_ y: Double, isLeft: Bool) {
        let side: Double = isLeft ? -1 : 1
        let (x, length) = (width * 0.5 - side * 30 * unit, 190 * unit)
        let blade = [
            Point(x, y), Point(x - side * length * 0.6, y + 34 * unit),
            Point(x - side * length * 0.55, y + 42 * unit), Point(x, y + 14 * unit),
        ]
        canvas.polygon(
            blade.map { Point($0.x, $0.y + 10 * unit) }, colour: palette.night, alpha: 0.3)
        canvas.polygon(blade, colour: RGB(hex: 0xB9BDBB))
        stroke(
            [Point(x, y + 7 * unit), Point(x + side * length * 0.5, y - 28 * unit)],
            width: 17 * unit, colour: palette.night)
    }
}
