import Foundation
import Imaging

extension Scene {
    /// A closed outline that wanders around a circle by up to about `wobble` of its radius.
    mutating func blob(x: Double, y: Double, radius: Double, wobble: Double) -> [Point] {
        let waves = (2...5).map { wave in
            (
                count: Double(wave), reach: random.number(in: 0...wobble) / Double(wave) * 2,
                phase: random.number(in: 0...(2 * .pi))
            )
        }
        return (0..<72).map { step in
            let angle = Double(step) / 72 * 2 * .pi
            let reach = waves.reduce(1) { $0 + $1.reach * cos($1.count * angle + $1.phase) }
            return Point(x + radius * reach * cos(angle), y + radius * reach * sin(angle))
        }
    }

    /// A line through all points.
    func stroke(_ points: [Point], width: Double, colour: RGB, alpha: Double = 1) {
        for (from, to) in zip(points, points.dropFirst()) {
            canvas.line(from: from, to: to, width: width, colour: colour, alpha: alpha)
        }
    }

    /// A band of even width along a path: one polygon, so that it may be translucent.
    func band(_ points: [Point], width: Double, colour: RGB, alpha: Double = 1) {
        guard points.count > 1 else { return }
        var left: [Point] = []
        var right: [Point] = []
        for (index, point) in points.enumerated() {
            let before = points[max(index - 1, 0)]
            let after = points[min(index + 1, points.count - 1)]
            let (dx, dy) = (after.x - before.x, after.y - before.y)
            let norm = max((dx * dx + dy * dy).squareRoot(), 0.001)
            let (nx, ny) = (-dy / norm * width / 2, dx / norm * width / 2)
            left.append(Point(point.x + nx, point.y + ny))
            right.append(Point(point.x - nx, point.y - ny))
        }
        canvas.polygon(left + right.reversed(), colour: colour, alpha: alpha)
    }

    /// A ball in the light from the upper left.
    func ball(x: Double, y: Double, radius: Double, shade: RGB, colour: RGB, light: RGB) {
        canvas.circle(x: x, y: y, radius: radius, colour: shade)
        for step in 1...9 {
            let share = Double(step) / 9
            let size = radius * (1 - share * 0.86)
            let shift = (radius - size) * 0.42
            let tone =
                share < 0.5
                ? shade.mixed(with: colour, share * 2) : colour.mixed(with: light, share * 2 - 1)
            canvas.circle(x: x - shift, y: y - shift, radius: size, colour: tone, alpha: 0.6)
        }
    }

    /// Something turned on a lathe, lit from the left: `profile` is half widths at heights.
    func turned(
        x: Double, profile: [Point], shade: RGB, colour: RGB, light: RGB, alpha: Double = 1
    ) {
        for step in 0..<12 {
            let share = 1 - Double(step) / 12
            // Brightest at a third from the left.
            let tone =
                step < 6
                ? shade.mixed(with: colour, Double(step) / 6)
                : colour.mixed(with: light, Double(step - 6) / 7)
            let shift = (1 - share) * -0.34
            let right = profile.map { Point(x + $0.x * (share + shift), $0.y) }
            let left = profile.reversed().map { Point(x + $0.x * (-share + shift), $0.y) }
            canvas.polygon(right + left, colour: tone, alpha: alpha)
        }
    }

    /// A smooth outline through some points of half width and height.
    static func profile(_ points: [Point]) -> [Point] {
        guard points.count > 2 else { return points }
        var smooth: [Point] = []
        for index in 0..<(points.count - 1) {
            let (a, b) = (points[max(index - 1, 0)], points[index])
            let (c, d) = (points[index + 1], points[min(index + 2, points.count - 1)])
            for step in 0..<6 {
                let t = Double(step) / 6
                func at(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
                    0.5
                        * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t
                            + (3 * b - a - 3 * c + d) * t * t * t)
                }
                smooth.append(Point(at(a.x, b.x, c.x, d.x), at(a.y, b.y, c.y, d.y)))
            }
        }
        return smooth + points.suffix(1)
    }

    /// Text as large as its room allows, from `largest` units downwards; returns its height.
    @discardableResult
    func letter(
        _ text: String, _ typeface: Typeface, largest: Double, x: Double, y: Double,
        width: Double, height: Double, colour: RGB, alpha: Double = 1,
        alignment: TextStyle.Alignment = .leading
    ) -> Double {
        let text = typeface.isUppercase ? text.uppercased() : text
        var size = largest * unit
        while size > 12 * unit, !typeface.fits(text, size: size, width: width, room: height) {
            size *= 0.93
        }
        var style = typeface.style(size: size, colour: colour, alignment: alignment)
        style.alpha = alpha
        return canvas.text(text, x: x, y: y, width: width, style: style)
    }
}
