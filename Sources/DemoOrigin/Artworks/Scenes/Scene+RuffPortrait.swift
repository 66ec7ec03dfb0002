import Imaging

extension Scene {
    /// A citizen in black, with a ruff or a flat collar.
    mutating func ruffPortrait() {
        canvas.gradient(
            [
                GradientStop(0, palette.mid), GradientStop(0.45, palette.deep),
                GradientStop(1, palette.night),
            ],
            angle: -35)
        strokes(
            150, x: 0...width, y: 0...height, length: 70 * unit, thickness: 24 * unit,
            angle: 30...70, colours: [palette.deep, palette.mid, palette.night], alpha: 0.1)
        canvas.glow(
            x: width * 0.75, y: height * 0.35, radius: width * 0.5, colour: palette.bright,
            strength: 0.18)
        let head = min(width * 0.155, height * 0.125)
        let centre = Point(width * random.number(in: 0.46...0.52), height * 0.36)
        let isWoman = random.chance(0.5)
        let skin = RGB(hex: random.pick([0xE9C29B, 0xE2B48C, 0xD7A67F]))
        gown(centre, head)
        bareNeck(centre, head, skin)
        if random.chance(0.72) {
            ruff(Point(centre.x, centre.y + head * 1.18), head)
        } else {
            flatCollar(Point(centre.x, centre.y + head * 1.25), head)
        }
        hairAround(centre, head, length: isWoman ? 0.42 : 0.75)
        paintedFace(centre, head, skin)
        if isWoman { cap(centre, head) } else { beardAndHat(centre, head) }
        hands(centre, head, skin)
    }

    private mutating func gown(_ centre: Point, _ head: Double) {
        let top = centre.y + head * 1.3
        let right = Self.curve(
            Point(centre.x, top), Point(centre.x + head * 1.9, top + head * 0.1),
            Point(centre.x + head * 2.6, top + head * 1.3),
            Point(centre.x + head * 2.9, height + head))
        let left = right.reversed().map { Point(2 * centre.x - $0.x, $0.y) }
        let black = palette.night.mixed(with: RGB(hex: 0x1A191C), 0.6)
        canvas.polygon(right + left, colour: black)
        strokes(
            70, x: (centre.x - head * 1.9)...(centre.x + head * 1.9),
            y: (top + head)...height, length: 60 * unit, thickness: 7 * unit, angle: 70...110,
            colours: [palette.deep, palette.mid, palette.night], alpha: 0.16)
        // Sleeves, and a row of buttons.
        for side in [-1.0, 1.0] {
            let seam = Self.curve(
                Point(centre.x + side * head * 1.5, top + head * 0.6),
                Point(centre.x + side * head * 1.6, top + head * 1.8),
                Point(centre.x + side * head * 1.3, top + head * 3),
                Point(centre.x + side * head * 1.5, height))
            band(seam, width: 5 * unit, colour: palette.mid, alpha: 0.25)
        }
        for button in 0..<9 {
            let y = top + head * (1.1 + Double(button) * 0.36)
            ball(
                x: centre.x, y: y, radius: 6.4 * unit, shade: palette.night,
                colour: palette.bright, light: palette.pale)
        }
    }

    private func bareNeck(_ centre: Point, _ head: Double, _ skin: RGB) {
        canvas.polygon(
            [
                Point(centre.x - head * 0.42, centre.y + head * 0.5),
                Point(centre.x + head * 0.42, centre.y + head * 0.5),
                Point(centre.x + head * 0.5, centre.y + head * 1.3),
                Point(centre.x - head * 0.5, centre.y + head * 1.3),
            ], colour: skin.mixed(with: palette.deep, 0.6))
    }

    /// Folds like figures of eight around a plate of linen.
    private func ruff(_ centre: Point, _ head: Double) {
        let (wide, high) = (head * 1.85, head * 0.72)
        let linen = RGB(hex: 0xF2EEE2)
        canvas.ellipse(
            x: centre.x, y: centre.y + head * 0.16, radiusX: wide * 1.03, radiusY: high * 1.05,
            colour: palette.night, alpha: 0.55)
        canvas.ellipse(
            x: centre.x, y: centre.y, radiusX: wide, radiusY: high,
            colour: linen.mixed(with: palette.mid, 0.45))
        let folds = (0..<44).map { Double($0) / 44 * 360 }
        func at(_ share: Double, _ angle: Double) -> Point {
            Self.arc(
                x: centre.x, y: centre.y - high * 0.1 * (1 - share), radiusX: wide * share,
                radiusY: high * share, from: angle, to: angle + 1, steps: 1)[0]
        }
        for angle in folds {
            let isLit = angle > 100 && angle < 290
            let tone = linen.mixed(with: palette.mid, isLit ? 0.03 : 0.24)
            let hem = at(0.92, angle)
            canvas.line(from: at(0.4, angle), to: hem, width: head * 0.12, colour: tone)
            canvas.ellipse(
                x: hem.x, y: hem.y, radiusX: head * 0.11, radiusY: head * 0.12, rotation: angle,
                colour: tone)
        }
        for angle in folds {
            let hem = at(0.92, angle)
            canvas.line(
                from: at(0.42, angle + 4), to: at(0.86, angle + 4), width: head * 0.025,
                colour: palette.deep, alpha: 0.4)
            canvas.ellipse(
                x: hem.x, y: hem.y, radiusX: head * 0.045, radiusY: head * 0.06, rotation: angle,
                colour: palette.deep, alpha: 0.55)
        }
        canvas.ellipse(
            x: centre.x + head * 0.12, y: centre.y - high * 0.14, radiusX: head * 0.85,
            radiusY: high * 0.42, colour: palette.night, alpha: 0.3)
    }

    private func flatCollar(_ centre: Point, _ head: Double) {
        let linen = RGB(hex: 0xEFEADC)
        let right =
            [Point(centre.x, centre.y + head * 0.5)]
            + Self.curve(
                Point(centre.x + head * 0.1, centre.y + head * 1.1),
                Point(centre.x + head * 0.9, centre.y + head * 1.1),
                Point(centre.x + head * 1.8, centre.y + head * 0.9),
                Point(centre.x + head * 1.75, centre.y + head * 0.3))
            + Self.curve(
                Point(centre.x + head * 1.75, centre.y + head * 0.3),
                Point(centre.x + head * 1.2, centre.y - head * 0.1),
                Point(centre.x + head * 0.7, centre.y - head * 0.3),
                Point(centre.x + head * 0.4, centre.y - head * 0.45))
        let left = right.reversed().map { Point(2 * centre.x - $0.x, $0.y) }
        canvas.polygon(right + left, colour: linen)
        canvas.polygon(right, colour: palette.mid, alpha: 0.25)
        for scallop in stride(from: -1.6, through: 1.6, by: 0.2) {
            let drop = 1.06 - abs(scallop) * 0.12
            canvas.circle(
                x: centre.x + scallop * head, y: centre.y + head * drop, radius: head * 0.11,
                colour: linen.mixed(with: palette.mid, scallop > 0 ? 0.25 : 0.06))
        }
    }

    private func paintedFace(_ centre: Point, _ head: Double, _ skin: RGB) {
        let shade = skin.mixed(with: palette.deep, 0.6)
        let outline = Self.profile([
            Point(0, -1.12), Point(0.5, -1.04), Point(0.78, -0.62), Point(0.8, 0),
            Point(0.68, 0.56), Point(0.4, 0.98), Point(0, 1.12),
        ])
        // From the shadow side to the light, softly.
        for step in 0..<9 {
            let share = Double(step) / 8
            let size = 1 - share * 0.55
            let shift = -head * 0.24 * share
            let points =
                outline.map { Point($0.x, $0.y) }
                + outline.reversed().map { Point(-$0.x, $0.y) }
            canvas.polygon(
                points.map {
                    Point(
                        centre.x + shift + $0.x * head * size,
                        centre.y - head * 0.06 * share + $0.y * head * size)
                }, colour: shade.mixed(with: skin.mixed(with: palette.pale, 0.3), share),
                alpha: step == 0 ? 1 : 0.42)
        }
        for (x, y, size) in [(-0.42, 0.28, 0.26), (0.34, 0.3, 0.18), (-0.06, 0.36, 0.12)] {
            canvas.ellipse(
                x: centre.x + x * head, y: centre.y + y * head, radiusX: size * head,
                radiusY: size * head * 0.75, colour: RGB(hex: 0xC8553D), alpha: 0.17)
        }
        for side in [-1.0, 1.0] { eye(centre, head, side) }
        // The nose throws its shadow to the right.
        canvas.polygon(
            Self.curve(
                Point(centre.x + head * 0.03, centre.y - head * 0.12),
                Point(centre.x + head * 0.14, centre.y + head * 0.1),
                Point(centre.x + head * 0.2, centre.y + head * 0.3),
                Point(centre.x + head * 0.16, centre.y + head * 0.42))
                + [
                    Point(centre.x - head * 0.1, centre.y + head * 0.43),
                    Point(centre.x + head * 0.02, centre.y + head * 0.3),
                ],
            colour: shade, alpha: 0.6)
        canvas.ellipse(
            x: centre.x - head * 0.04, y: centre.y + head * 0.3, radiusX: head * 0.07,
            radiusY: head * 0.06, colour: palette.pale, alpha: 0.35)
        let lips = RGB(hex: 0xA34A3A)
        canvas.ellipse(
            x: centre.x - head * 0.02, y: centre.y + head * 0.66, radiusX: head * 0.2,
            radiusY: head * 0.05, colour: lips, alpha: 0.75)
        canvas.ellipse(
            x: centre.x - head * 0.02, y: centre.y + head * 0.73, radiusX: head * 0.14,
            radiusY: head * 0.05, colour: lips, alpha: 0.5)
        band(
            Self.curve(
                Point(centre.x - head * 0.22, centre.y + head * 0.66),
                Point(centre.x - head * 0.08, centre.y + head * 0.7),
                Point(centre.x + head * 0.06, centre.y + head * 0.7),
                Point(centre.x + head * 0.2, centre.y + head * 0.66)),
            width: head * 0.03, colour: palette.night, alpha: 0.7)
    }

    private func eye(_ centre: Point, _ head: Double, _ side: Double) {
        let x = centre.x + (side * 0.34 - 0.03) * head
        let y = centre.y - head * 0.08
        canvas.ellipse(
            x: x, y: y - head * 0.02, radiusX: head * 0.2, radiusY: head * 0.13,
            colour: palette.deep, alpha: 0.28)
        canvas.ellipse(
            x: x, y: y, radiusX: head * 0.14, radiusY: head * 0.07,
            colour: RGB(hex: 0xE6DCCB).mixed(with: palette.deep, side > 0 ? 0.35 : 0.1))
        canvas.circle(x: x - head * 0.01, y: y, radius: head * 0.07, colour: RGB(hex: 0x3A2A1E))
        canvas.circle(
            x: x - head * 0.03, y: y - head * 0.025, radius: head * 0.02, colour: palette.pale)
        band(
            Self.curve(
                Point(x - head * 0.16, y + head * 0.01), Point(x - head * 0.07, y - head * 0.1),
                Point(x + head * 0.07, y - head * 0.1), Point(x + head * 0.16, y + head * 0.01)),
            width: head * 0.035, colour: RGB(hex: 0x3A2A1E))
        band(
            Self.curve(
                Point(x - head * 0.2, y - head * 0.2), Point(x - head * 0.06, y - head * 0.29),
                Point(x + head * 0.08, y - head * 0.28), Point(x + head * 0.2, y - head * 0.2)),
            width: head * 0.05, colour: RGB(hex: 0x4A3424), alpha: 0.75)
    }

    private func cap(_ centre: Point, _ head: Double) {
        let linen = RGB(hex: 0xEDE7D8)
        let crown = Self.arc(
            x: centre.x, y: centre.y - head * 0.28, radiusX: head * 0.98, radiusY: head * 1.06,
            from: 172, to: 368)
        let edge = Self.curve(
            Point(centre.x + head * 0.97, centre.y - head * 0.12),
            Point(centre.x + head * 0.7, centre.y - head * 0.72),
            Point(centre.x + head * 0.3, centre.y - head * 0.8),
            Point(centre.x, centre.y - head * 0.8))
        let mirrored = edge.reversed().map { Point(2 * centre.x - $0.x, $0.y) }
        canvas.polygon(crown + edge + mirrored, colour: linen)
        canvas.polygon(
            crown.suffix(26) + edge.prefix(12), colour: palette.mid, alpha: 0.3)
        for pearl in 0..<7 {
            let share = Double(pearl) / 6 - 0.5
            ball(
                x: centre.x + share * head * 1.4,
                y: centre.y - head * (0.86 - share * share * 0.7), radius: head * 0.045,
                shade: palette.mid, colour: linen, light: RGB(hex: 0xFFFFFF))
        }
    }

    private func hairAround(_ centre: Point, _ head: Double, length: Double) {
        let hair = RGB(hex: 0x4A3220)
        for side in [-1.0, 1.0] {
            canvas.ellipse(
                x: centre.x + side * head * 0.72, y: centre.y + head * (length - 0.6),
                radiusX: head * 0.3,
                radiusY: head * length, rotation: -side * 8,
                colour: hair.mixed(with: palette.night, side > 0 ? 0.5 : 0.1))
        }
    }

    private mutating func beardAndHat(_ centre: Point, _ head: Double) {
        let hair = RGB(hex: 0x5A3D26)
        for side in [-1.0, 1.0] {
            band(
                Self.curve(
                    Point(centre.x, centre.y + head * 0.56),
                    Point(centre.x + side * head * 0.12, centre.y + head * 0.52),
                    Point(centre.x + side * head * 0.24, centre.y + head * 0.6),
                    Point(centre.x + side * head * 0.38, centre.y + head * 0.5)),
                width: head * 0.085, colour: hair)
        }
        canvas.polygon(
            [
                Point(centre.x - head * 0.15, centre.y + head * 0.84),
                Point(centre.x + head * 0.13, centre.y + head * 0.84),
                Point(centre.x, centre.y + head * 1.28),
            ], colour: hair)
        let felt = palette.night.mixed(with: RGB(hex: 0x18171A), 0.5)
        let crown = Self.curve(
            Point(centre.x - head * 0.86, centre.y - head * 0.66),
            Point(centre.x - head * 0.8, centre.y - head * 1.9),
            Point(centre.x + head * 0.9, centre.y - head * 2.0),
            Point(centre.x + head * 0.86, centre.y - head * 0.66))
        canvas.polygon(crown, colour: felt)
        canvas.ellipse(
            x: centre.x, y: centre.y - head * 0.68, radiusX: head * 1.75, radiusY: head * 0.3,
            rotation: random.number(in: -5...3), colour: felt)
        band(
            Self.curve(
                Point(centre.x - head * 1.6, centre.y - head * 0.76),
                Point(centre.x - head * 0.7, centre.y - head * 0.95),
                Point(centre.x + head * 0.3, centre.y - head * 0.92),
                Point(centre.x + head * 1.1, centre.y - head * 0.86)),
            width: 4 * unit, colour: palette.mid, alpha: 0.5)
    }

    /// One laid over the other.
    private func hands(_ centre: Point, _ head: Double, _ skin: RGB) {
        let y = min(height * 0.88, centre.y + head * 4.4)
        guard y < height - head * 0.4 else { return }
        let linen = RGB(hex: 0xEDE7D8)
        for side in [1.0, -1] {
            let x = centre.x + side * head * 0.5
            let cuff = Point(x + side * head * 0.52, y + head * 0.08)
            canvas.ellipse(
                x: cuff.x, y: cuff.y, radiusX: head * 0.2, radiusY: head * 0.36,
                rotation: side * -14, colour: linen.mixed(with: palette.mid, side > 0 ? 0.35 : 0.1))
            canvas.ellipse(
                x: cuff.x + side * head * 0.12, y: cuff.y, radiusX: head * 0.08,
                radiusY: head * 0.3, rotation: side * -14, colour: palette.night, alpha: 0.35)
            let tone = skin.mixed(with: palette.deep, side > 0 ? 0.38 : 0.14)
            canvas.ellipse(
                x: x + side * head * 0.1, y: y, radiusX: head * 0.4, radiusY: head * 0.23,
                rotation: side * 8, colour: tone)
            for finger in 0..<4 {
                let lift = (Double(finger) - 1.5) * head * 0.11
                let from = Point(x - side * head * 0.1, y + lift)
                let to = Point(x - side * head * 0.62, y + lift * 1.15 + head * 0.12)
                canvas.line(
                    from: from, to: to, width: head * 0.125,
                    colour: tone.mixed(with: palette.deep, Double(finger) * 0.07))
            }
        }
    }
}
