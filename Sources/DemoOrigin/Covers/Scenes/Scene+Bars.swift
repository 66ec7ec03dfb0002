import Imaging

extension Scene {
    /// Jazz of the sixties: heavy type, one printing ink besides black, and a rhythm of bars.
    mutating func bars(_ credits: CoverCredits) {
        canvas.fill(palette.pale)
        let tint = random.pick([palette.accent, palette.bright, palette.mid])
        let isTop = random.chance(0.5)
        let split = height * 0.56
        let top = isTop ? height - split : 0
        canvas.rectangle(x: 0, y: top, width: width, height: split, colour: tint)
        switch random.integer(in: 0...2) {
        case 0: keys(top: top, height: split)
        case 1: rhythm(top: top, height: split)
        default: repeats(top: top, height: split)
        }
        let y = isTop ? 0.04 : 0.59
        let used = letter(
            credits.artist, .narrow, largest: 150, x: width * 0.05, y: height * y,
            width: width * 0.9, height: height * 0.24, colour: palette.night)
        letter(
            credits.title, .narrow, largest: 92, x: width * 0.05,
            y: height * y + used + height * 0.008, width: width * 0.9,
            height: max(height * (y + 0.36) - height * y - used, height * 0.06),
            colour: tint == palette.mid ? palette.deep : palette.mid)
        letter(
            "\(credits.label) \(4_000 + credits.number)", .grotesque, largest: 18,
            x: width * 0.05, y: isTop ? height * 0.972 : height * 0.012, width: width * 0.9,
            height: height * 0.03, colour: palette.night, alignment: .trailing)
    }

    private mutating func keys(top: Double, height: Double) {
        let count = 11
        let gap = width / Double(count)
        for key in 0..<count {
            let long = height * random.number(in: 0.3...0.95)
            canvas.rectangle(
                x: Double(key) * gap + gap * 0.12, y: top, width: gap * 0.76, height: long,
                colour: palette.night)
        }
    }

    private mutating func rhythm(top: Double, height: Double) {
        for row in 0..<4 {
            var x = 0.0
            let band = height / 4
            while x < width {
                let wide = width * random.pick([0.04, 0.08, 0.16, 0.03])
                if random.chance(0.55) {
                    canvas.rectangle(
                        x: x, y: top + Double(row) * band + band * 0.1, width: wide,
                        height: band * 0.8,
                        colour: random.chance(0.8) ? palette.night : palette.pale)
                }
                x += wide + width * 0.015
            }
        }
    }

    /// The same disc again and again, and one that is different.
    private mutating func repeats(top: Double, height: Double) {
        let columns = 6
        let gap = width / Double(columns)
        let rows = max(1, Int(height / gap))
        let other = random.integer(in: 0...(columns * rows - 1))
        let inset = (height - Double(rows) * gap) / 2
        for cell in 0..<(columns * rows) {
            let x = (Double(cell % columns) + 0.5) * gap
            let y = top + inset + (Double(cell / columns) + 0.5) * gap
            canvas.circle(
                x: x, y: y, radius: gap * 0.4,
                colour: cell == other ? palette.pale : palette.night)
            if cell == other {
                canvas.circle(x: x, y: y, radius: gap * 0.16, colour: palette.night)
            } else {
                canvas.circle(
                    x: x, y: y, radius: gap * 0.07,
                    colour: palette.night.mixed(with: palette.pale, 0.6))
            }
        }
    }
}
