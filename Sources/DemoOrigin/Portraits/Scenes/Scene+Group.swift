import Imaging

extension Scene {
    /// Silhouettes side by side, before a sun or a wall of light.
    mutating func group(_ members: Int) {
        canvas.gradient([
            GradientStop(0, palette.deep), GradientStop(0.5, palette.mid),
            GradientStop(1, palette.bright),
        ])
        if random.chance(0.6) {
            sun(
                x: width * random.number(in: 0.4...0.6), y: height * 0.4,
                radius: width * random.number(in: 0.2...0.3), colour: palette.accent,
                light: palette.pale, strength: 0.55)
        } else {
            for stripe in 0..<5 {
                canvas.rectangle(
                    x: width * (0.08 + 0.18 * Double(stripe)), y: height * 0.1,
                    width: width * 0.12, height: height * 0.72, colour: palette.accent,
                    alpha: 0.35 + 0.13 * Double(stripe % 3))
            }
        }
        canvas.noise(seed: random.next(), scale: width * 0.4, strength: 0.07, octaves: 4)
        let count = min(max(members, 2), 5)
        let order = (0..<count).sorted { abs($0 * 2 - count + 1) > abs($1 * 2 - count + 1) }
        for position in order {
            let share = (Double(position) + 0.5) / Double(count)
            let front = 1 - abs(share - 0.5)
            let head = width * 0.085 * (0.75 + front * 0.45)
            let tone = palette.night.mixed(with: palette.deep, 0.75 * (1 - front))
            figure(
                Point(
                    width * (0.1 + 0.8 * share) + random.number(in: -12...12) * unit,
                    height * (0.62 - front * 0.14) + random.number(in: -26...26) * unit), head, tone
            )
        }
    }

    private mutating func figure(_ at: Point, _ head: Double, _ colour: RGB) {
        let rim = palette.accent.mixed(with: palette.pale, 0.4)
        for (shift, tone) in [(-head * 0.07, rim), (0, colour)] {
            let centre = Point(at.x + shift, at.y + shift * 0.5)
            canvas.ellipse(
                x: centre.x, y: centre.y, radiusX: head * 0.8, radiusY: head, colour: tone)
            canvas.rectangle(
                x: centre.x - head * 0.32, y: centre.y, width: head * 0.64, height: head * 1.5,
                colour: tone)
            let right = Self.curve(
                Point(centre.x + head * 0.3, centre.y + head * 1.1),
                Point(centre.x + head * 1.3, centre.y + head * 1.4),
                Point(centre.x + head * 1.8, centre.y + head * 1.6),
                Point(centre.x + head * 1.9, height + head * 4))
            let left = right.reversed().map { Point(2 * centre.x - $0.x, $0.y) }
            canvas.polygon(right + left, colour: tone)
        }
        switch random.integer(in: 0...4) {
        case 0:
            canvas.circle(
                x: at.x, y: at.y - head * 0.3, radius: head * 1.2, colour: colour)
        case 1:
            canvas.rectangle(
                x: at.x - head, y: at.y - head, width: head * 2, height: head * 2.6,
                cornerRadius: head * 0.9, colour: colour)
        case 2:
            canvas.ellipse(
                x: at.x, y: at.y - head * 0.62, radiusX: head * 1.5, radiusY: head * 0.18,
                colour: colour)
            canvas.rectangle(
                x: at.x - head * 0.75, y: at.y - head * 1.5, width: head * 1.5, height: head,
                cornerRadius: head * 0.3, colour: colour)
        case 3:
            canvas.circle(
                x: at.x + head * 0.1, y: at.y - head * 1.2, radius: head * 0.4, colour: colour)
        default: break
        }
    }
}
