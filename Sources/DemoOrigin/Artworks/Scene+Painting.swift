import Imaging

extension Scene {
    /// The picture, and what centuries have laid over it.
    mutating func paint(_ subject: ArtworkSubject) {
        switch subject {
        case .stillLife: stillLife()
        case .harbour: harbour()
        case .portrait: ruffPortrait()
        case .windmill: windmill()
        case .winter: winter()
        case .tiles: tiles()
        case .bouquet: bouquet()
        case .interior: interior()
        }
        guard subject != .tiles else { return glaze() }
        canvas.noise(seed: random.next(), scale: 22 * unit, strength: 0.06, octaves: 2)
        weave()
        canvas.vignette(strength: 0.34)
        canvas.grain(seed: random.next(), strength: 0.014)
    }

    /// Threads of the canvas under the paint, the same number at every size.
    private func weave() {
        let gap = 5.2 * unit
        // Finer than a pixel they are no threads but a veil.
        guard gap > 1.6 else { return }
        for (index, at) in stride(from: 0, to: max(width, height), by: gap).enumerated() {
            let alpha = index.isMultiple(of: 2) ? 0.036 : 0.02
            if at < height {
                canvas.rectangle(
                    x: 0, y: at, width: width, height: gap * 0.42, colour: palette.night,
                    alpha: alpha)
            }
            if at < width {
                canvas.rectangle(
                    x: at, y: 0, width: gap * 0.42, height: height, colour: palette.night,
                    alpha: alpha)
            }
        }
    }

    /// Light on tin glaze.
    private mutating func glaze() {
        canvas.noise(seed: random.next(), scale: 80 * unit, strength: 0.05, octaves: 2)
        canvas.glow(
            x: width * 0.28, y: height * 0.2, radius: max(width, height) * 0.5,
            colour: palette.pale, strength: 0.22)
        canvas.vignette(strength: 0.16)
        canvas.grain(seed: random.next(), strength: 0.01)
    }

    /// Visible brushwork: short strokes of nearly one colour over an area.
    mutating func strokes(
        _ count: Int, x: ClosedRange<Double>, y: ClosedRange<Double>, length: Double,
        thickness: Double, angle: ClosedRange<Double>, colours: [RGB], alpha: Double
    ) {
        for _ in 0..<count {
            let long = length * random.number(in: 0.5...1.4)
            canvas.ellipse(
                x: random.number(in: x), y: random.number(in: y), radiusX: long,
                radiusY: thickness * random.number(in: 0.5...1.3),
                rotation: random.number(in: angle), colour: random.pick(colours),
                alpha: alpha * random.number(in: 0.4...1))
        }
    }

    /// A sky of the low countries: most of the picture, with clouds lit from one side.
    mutating func dutchSky(horizon: Double) {
        canvas.gradient([
            GradientStop(0, palette.mid.mixed(with: RGB(hex: 0x6F93B5), 0.5)),
            GradientStop(horizon * 0.7 / height, palette.bright),
            GradientStop(horizon / height, palette.pale), GradientStop(1, palette.mid),
        ])
        strokes(
            130, x: 0...width, y: 0...horizon, length: 120 * unit, thickness: 16 * unit,
            angle: -14...6, colours: [palette.pale, palette.bright, palette.mid], alpha: 0.16)
        for _ in 0..<random.integer(in: 4...6) {
            cloud(
                x: random.number(in: 0...width), y: random.number(in: 0.08...0.72) * horizon,
                size: random.number(in: 0.5...1.2) * horizon * 0.3)
        }
        strokes(
            40, x: 0...width, y: (horizon * 0.72)...horizon, length: 170 * unit,
            thickness: 7 * unit, angle: -3...3, colours: [palette.pale, palette.bright],
            alpha: 0.22)
    }

    private mutating func cloud(x: Double, y: Double, size: Double) {
        for layer in 0..<3 {
            let tone = [
                palette.mid.mixed(with: palette.bright, 0.3), palette.bright, palette.pale,
            ][layer]
            for _ in 0..<44 {
                let spread = random.number(in: -1...1)
                let lift = random.number(in: 0...1) * (1 - abs(spread))
                canvas.ellipse(
                    x: x + spread * size * 1.5 - Double(layer) * size * 0.05,
                    y: y - lift * size * 0.8 + (2 - Double(layer)) * size * 0.1,
                    radiusX: size * random.number(in: 0.16...0.42) * (1.1 - Double(layer) * 0.2),
                    radiusY: size * random.number(in: 0.1...0.26) * (1.1 - Double(layer) * 0.2),
                    colour: tone, alpha: 0.11)
            }
        }
    }

    /// Towers, roofs and trees far away.
    mutating func skyline(horizon: Double, colour: RGB) {
        var x = width * random.number(in: 0.0...0.3)
        let end = x + width * random.number(in: 0.4...0.75)
        while x < min(end, width) {
            let wide = random.number(in: 12...30) * unit
            let tall = random.number(in: 7...20) * unit
            canvas.polygon(
                [
                    Point(x, horizon + 2 * unit), Point(x, horizon - tall),
                    Point(x + wide / 2, horizon - tall - 9 * unit),
                    Point(x + wide, horizon - tall), Point(x + wide, horizon + 2 * unit),
                ], colour: colour, alpha: 0.85)
            if random.chance(0.12) { spire(x: x + wide / 2, foot: horizon, colour: colour) }
            x += wide * random.number(in: 0.7...1.3)
        }
    }

    private mutating func spire(x: Double, foot: Double, colour: RGB) {
        let tall = random.number(in: 60...110) * unit
        canvas.rectangle(
            x: x - 8 * unit, y: foot - tall * 0.6, width: 16 * unit, height: tall * 0.6,
            colour: colour)
        canvas.polygon(
            [
                Point(x - 10 * unit, foot - tall * 0.58), Point(x, foot - tall),
                Point(x + 10 * unit, foot - tall * 0.58),
            ], colour: colour)
    }
}
