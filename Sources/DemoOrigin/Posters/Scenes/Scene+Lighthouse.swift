import Foundation
import Imaging

extension Scene {
    /// A lighthouse on its rock, its beam over a dark sea.
    mutating func lighthouse() -> TitleArea {
        canvas.gradient([
            GradientStop(0, palette.night), GradientStop(0.4, palette.deep),
            GradientStop(0.68, palette.mid), GradientStop(0.76, palette.bright),
        ])
        stars(180, above: height * 0.6, colour: palette.pale)
        canvas.noise(seed: random.next(), scale: 300 * unit, strength: 0.1, octaves: 5)
        let isLeft = random.chance(0.5)
        let x = width * (isLeft ? 0.3 : 0.7)
        let lamp = Point(x, height * 0.43)
        let sea = height * 0.76
        beam(from: lamp, towards: isLeft ? 8 : 172, reach: 1_100 * unit)
        beam(from: lamp, towards: isLeft ? 187 : -7, reach: 700 * unit)
        water(from: sea, lamp: lamp, towards: isLeft ? 1 : -1)
        rock(x: x, sea: sea)
        tower(x: x, lamp: lamp, foot: sea - 34 * unit)
        return TitleArea(
            top: 0.06, bottom: 0.33, colour: palette.pale, shade: palette.night,
            typefaces: [.bookish, .century, .narrow, .light, .bookman])
    }

    /// Three cones, one in the other, so that the edge is soft.
    private func beam(from lamp: Point, towards angle: Double, reach: Double) {
        for (spread, alpha) in [(6.5, 0.12), (4.6, 0.14), (2.8, 0.2)] {
            let far = [-spread, spread].map {
                Point(lamp.x + reach, lamp.y).rotated(angle + $0, around: lamp)
            }
            canvas.polygon([lamp] + far, colour: palette.pale, alpha: alpha)
        }
    }

    private mutating func water(from sea: Double, lamp: Point, towards side: Double) {
        canvas.rectangle(
            x: 0, y: sea, width: width, height: height - sea + 1,
            colour: palette.deep.mixed(with: palette.night, 0.35))
        for _ in 0..<170 {
            let depth = random.fraction()
            // The lowest strip is for the credits.
            let y = sea + (height * 0.925 - sea) * depth * depth
            let long = (14 + depth * 90) * random.number(in: 0.5...1.4) * unit
            let x = random.number(in: -0.1...1) * width
            let isLit = abs(x + long / 2 - lamp.x - side * 190 * unit) < (90 + depth * 140) * unit
            canvas.rectangle(
                x: x, y: y, width: long, height: (1.2 + depth * 2.6) * unit,
                cornerRadius: 1.5 * unit, colour: isLit ? palette.pale : palette.bright,
                alpha: isLit ? 0.5 : 0.22)
        }
    }

    private mutating func rock(x: Double, sea: Double) {
        let heights = ridge(detail: 5, roughness: 0.55)
        for (layer, colour) in [palette.night.mixed(with: palette.mid, 0.25), palette.night]
            .enumerated()
        {
            let half = (215 - Double(layer) * 20) * unit
            let points = heights.enumerated().map { offset, value in
                let share = Double(offset) / Double(heights.count - 1) * 2 - 1
                let hill = max(0, 1 - share * share)
                return Point(
                    x + share * half + Double(layer) * 14 * unit,
                    sea + 22 * unit - hill * (72 + value * 30 - Double(layer) * 14) * unit)
            }
            canvas.polygon(points, colour: colour)
        }
    }

    private func tower(x: Double, lamp: Point, foot: Double) {
        let top = lamp.y + 30 * unit
        let (below, above) = (46 * unit, 27 * unit)
        for stripe in 0..<6 {
            let (from, to) = (Double(stripe) / 6, Double(stripe + 1) / 6)
            func half(_ share: Double) -> Double { above + (below - above) * share }
            let (upper, lower) = (top + (foot - top) * from, top + (foot - top) * to + 1)
            let colour = stripe.isMultiple(of: 2) ? palette.pale : palette.accent
            canvas.polygon(
                [
                    Point(x - half(from), upper), Point(x + half(from), upper),
                    Point(x + half(to), lower), Point(x - half(to), lower),
                ], colour: colour)
            // The side away from the moon.
            canvas.polygon(
                [
                    Point(x + half(from) * 0.2, upper), Point(x + half(from), upper),
                    Point(x + half(to), lower), Point(x + half(to) * 0.2, lower),
                ], colour: palette.night, alpha: 0.4)
        }
        for share in [0.3, 0.65] {
            canvas.rectangle(
                x: x - 6 * unit, y: top + (foot - top) * share, width: 12 * unit,
                height: 22 * unit, cornerRadius: 6 * unit, colour: palette.night)
        }
        canvas.rectangle(
            x: x - 42 * unit, y: top - 8 * unit, width: 84 * unit, height: 12 * unit,
            cornerRadius: 3 * unit, colour: palette.night)
        canvas.rectangle(
            x: x - 20 * unit, y: lamp.y - 22 * unit, width: 40 * unit, height: 46 * unit,
            colour: palette.accent.mixed(with: palette.pale, 0.7))
        for bar in [-20.0, -7, 6, 19] {
            canvas.rectangle(
                x: x + bar * unit - unit, y: lamp.y - 22 * unit, width: 3 * unit,
                height: 46 * unit, colour: palette.night)
        }
        canvas.polygon(
            [
                Point(x - 30 * unit, lamp.y - 20 * unit), Point(x, lamp.y - 56 * unit),
                Point(x + 30 * unit, lamp.y - 20 * unit),
            ], colour: palette.night)
        canvas.glow(
            x: lamp.x, y: lamp.y, radius: 190 * unit, colour: palette.pale, strength: 0.75)
    }
}
