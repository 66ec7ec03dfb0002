import Foundation
import Imaging

/// A canvas with what every scene needs: colours, numbers, and sizes that follow the canvas.
struct Scene {
    let canvas: Canvas
    let palette: Palette
    var random: SeededRandom
    let width: Double
    let height: Double
    /// One pixel of a poster of 680×1000, so that pictures of other shapes look alike.
    var unit: Double

    init(canvas: Canvas, palette: Palette, random: SeededRandom) {
        self.canvas = canvas
        self.palette = palette
        self.random = random
        width = Double(canvas.width)
        height = Double(canvas.height)
        unit = min(width / 680, height / 1_000)
    }

    /// Where a title stays legible, as shares of the height, and its colours.
    struct TitleArea {
        var top: Double
        var bottom: Double
        var atBottom = false
        var colour: RGB
        /// `nil` takes the palette's pale colour.
        var creditsColour: RGB?
        /// Laid softly under the title.
        var shade: RGB?
        var typefaces: [Typeface] = Typeface.all
    }

    /// Heights 0…1 of a ridge, `2^detail + 1` of them, by midpoint displacement.
    mutating func ridge(detail: Int, roughness: Double) -> [Double] {
        let count = 1 << detail
        var heights = [Double](repeating: 0, count: count + 1)
        heights[0] = random.fraction()
        heights[count] = random.fraction()
        var step = count
        var reach = 0.5
        while step > 1 {
            for index in stride(from: step / 2, to: count, by: step) {
                let middle = (heights[index - step / 2] + heights[index + step / 2]) / 2
                heights[index] = middle + random.number(in: -reach...reach)
            }
            step /= 2
            reach *= roughness
        }
        let low = heights.min() ?? 0
        let span = max((heights.max() ?? 1) - low, 0.001)
        return heights.map { ($0 - low) / span }
    }

    /// Land from the heights down to the lower edge.
    func land(_ heights: [Double], base: Double, reach: Double, colour: RGB, alpha: Double = 1) {
        let step = width / Double(heights.count - 1)
        var points = heights.enumerated().map { offset, value in
            Point(Double(offset) * step, base - value * reach)
        }
        points += [Point(width, height + 1), Point(0, height + 1)]
        canvas.polygon(points, colour: colour, alpha: alpha)
    }

    /// Small stars above `bottom` pixels, denser towards the top.
    mutating func stars(_ count: Int, above bottom: Double, colour: RGB) {
        for _ in 0..<count {
            let depth = random.fraction()
            let x = random.fraction() * width
            let y = depth * depth * bottom
            let size = random.number(in: 0.5...1.7) * max(unit, 0.5)
            canvas.circle(
                x: x, y: y, radius: size, colour: colour,
                alpha: random.number(in: 0.25...0.95))
            if random.chance(0.03) {
                canvas.glow(x: x, y: y, radius: size * 9, colour: colour, strength: 0.5)
            }
        }
    }

    /// A disc with light around it.
    func sun(x: Double, y: Double, radius: Double, colour: RGB, light: RGB, strength: Double) {
        canvas.glow(x: x, y: y, radius: radius * 5, colour: light, strength: strength * 0.6)
        canvas.glow(x: x, y: y, radius: radius * 2.2, colour: light, strength: strength)
        canvas.circle(x: x, y: y, radius: radius, colour: colour)
    }

    /// A flat bank of mist around `y`.
    func mist(y: Double, height: Double, colour: RGB, alpha: Double) {
        for layer in 0..<4 {
            let share = 1 - Double(layer) / 4
            canvas.ellipse(
                x: width * (layer.isMultiple(of: 2) ? 0.4 : 0.62), y: y,
                radiusX: width * (0.5 + share * 0.45), radiusY: height * share, colour: colour,
                alpha: alpha / 3)
        }
    }

    /// A small flock: two strokes a bird.
    mutating func birds(_ count: Int, x: Double, y: Double, colour: RGB) {
        for _ in 0..<count {
            let left = x + random.number(in: -90...90) * unit
            let top = y + random.number(in: -50...50) * unit
            let span = random.number(in: 6...12) * unit
            let middle = Point(left, top)
            for side in [-1.0, 1.0] {
                canvas.line(
                    from: middle, to: Point(left + side * span, top - span * 0.55),
                    width: 1.8 * unit, colour: colour)
            }
        }
    }

    /// Points on a circle's edge; angles in degrees, 0 to the right, 90 down.
    static func arc(
        x: Double, y: Double, radiusX: Double, radiusY: Double, from: Double, to: Double,
        steps: Int = 48
    ) -> [Point] {
        (0...steps).map { step in
            let angle = (from + (to - from) * Double(step) / Double(steps)) * .pi / 180
            return Point(x + radiusX * cos(angle), y + radiusY * sin(angle))
        }
    }

    /// Points along a curve with two control points.
    static func curve(_ from: Point, _ first: Point, _ second: Point, _ to: Point) -> [Point] {
        (0...16).map { step in
            let t = Double(step) / 16
            let s = 1 - t
            let (a, b, c, d) = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
            return Point(
                a * from.x + b * first.x + c * second.x + d * to.x,
                a * from.y + b * first.y + c * second.y + d * to.y)
        }
    }
}

extension Point {
    /// Turned by degrees around another point.
    func rotated(_ degrees: Double, around centre: Point) -> Point {
        let (s, c) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        let (dx, dy) = (x - centre.x, y - centre.y)
        return Point(centre.x + dx * c - dy * s, centre.y + dx * s + dy * c)
    }
}
