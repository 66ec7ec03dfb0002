import Imaging

extension Scene {
    /// Shapes cut from painted paper and laid on fields of colour.
    mutating func cutouts(_ credits: CoverCredits) {
        let fields = [palette.bright, palette.pale, palette.accent, palette.mid, palette.deep]
        canvas.fill(palette.pale)
        let columns = 3
        let cell = width / Double(columns)
        let rows = 3
        var last = -1
        for index in 0..<(columns * rows) {
            var ground = random.integer(in: 0...4)
            if ground == last { ground = (ground + 1) % 5 }
            last = ground
            let (x, y) = (Double(index % columns) * cell, Double(index / columns) * height * 0.28)
            canvas.rectangle(
                x: x, y: y, width: cell + 1, height: height * 0.28 + 1, colour: fields[ground])
            let ink = fields[(ground + random.integer(in: 1...4)) % 5]
            cutout(x: x + cell / 2, y: y + height * 0.14, size: cell * 0.36, colour: ink)
        }
        canvas.rectangle(
            x: 0, y: height * 0.84, width: width, height: height * 0.16 + 1,
            colour: palette.pale)
        letter(
            credits.title, .bookman, largest: 58, x: width * 0.05, y: height * 0.862,
            width: width * 0.9, height: height * 0.068, colour: palette.night)
        letter(
            credits.artist, .geometric, largest: 32, x: width * 0.05, y: height * 0.935,
            width: width * 0.9, height: height * 0.04, colour: palette.night)
    }

    private mutating func cutout(x: Double, y: Double, size: Double, colour: RGB) {
        let middle = Point(x, y)
        let turn = random.number(in: 0...360)
        switch random.integer(in: 0...3) {
        case 0:
            canvas.polygon(blob(x: x, y: y, radius: size * 0.8, wobble: 0.34), colour: colour)
        case 1:
            // Seaweed: a stem with rounded leaves.
            for leaf in -3...3 {
                for side in [-1.0, 1.0] {
                    let root = Point(x, y + Double(leaf) * size * 0.26)
                    let tip = Point(root.x + side * size * 0.42, root.y - size * 0.2)
                    let path = [root, tip].map { $0.rotated(turn, around: middle) }
                    canvas.line(
                        from: path[0], to: path[1], width: size * 0.19, colour: colour)
                }
            }
            let ends = [Point(x, y - size * 0.9), Point(x, y + size * 0.9)].map {
                $0.rotated(turn, around: middle)
            }
            canvas.line(from: ends[0], to: ends[1], width: size * 0.16, colour: colour)
        case 2:
            let petals = random.integer(in: 5...8)
            for petal in 0..<petals {
                let at = Point(x + size * 0.46, y).rotated(
                    turn + Double(petal) * 360 / Double(petals), around: middle)
                canvas.ellipse(
                    x: at.x, y: at.y, radiusX: size * 0.44, radiusY: size * 0.2,
                    rotation: turn + Double(petal) * 360 / Double(petals), colour: colour)
            }
        default:
            // A bird, or a fish.
            let wing = Self.curve(
                Point(x - size, y), Point(x - size * 0.2, y - size * 0.9),
                Point(x + size * 0.5, y - size * 0.5), Point(x + size * 0.9, y - size * 0.1))
            let belly = Self.curve(
                Point(x + size * 0.9, y - size * 0.1), Point(x + size * 0.3, y + size * 0.6),
                Point(x - size * 0.3, y + size * 0.4), Point(x - size, y))
            canvas.polygon(
                (wing + belly).map { $0.rotated(turn / 6 - 30, around: middle) }, colour: colour)
        }
    }
}
