import Foundation
import Imaging

extension Scene {
    /// Printed waves with a thin line along every crest, and a sun behind them.
    mutating func waves() -> TitleArea {
        canvas.gradient([
            GradientStop(0, palette.bright.mixed(with: palette.pale, 0.35)),
            GradientStop(0.6, palette.pale),
        ])
        canvas.noise(seed: random.next(), scale: 240 * unit, strength: 0.06, octaves: 5)
        let sunX = width * random.number(in: 0.28...0.72)
        let sunY = height * random.number(in: 0.26...0.34)
        let radius = random.number(in: 110...165) * unit
        canvas.glow(
            x: sunX, y: sunY, radius: radius * 2.4, colour: palette.accent, strength: 0.35)
        canvas.circle(x: sunX, y: sunY, radius: radius, colour: palette.accent)
        clouds(around: sunY)
        let rows = 8
        let boatRow = random.integer(in: 2...4)
        for row in 0..<rows {
            let share = Double(row) / Double(rows - 1)
            let colour =
                row.isMultiple(of: 2)
                ? palette.tone(0.62 - share * 0.55) : palette.tone(0.42 - share * 0.38)
            let base = height * (0.4 + share * 0.42)
            wave(base: base, reach: (14 + share * 34) * unit, share: share, colour: colour)
            if row == boatRow { boat(y: height * (0.4 + (share + 0.08) * 0.42) - 10 * unit) }
        }
        return TitleArea(
            top: 0.7, bottom: 0.905, atBottom: true, colour: palette.pale, shade: palette.night,
            typefaces: [.bookish, .century, .geometric, .narrow, .bookman])
    }

    /// One wave and the lines that follow its crest.
    private mutating func wave(base: Double, reach: Double, share: Double, colour: RGB) {
        let length = (150 + share * 170) * unit
        let phase = random.number(in: 0...6.28)
        let second = random.number(in: 0...6.28)
        func crest(_ x: Double) -> Double {
            let turn = x / length * 2 * Double.pi
            // Sharper above than below, as waves are.
            return base - reach * (exp(sin(turn + phase) * 0.9) - 1.2) * 0.6
                - reach * 0.3 * sin(turn * 0.43 + second)
        }
        let steps = max(2, Int(width / (7 * unit)))
        let xs = (0...steps).map { Double($0) * width / Double(steps) }
        let edge = xs.map { Point($0, crest($0)) }
        canvas.polygon(
            edge + [Point(width, height + 1), Point(0, height + 1)], colour: colour)
        let foam = palette.pale
        for line in 0..<4 {
            let drop = Double(line) * (8 + share * 5) * unit
            let thick = [4.2, 1.6, 1.2, 0.8][line] * unit * (0.7 + share * 0.5)
            for (from, to) in zip(edge, edge.dropFirst()) {
                canvas.line(
                    from: Point(from.x, from.y + drop), to: Point(to.x, to.y + drop),
                    width: thick, colour: foam, alpha: [0.95, 0.6, 0.4, 0.28][line])
            }
        }
    }

    private mutating func clouds(around y: Double) {
        for _ in 0..<random.integer(in: 3...5) {
            let x = random.number(in: 0...1) * width
            let top = y + random.number(in: -150...90) * unit
            for bar in 0..<3 {
                let wide = random.number(in: 90...210) * unit
                canvas.rectangle(
                    x: x - wide / 2 + random.number(in: -40...40) * unit,
                    y: top + Double(bar) * 13 * unit, width: wide, height: 9 * unit,
                    cornerRadius: 4.5 * unit, colour: palette.pale, alpha: 0.85)
            }
        }
    }

    private mutating func boat(y: Double) {
        let x = width * random.number(in: 0.25...0.75)
        let ink = palette.night
        canvas.polygon(
            Self.curve(
                Point(x - 62 * unit, y - 14 * unit), Point(x - 40 * unit, y + 22 * unit),
                Point(x + 40 * unit, y + 22 * unit), Point(x + 66 * unit, y - 20 * unit)),
            colour: ink)
        canvas.line(
            from: Point(x, y), to: Point(x, y - 108 * unit), width: 4 * unit, colour: ink)
        canvas.polygon(
            Self.curve(
                Point(x + 5 * unit, y - 104 * unit), Point(x + 52 * unit, y - 80 * unit),
                Point(x + 52 * unit, y - 50 * unit), Point(x + 5 * unit, y - 24 * unit)),
            colour: palette.pale)
        canvas.polygon(
            Self.curve(
                Point(x - 5 * unit, y - 92 * unit), Point(x - 36 * unit, y - 70 * unit),
                Point(x - 36 * unit, y - 46 * unit), Point(x - 5 * unit, y - 26 * unit)),
            colour: palette.pale.mixed(with: palette.bright, 0.5))
    }
}
