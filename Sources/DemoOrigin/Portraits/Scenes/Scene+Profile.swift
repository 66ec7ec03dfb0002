import Imaging

extension Scene {
    /// A cut-out seen from the side, with another picture inside it.
    mutating func cutProfile() {
        let paper = random.pick([palette.pale, palette.bright, palette.accent])
        canvas.fill(paper)
        canvas.circle(
            x: width * 0.6, y: height * 0.4, radius: width * 0.33,
            colour: paper == palette.accent ? palette.pale : palette.accent, alpha: 0.9)
        canvas.noise(seed: random.next(), scale: width * 0.3, strength: 0.05, octaves: 4)
        let isLeft = random.chance(0.5)
        let size = width * 0.62
        let middle = Point(width * 0.5, height * 0.5)
        func place(_ points: [Point], grow: Double = 1, lift: Double = 0) -> [Point] {
            points.map { point in
                Point(
                    middle.x + (isLeft ? 1 : -1) * point.x * size * grow,
                    middle.y + point.y * size * grow + lift)
            }
        }
        // Facing left: forehead, nose, lips, chin, throat; then the back of the head.
        let outline = Self.profile([
            Point(-0.08, -0.62), Point(-0.27, -0.52), Point(-0.33, -0.34), Point(-0.345, -0.22),
            Point(-0.44, -0.07), Point(-0.425, -0.035), Point(-0.36, -0.02), Point(-0.385, 0.035),
            Point(-0.36, 0.065), Point(-0.375, 0.11), Point(-0.34, 0.14), Point(-0.345, 0.23),
            Point(-0.25, 0.28), Point(-0.12, 0.3), Point(-0.1, 0.42), Point(-0.22, 0.58),
            Point(-0.5, 0.7), Point(-0.62, 0.9), Point(-0.62, 1.4), Point(0.62, 1.4),
            Point(0.6, 0.88), Point(0.4, 0.66), Point(0.24, 0.5), Point(0.24, 0.3),
            Point(0.38, 0.05), Point(0.4, -0.28), Point(0.24, -0.56), Point(0, -0.64),
            Point(-0.08, -0.62),
        ])
        canvas.polygon(place(outline, grow: 1.03), colour: palette.night, alpha: 0.25)
        let layers = [palette.night, palette.deep, palette.mid, palette.bright, palette.pale]
        for (index, colour) in layers.enumerated() {
            let grow = 1 - Double(index) * 0.15
            canvas.polygon(
                place(outline, grow: grow, lift: Double(index) * height * 0.05), colour: colour)
        }
        let star = place([Point(0.02, -0.22)])[0]
        canvas.glow(
            x: star.x, y: star.y, radius: width * 0.24, colour: palette.pale, strength: 0.75)
        for petal in 0..<12 {
            let at = Point(star.x + width * 0.05, star.y).rotated(
                Double(petal) * 30, around: star)
            canvas.line(from: star, to: at, width: 5 * unit, colour: palette.accent)
        }
    }
}
