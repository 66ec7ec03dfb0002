import Imaging

extension Scene {
    /// One thing in much space.
    mutating func minimal(_ credits: CoverCredits) {
        let isDark = random.chance(0.35)
        let paper = isDark ? palette.night : random.chance(0.3) ? palette.bright : palette.pale
        let ink = isDark ? palette.pale : palette.night
        canvas.fill(paper)
        let middle = Point(
            width * random.number(in: 0.42...0.58), height * random.number(in: 0.42...0.52))
        let size = width * random.number(in: 0.13...0.24)
        switch random.integer(in: 0...5) {
        case 0:
            canvas.circle(x: middle.x, y: middle.y, radius: size, colour: palette.accent)
            canvas.rectangle(
                x: middle.x - size * 1.1, y: middle.y, width: size * 2.2, height: size * 1.1,
                colour: paper)
            stroke(
                [Point(width * 0.12, middle.y), Point(width * 0.88, middle.y)], width: 3 * unit,
                colour: ink)
        case 1:
            for step in 0..<7 {
                let share = 1 - Double(step) / 7
                canvas.circle(
                    x: middle.x, y: middle.y + size * Double(step) * 0.1, radius: size * share,
                    colour: paper.mixed(with: palette.accent, 0.16 + 0.12 * Double(step)))
            }
        case 2:
            canvas.rectangle(
                x: middle.x - size * 0.8, y: middle.y - size * 0.8, width: size * 1.6,
                height: size * 1.6, colour: palette.mid)
            canvas.rectangle(
                x: middle.x - size * 0.2, y: middle.y - size * 0.5, width: size * 1.6,
                height: size * 1.6, colour: palette.accent, alpha: 0.85)
        case 3:
            for line in 0..<12 {
                let y = middle.y - size + Double(line) * size * 2 / 11
                let half = size * (1 - abs(Double(line) - 5.5) / 7)
                stroke(
                    [Point(middle.x - half, y), Point(middle.x + half, y)], width: 5 * unit,
                    colour: line == 7 ? palette.accent : ink)
            }
        case 4:
            let shape = blob(x: middle.x, y: middle.y, radius: size, wobble: 0.2)
            canvas.polygon(shape, colour: palette.accent)
            canvas.circle(
                x: middle.x + size * 0.9, y: middle.y - size * 0.9, radius: size * 0.12,
                colour: ink)
        default:
            let arch = Self.arc(
                x: middle.x, y: middle.y, radiusX: size * 0.7, radiusY: size * 0.7, from: 180,
                to: 360)
            let low = middle.y + size * 1.2
            canvas.polygon(
                arch + [Point(middle.x + size * 0.7, low), Point(middle.x - size * 0.7, low)],
                colour: palette.mid)
            canvas.circle(
                x: middle.x, y: middle.y + size * 0.12, radius: size * 0.34,
                colour: palette.accent)
        }
        let typeface = random.pick([Typeface.light, .geometric, .century, .bookish])
        letter(
            credits.artist, typeface, largest: 28, x: width * 0.1, y: height * 0.865,
            width: width * 0.8, height: height * 0.04, colour: ink, alignment: .centre)
        letter(
            credits.title, typeface, largest: 22, x: width * 0.1, y: height * 0.905,
            width: width * 0.8, height: height * 0.035, colour: ink, alpha: 0.75,
            alignment: .centre)
    }
}
