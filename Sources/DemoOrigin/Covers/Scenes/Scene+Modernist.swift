import Imaging

extension Scene {
    /// Great plain shapes that overlap, and small type on a grid.
    mutating func modernist(_ credits: CoverCredits) {
        let isDark = random.chance(0.25)
        let paper = isDark ? palette.night : palette.pale
        let ink = isDark ? palette.pale : palette.night
        canvas.fill(paper)
        let colours = [
            palette.accent, palette.mid, palette.bright, isDark ? palette.pale : palette.deep,
        ]
        let module = width / 4
        switch random.integer(in: 0...2) {
        case 0: discs(colours, module)
        case 1: quarters(colours, module)
        default: diagonals(colours, module)
        }
        let margin = width * 0.06
        letter(
            credits.artist, .grotesque, largest: 46, x: margin, y: height * 0.055,
            width: width * 0.62, height: height * 0.12, colour: ink)
        letter(
            credits.title, .geometric, largest: 46, x: margin, y: height * 0.85,
            width: width * 0.7, height: height * 0.12, colour: ink)
        letter(
            "\(credits.label)\n\(credits.year)", .geometric, largest: 20, x: width * 0.74,
            y: height * 0.064, width: width * 0.2, height: height * 0.1, colour: ink,
            alignment: .trailing)
    }

    private mutating func discs(_ colours: [RGB], _ module: Double) {
        let middle = Point(width / 2, height * 0.52)
        for index in 0..<3 {
            let angle = random.number(in: 0...40) + Double(index) * 120
            let at = Point(middle.x + module * 0.72, middle.y).rotated(angle, around: middle)
            canvas.circle(
                x: at.x, y: at.y, radius: module * random.number(in: 0.8...1.2),
                colour: colours[index], alpha: 0.82)
        }
        canvas.circle(x: middle.x, y: middle.y, radius: module * 0.3, colour: colours[3])
    }

    /// Quarter circles on a grid of four by three, some of them left out.
    private mutating func quarters(_ colours: [RGB], _ module: Double) {
        let side = (width * 0.88) / 4
        let (left, top) = (width * 0.06, height * 0.17)
        for cell in 0..<12 where random.chance(0.88) {
            let x = left + Double(cell % 4) * side
            let y = top + Double(cell / 4) * side
            let middle = Point(x + side / 2, y + side / 2)
            let turn = Double(random.integer(in: 0...3)) * 90
            let reach = random.chance(0.8) ? side : side / 2
            let pie =
                [Point(x, y)]
                + Self.arc(x: x, y: y, radiusX: reach, radiusY: reach, from: 0, to: 90)
            canvas.polygon(
                pie.map { $0.rotated(turn, around: middle) }, colour: random.pick(colours))
        }
    }

    private mutating func diagonals(_ colours: [RGB], _ module: Double) {
        let turn = random.pick([-45.0, 45, 30, -30])
        let middle = Point(width / 2, height / 2)
        for index in 0..<6 {
            let y = height * 0.22 + Double(index) * module * 0.42
            let long = module * random.number(in: 1.2...3.6)
            let x = width * random.number(in: 0.3...0.7)
            let thick = module * 0.3
            let body = [
                Point(x - long / 2, y), Point(x + long / 2, y), Point(x + long / 2, y + thick),
                Point(x - long / 2, y + thick),
            ]
            canvas.polygon(
                body.map { $0.rotated(turn, around: middle) },
                colour: colours[index % colours.count], alpha: 0.9)
        }
        canvas.circle(
            x: width * 0.72, y: height * 0.36, radius: module * 0.62, colour: colours[0],
            alpha: 0.92)
    }
}
