import Imaging

extension Scene {
    /// Small figures under great lights, seen over the heads of a crowd.
    mutating func stage(_ members: Int) {
        canvas.gradient([
            GradientStop(0, palette.night), GradientStop(0.7, palette.deep),
            GradientStop(1, palette.night),
        ])
        let floor = height * 0.74
        let count = min(max(members, 1), 5)
        let beams = [palette.accent, palette.bright, palette.pale, palette.mid]
        for beam in 0..<(count + 3) {
            let from = Point(
                width * (0.04 + 0.92 * Double(beam) / Double(count + 2)), -20 * unit)
            let to = width * random.number(in: 0.12...0.88)
            let wide = width * random.number(in: 0.07...0.16)
            for layer in 0..<4 {
                let share = 1 - Double(layer) * 0.22
                canvas.polygon(
                    [
                        Point(from.x - 6 * unit, from.y), Point(from.x + 6 * unit, from.y),
                        Point(to + wide * share, floor), Point(to - wide * share, floor),
                    ], colour: beams[beam % 4], alpha: 0.085)
            }
            canvas.glow(
                x: from.x, y: 0, radius: 110 * unit, colour: beams[beam % 4], strength: 0.9)
        }
        canvas.noise(seed: random.next(), scale: width * 0.35, strength: 0.1, octaves: 5)
        canvas.ellipse(
            x: width / 2, y: floor + 30 * unit, radiusX: width * 0.6, radiusY: 44 * unit,
            colour: palette.mid, alpha: 0.55)
        for player in 0..<count {
            let x = width * (Double(player) + 1) / Double(count + 1)
            musician(
                x: x + random.number(in: -20...20) * unit, foot: floor + 24 * unit,
                tall: height * (count == 1 ? 0.36 : 0.29))
        }
        crowd()
    }

    private mutating func musician(x: Double, foot: Double, tall: Double) {
        let ink = palette.night
        let lean = random.number(in: -0.06...0.06) * tall
        let hip = Point(x, foot - tall * 0.48)
        let neck = Point(x + lean, foot - tall * 0.83)
        canvas.glow(
            x: x, y: foot - tall * 0.6, radius: tall * 0.5, colour: palette.bright,
            strength: 0.5)
        for side in [-1.0, 1.0] {
            stroke(
                [hip, Point(x + side * tall * 0.1, foot)], width: tall * 0.085, colour: ink)
        }
        canvas.polygon(
            [
                Point(neck.x - tall * 0.11, neck.y + tall * 0.04),
                Point(neck.x + tall * 0.11, neck.y + tall * 0.04),
                Point(hip.x + tall * 0.075, hip.y + tall * 0.05),
                Point(hip.x - tall * 0.075, hip.y + tall * 0.05),
            ], colour: ink)
        canvas.ellipse(
            x: neck.x + lean * 0.4, y: neck.y - tall * 0.07, radiusX: tall * 0.06,
            radiusY: tall * 0.075, colour: ink)
        if random.chance(0.6) {
            // A guitar across the hip.
            stroke(
                [
                    Point(hip.x - tall * 0.06, hip.y - tall * 0.03),
                    Point(hip.x + tall * 0.34, hip.y - tall * 0.2),
                ], width: tall * 0.03, colour: palette.accent)
            canvas.ellipse(
                x: hip.x - tall * 0.08, y: hip.y - tall * 0.02, radiusX: tall * 0.12,
                radiusY: tall * 0.08, rotation: -22, colour: palette.accent)
            stroke(
                [
                    Point(neck.x + tall * 0.1, neck.y + tall * 0.07),
                    Point(hip.x + tall * 0.19, hip.y - tall * 0.14),
                ], width: tall * 0.045, colour: ink)
            stroke(
                [
                    Point(neck.x - tall * 0.1, neck.y + tall * 0.07),
                    Point(hip.x - tall * 0.08, hip.y - tall * 0.04),
                ], width: tall * 0.045, colour: ink)
        } else {
            // At a microphone.
            let mouth = Point(neck.x + tall * 0.1, neck.y - tall * 0.04)
            stroke(
                [Point(mouth.x + tall * 0.05, foot), mouth], width: tall * 0.018, colour: ink)
            canvas.circle(x: mouth.x, y: mouth.y, radius: tall * 0.024, colour: palette.pale)
            for side in [-1.0, 1.0] {
                stroke(
                    [
                        Point(neck.x + side * tall * 0.1, neck.y + tall * 0.07),
                        Point(neck.x + side * tall * 0.13 + tall * 0.05, neck.y + tall * 0.2),
                        Point(mouth.x + tall * 0.01, mouth.y + tall * 0.04),
                    ], width: tall * 0.042, colour: ink)
            }
        }
    }

    private mutating func crowd() {
        for row in 0..<3 {
            let y = height * (0.86 + 0.055 * Double(row))
            var x = -random.number(in: 0...60) * unit
            let tone = palette.night.mixed(with: palette.deep, 0.4 - 0.2 * Double(row))
            while x < width + 40 * unit {
                let size = random.number(in: 24...34) * unit * (1 + Double(row) * 0.25)
                let top = y + random.number(in: -14...14) * unit
                canvas.ellipse(x: x, y: top, radiusX: size * 0.8, radiusY: size, colour: tone)
                canvas.ellipse(
                    x: x, y: top + size * 2.4, radiusX: size * 1.7, radiusY: size * 1.7,
                    colour: tone)
                if random.chance(0.16) {
                    stroke(
                        [
                            Point(x + size, top + size * 1.6),
                            Point(x + size * 1.5, top - size * 2.2),
                        ],
                        width: size * 0.5, colour: tone)
                }
                x += size * random.number(in: 1.8...2.5)
            }
            canvas.rectangle(
                x: 0, y: y + 70 * unit, width: width, height: height, colour: tone)
        }
    }
}
