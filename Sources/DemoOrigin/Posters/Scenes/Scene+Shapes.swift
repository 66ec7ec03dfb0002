import Imaging

extension Scene {
    /// Tiles of plain shapes, as printed in the fifties.
    mutating func shapes() -> TitleArea {
        canvas.fill(palette.pale)
        let columns = max(2, Int((width / (170 * unit)).rounded()))
        let side = width / Double(columns)
        let isPoster = height > width
        let rows = isPoster ? Int(height * 0.7 / side) : Int((height / side).rounded(.up))
        var above = [Int](repeating: -1, count: columns)
        for row in 0..<rows {
            var before = -1
            for column in 0..<columns {
                let ground = otherThan([before, above[column]])
                tile(
                    x: Double(column) * side, y: Double(row) * side, side: side,
                    ground: colours[ground], ink: colours[otherThan([ground])],
                    second: colours[otherThan([ground])])
                before = ground
                above[column] = ground
            }
        }
        let foot = Double(rows) * side
        let dark = random.chance(0.6)
        canvas.rectangle(
            x: 0, y: foot, width: width, height: height - foot,
            colour: dark ? palette.night : palette.pale)
        // Ink never lies evenly.
        canvas.noise(seed: random.next(), scale: 60 * unit, strength: 0.05, octaves: 4)
        return TitleArea(
            top: foot / height + 0.035, bottom: 0.915,
            colour: dark ? palette.pale : palette.night,
            creditsColour: dark ? palette.pale : palette.night,
            typefaces: [.geometric, .grotesque, .bookish, .narrow])
    }

    private var colours: [RGB] {
        [palette.pale, palette.bright, palette.mid, palette.deep, palette.accent, palette.night]
    }

    private mutating func otherThan(_ taken: [Int]) -> Int {
        random.pick(colours.indices.filter { !taken.contains($0) })
    }

    private mutating func tile(
        x: Double, y: Double, side: Double, ground: RGB, ink: RGB, second: RGB
    ) {
        // A hair wider, so that no paper shows between tiles.
        canvas.rectangle(x: x, y: y, width: side + 0.7, height: side + 0.7, colour: ground)
        let corner = random.integer(in: 0...3)
        let middle = Point(x + side / 2, y + side / 2)
        func place(_ points: [Point], _ colour: RGB) {
            canvas.polygon(
                points.map { $0.rotated(Double(corner) * 90, around: middle) }, colour: colour)
        }
        func pie(_ radius: Double, _ colour: RGB) {
            place(
                [Point(x, y)]
                    + Self.arc(x: x, y: y, radiusX: radius, radiusY: radius, from: 0, to: 90),
                colour)
        }
        switch random.integer(in: 0...9) {
        case 0: pie(side, ink)
        case 1:
            for (ring, share) in [1, 0.75, 0.5, 0.25].enumerated() {
                pie(side * share, ring.isMultiple(of: 2) ? ink : ground)
            }
        case 2:
            place(
                Self.arc(
                    x: middle.x, y: y, radiusX: side / 2, radiusY: side / 2, from: 0, to: 180),
                ink)
            place(
                Self.arc(
                    x: middle.x, y: middle.y, radiusX: side / 2, radiusY: side / 2, from: 0,
                    to: 180), second)
        case 3:
            canvas.circle(x: middle.x, y: middle.y, radius: side * 0.42, colour: ink)
            canvas.circle(x: middle.x, y: middle.y, radius: side * 0.2, colour: second)
        case 4: place([Point(x, y), Point(x + side, y), Point(x, y + side)], ink)
        case 5:
            for stripe in stride(from: 0.0, to: 1, by: 0.25) {
                let top = y + side * stripe
                place(
                    [
                        Point(x, top), Point(x + side, top), Point(x + side, top + side / 8),
                        Point(x, top + side / 8),
                    ], ink)
            }
        case 6:
            place(
                Self.arc(x: x, y: y + side, radiusX: side, radiusY: side, from: -90, to: 0)
                    + Self.arc(x: x + side, y: y, radiusX: side, radiusY: side, from: 90, to: 180),
                ink)
        case 7:
            for dot in 0..<9 {
                canvas.circle(
                    x: x + side * (0.2 + 0.3 * Double(dot % 3)),
                    y: y + side * (0.2 + 0.3 * Double(dot / 3)), radius: side * 0.085,
                    colour: ink)
            }
        case 8:
            place([Point(x, y), Point(x + side, y), middle], ink)
            place([Point(x, y + side), Point(x + side, y + side), middle], second)
        default:
            canvas.circle(x: middle.x, y: middle.y, radius: side * 0.5, colour: ink)
            place(
                [
                    Point(x, y), Point(x + side, y), Point(x + side, y + side / 2),
                    Point(x, y + side / 2),
                ], ground)
        }
    }
}
