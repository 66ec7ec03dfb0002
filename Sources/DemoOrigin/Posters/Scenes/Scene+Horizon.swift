import Imaging

extension Scene {
    /// One great disc, one line, one small thing: a boat, a tree, a walker, a wire with birds.
    mutating func horizon() -> TitleArea {
        let isDark = random.chance(0.4)
        let paper = isDark ? palette.deep : palette.pale
        let ink = isDark ? palette.pale : palette.night
        canvas.gradient([
            GradientStop(0, paper),
            GradientStop(1, paper.mixed(with: isDark ? palette.night : palette.bright, 0.35)),
        ])
        let disc = Point(
            width * random.number(in: 0.36...0.64), height * random.number(in: 0.33...0.4))
        let radius = random.number(in: 190...255) * unit
        let tint = random.chance(0.6) ? palette.accent : (isDark ? palette.bright : palette.mid)
        canvas.circle(x: disc.x, y: disc.y, radius: radius, colour: tint)
        let line = disc.y + radius * random.number(in: 0.35...0.75)
        canvas.noise(seed: random.next(), scale: 140 * unit, strength: 0.07, octaves: 5)
        let motif = random.integer(in: 0...3)
        switch motif {
        case 0: sail(at: line, under: disc, radius: radius, tint: tint, paper: paper, ink: ink)
        case 1: tree(at: line, x: disc.x - radius * 0.25, ink: ink)
        case 2: walker(at: line, x: disc.x + radius * 0.3, ink: ink)
        default: wires(at: line, ink: ink)
        }
        // A tree and a walker stand on land in the ink's colour, which reaches down to the edge.
        let colour = motif == 1 || motif == 2 ? paper : ink
        return TitleArea(
            top: 0.62, bottom: 0.9, atBottom: true, colour: colour, creditsColour: colour,
            typefaces: [.bookish, .geometric, .century, .grotesque, .narrow])
    }

    private mutating func sail(
        at line: Double, under disc: Point, radius: Double, tint: RGB, paper: RGB, ink: RGB
    ) {
        canvas.rectangle(
            x: 0, y: line, width: width, height: height - line,
            colour: paper.mixed(with: palette.mid, 0.22))
        // The disc's reflection, broken by the water.
        for strip in 0..<16 {
            let y = line + (6 + Double(strip) * 9) * unit
            let half = radius * (0.9 - Double(strip) * 0.05) * random.number(in: 0.5...1)
            canvas.rectangle(
                x: disc.x - half + random.number(in: -14...14) * unit, y: y, width: half * 2,
                height: 4 * unit, cornerRadius: 2 * unit, colour: tint,
                alpha: 0.75 - Double(strip) * 0.04)
        }
        let x = disc.x + radius * random.number(in: -0.5...0.5)
        canvas.polygon(
            [
                Point(x, line - 96 * unit), Point(x, line - 16 * unit),
                Point(x - 50 * unit, line - 16 * unit),
            ], colour: ink)
        canvas.polygon(
            [
                Point(x + 6 * unit, line - 80 * unit), Point(x + 6 * unit, line - 16 * unit),
                Point(x + 36 * unit, line - 16 * unit),
            ], colour: ink)
        canvas.polygon(
            [
                Point(x - 56 * unit, line - 10 * unit), Point(x + 48 * unit, line - 10 * unit),
                Point(x + 30 * unit, line + 8 * unit), Point(x - 40 * unit, line + 8 * unit),
            ], colour: ink)
    }

    private mutating func tree(at line: Double, x: Double, ink: RGB) {
        canvas.ellipse(
            x: width * 0.46, y: line + 1_190 * unit, radiusX: width * 2, radiusY: 1_200 * unit,
            colour: ink)
        branch(
            from: Point(x, line + 8 * unit), angle: -90, length: 58 * unit, width: 10 * unit,
            depth: 7, ink: ink)
    }

    private mutating func branch(
        from: Point, angle: Double, length: Double, width: Double, depth: Int, ink: RGB
    ) {
        let end = Point(from.x + length, from.y).rotated(angle, around: from)
        canvas.line(from: from, to: end, width: width, colour: ink)
        guard depth > 0 else { return }
        for side in [-1.0, 1.0] {
            branch(
                from: end, angle: angle + side * random.number(in: 12...34),
                length: length * random.number(in: 0.68...0.86), width: width * 0.68,
                depth: depth - 1, ink: ink)
        }
    }

    private mutating func walker(at line: Double, x: Double, ink: RGB) {
        canvas.rectangle(
            x: 0, y: line, width: width, height: height - line, colour: ink)
        canvas.circle(x: x, y: line - 62 * unit, radius: 8 * unit, colour: ink)
        canvas.polygon(
            [
                Point(x - 4 * unit, line - 54 * unit), Point(x + 5 * unit, line - 54 * unit),
                Point(x + 15 * unit, line - 18 * unit), Point(x - 13 * unit, line - 18 * unit),
            ], colour: ink)
        for side in [-1.0, 1.0] {
            canvas.line(
                from: Point(x + side * 3 * unit, line - 22 * unit),
                to: Point(x + side * 10 * unit, line + 2 * unit), width: 6 * unit, colour: ink)
        }
        canvas.line(
            from: Point(x + 10 * unit, line - 40 * unit), to: Point(x + 22 * unit, line),
            width: 2.5 * unit, colour: ink)
    }

    private mutating func wires(at line: Double, ink: RGB) {
        for wire in 0..<3 {
            let y = line - 120 * unit + Double(wire) * 46 * unit
            let sag = random.number(in: 26...60) * unit
            let points = Self.curve(
                Point(-10, y), Point(width * 0.3, y + sag), Point(width * 0.7, y + sag),
                Point(width + 10, y - 30 * unit))
            for (from, to) in zip(points, points.dropFirst()) {
                canvas.line(from: from, to: to, width: 2.2 * unit, colour: ink)
            }
            for point in points.dropFirst(2).dropLast(2) where random.chance(0.38) {
                canvas.ellipse(
                    x: point.x, y: point.y - 9 * unit, radiusX: 11 * unit, radiusY: 7 * unit,
                    rotation: -35, colour: ink)
                canvas.circle(
                    x: point.x + 7 * unit, y: point.y - 17 * unit, radius: 5.2 * unit,
                    colour: ink)
                canvas.line(
                    from: Point(point.x - 7 * unit, point.y - 4 * unit),
                    to: Point(point.x - 16 * unit, point.y + 6 * unit), width: 4 * unit,
                    colour: ink)
            }
        }
    }
}
