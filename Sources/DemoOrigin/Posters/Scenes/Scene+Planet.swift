import Imaging

extension Scene {
    /// A planet in its light, at times with rings, among stars and dust.
    mutating func planet() -> TitleArea {
        canvas.gradient(
            [
                GradientStop(0, palette.night), GradientStop(0.6, palette.deep),
                GradientStop(1, palette.night),
            ], angle: random.number(in: 10...60))
        for _ in 0..<4 {
            canvas.glow(
                x: random.fraction() * width, y: random.number(in: 0.1...0.9) * height,
                radius: random.number(in: 250...480) * unit,
                colour: random.chance(0.5) ? palette.mid : palette.bright, strength: 0.28)
        }
        canvas.noise(seed: random.next(), scale: 300 * unit, strength: 0.22, octaves: 6)
        stars(260, above: height * 1.1, colour: palette.pale)
        let centre = Point(
            width * random.number(in: 0.3...0.7), height * random.number(in: 0.58...0.68))
        let radius = random.number(in: 170...250) * unit
        let tilt = random.number(in: -32...32)
        let light = random.chance(0.5) ? -45.0 : 205.0
        let hasRings = random.chance(0.55)
        canvas.glow(
            x: centre.x, y: centre.y, radius: radius * 1.7, colour: palette.accent, strength: 0.5)
        if hasRings { rings(centre, radius: radius, tilt: tilt, behind: true) }
        globe(centre, radius: radius, tilt: tilt, light: light)
        if hasRings { rings(centre, radius: radius, tilt: tilt, behind: false) }
        for _ in 0..<random.integer(in: 1...2) {
            let moon = Point(
                centre.x + random.pick([-1, 1]) * radius * random.number(in: 1.1...1.35),
                centre.y + random.number(in: -1.0...0.9) * radius)
            globe(moon, radius: random.number(in: 13...34) * unit, tilt: tilt, light: light)
        }
        trail()
        return TitleArea(
            top: 0.06, bottom: 0.33, colour: palette.pale, shade: palette.night,
            typefaces: [.light, .geometric, .narrow, .grotesque])
    }

    private mutating func globe(_ centre: Point, radius: Double, tilt: Double, light: Double) {
        let base = palette.tone(random.number(in: 0.55...0.75))
        canvas.circle(x: centre.x, y: centre.y, radius: radius, colour: base)
        var from = -1.0
        while from < 0.98 {
            let to = min(from + random.number(in: 0.05...0.24), 0.999)
            let colour = base.mixed(
                with: random.pick([palette.mid, palette.pale, palette.accent, palette.bright]),
                random.number(in: 0.1...0.5))
            band(centre, radius: radius, tilt: tilt, from: from, to: to, colour: colour)
            from = to
        }
        // Night falls in steps too small to see.
        for step in 0..<24 {
            let reach = -0.72 + Double(step) * 0.07
            let outer = Self.arc(
                x: centre.x, y: centre.y, radiusX: radius, radiusY: radius, from: -90, to: 90)
            let inner = Self.arc(
                x: centre.x, y: centre.y, radiusX: radius * reach, radiusY: radius, from: 90,
                to: -90)
            canvas.polygon(
                (outer + inner).map { $0.rotated(light + 180, around: centre) },
                colour: palette.night, alpha: 0.1)
        }
    }

    /// A stripe of a globe between two latitudes, −1…1.
    private func band(
        _ centre: Point, radius: Double, tilt: Double, from: Double, to: Double, colour: RGB
    ) {
        let edge = (0...10).map { step -> (offset: Double, half: Double) in
            let latitude = from + (to - from) * Double(step) / 10
            return (latitude * radius, max(0, 1 - latitude * latitude).squareRoot() * radius)
        }
        let right = edge.map { Point(centre.x + $0.half, centre.y + $0.offset) }
        let left = edge.reversed().map { Point(centre.x - $0.half, centre.y + $0.offset) }
        canvas.polygon((right + left).map { $0.rotated(tilt, around: centre) }, colour: colour)
    }

    private func rings(_ centre: Point, radius: Double, tilt: Double, behind: Bool) {
        let (from, to) = behind ? (180.0, 360.0) : (0.0, 180.0)
        for (inner, outer, alpha) in [(1.3, 1.5, 0.75), (1.53, 1.72, 0.5), (1.76, 1.82, 0.8)] {
            let far = Self.arc(
                x: centre.x, y: centre.y, radiusX: radius * outer, radiusY: radius * outer * 0.24,
                from: from, to: to)
            let near = Self.arc(
                x: centre.x, y: centre.y, radiusX: radius * inner, radiusY: radius * inner * 0.24,
                from: to, to: from)
            canvas.polygon(
                (far + near).map { $0.rotated(tilt, around: centre) },
                colour: palette.pale.mixed(with: palette.accent, outer - 1.3), alpha: alpha)
        }
    }

    /// A small ship and what it leaves behind.
    private mutating func trail() {
        let head = Point(
            width * random.number(in: 0.2...0.8), height * random.number(in: 0.36...0.44))
        let slope = random.number(in: -0.5 ... -0.2)
        for step in 0..<40 {
            let x = head.x - Double(step) * 4 * unit
            canvas.circle(
                x: x, y: head.y - slope * Double(step) * 4 * unit, radius: 1.5 * unit,
                colour: palette.pale, alpha: 0.8 * (1 - Double(step) / 40))
        }
        canvas.glow(x: head.x, y: head.y, radius: 16 * unit, colour: palette.pale, strength: 0.9)
    }
}
