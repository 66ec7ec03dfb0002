package import Imaging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A point of a canvas in pixels.
package struct Point {
    package var x: Double
    package var y: Double

    package init(_ x: Double, _ y: Double) {
        (self.x, self.y) = (x, y)
    }
}

/// Shapes for pictures of tests, with fractions of pixels. The same bytes on every machine.
extension Canvas {
    /// Draws a gradient over the whole canvas: colors and their positions, 0…1, in ascending order. `angle` is in
    /// degrees: 0 from top to bottom, 90 from left to right, 45 towards the bottom right.
    package func gradient(_ stops: [(position: Double, color: RGB)], angle: Double = 0) {
        let (dx, dy) = (sin(angle * .pi / 180), cos(angle * .pi / 180))
        // The corners furthest back and ahead in the gradient's direction are its two ends.
        let (width, height) = (Double(width), Double(height))
        let length = abs(dx) * width + abs(dy) * height
        let begin = (dx < 0 ? dx * width : 0) + (dy < 0 ? dy * height : 0)
        let steps = 1_024
        let table = (0...steps).map { Self.color(stops, at: Float($0) / Float(steps)) }
        eachPixel { x, y, pixel in
            let part = ((Double(x) + 0.5) * dx + (Double(y) + 0.5) * dy - begin) / length
            let color = table[max(0, min(steps, Int(part * Double(steps) + 0.5)))]
            for band in 0..<3 {
                pixel[band] = Self.byte(color[band] + Self.dither[y & 3][x & 3])
            }
        }
    }

    private static func color(_ stops: [(position: Double, color: RGB)], at part: Float) -> [Float]
    {
        let values = stops.map { stop in
            [
                stop.position, Double(stop.color.red), Double(stop.color.green),
                Double(stop.color.blue),
            ]
            .map { Float($0) }
        }
        let index = values.dropLast().firstIndex { part <= $0[0] } ?? values.count - 1
        let (last, next) = (values[max(0, index - 1)], values[index])
        let gap = next[0] - last[0]
        let share = gap > 0 ? max(0, min(1, (part - last[0]) / gap)) : 1
        return (1...3).map { last[$0] + (next[$0] - last[$0]) * share }
    }

    /// Half a step up or down in a fixed pattern hides the steps of a wide, dark gradient.
    private static let dither: [[Float]] = [
        [-0.47, 0.03, -0.34, 0.16], [0.28, -0.22, 0.41, -0.09], [-0.28, 0.22, -0.41, 0.09],
        [0.47, -0.03, 0.34, -0.16],
    ]

    package func circle(x: Double, y: Double, radius: Double, color: RGB, alpha: Double = 1) {
        let points = arc(radius: radius, from: 0, to: 2 * .pi).map { angle in
            Point(x + radius * cos(angle), y + radius * sin(angle))
        }
        polygon(points, color: color, alpha: alpha)
    }

    package func rectangle(
        x: Double, y: Double, width: Double, height: Double, color: RGB, alpha: Double = 1
    ) {
        polygon(
            [
                Point(x, y), Point(x + width, y), Point(x + width, y + height),
                Point(x, y + height),
            ], color: color, alpha: alpha)
    }

    /// Draws a line with round ends.
    package func line(from start: Point, to end: Point, width: Double, color: RGB) {
        let radius = width / 2
        let direction = atan2(end.y - start.y, end.x - start.x)
        let ends = [(end, direction - 0.5 * .pi), (start, direction + 0.5 * .pi)]
        let points = ends.flatMap { center, from in
            arc(radius: radius, from: from, to: from + .pi).map { angle in
                Point(center.x + radius * cos(angle), center.y + radius * sin(angle))
            }
        }
        polygon(points, color: color)
    }

    /// Returns angles of a polygon that differs from the circle by less than 0.05 pixels.
    private func arc(radius: Double, from: Double, to: Double) -> [Double] {
        let step = radius > 0.1 ? 2 * acos(1 - min(0.05 / radius, 0.5)) : .pi
        let count = max(1, Int(((to - from) / step).rounded(.up)))
        return (0...count).map { from + (to - from) * Double($0) / Double(count) }
    }

    /// Draws a filled polygon, which may be concave but doesn't cross itself, with the exact area that it covers of
    /// each pixel.
    package func polygon(_ points: [Point], color: RGB, alpha: Double = 1) {
        guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return }
        // By how much each pixel and all later ones of its row are more covered than the ones before.
        var cells = [Float](repeating: 0, count: (width + 2) * height)
        for (start, end) in zip(points, points.dropFirst() + points.prefix(1)) {
            addEdge(start, end, to: &cells)
        }
        let paint = [Float(color.red), Float(color.green), Float(color.blue)]
        var sum: Float = 0
        eachPixel { x, y, pixel in
            sum = (x == 0 ? 0 : sum) + cells[y * (width + 2) + x]
            let covered = abs(sum)
            guard covered > 0.002 else { return }
            let share = Float(alpha) * min(1, covered)
            for band in 0..<3 {
                let below = Float(pixel[band])
                pixel[band] = Self.byte(below + (paint[band] - below) * share)
            }
        }
    }

    private func addEdge(_ a: Point, _ b: Point, to cells: inout [Float]) {
        let (upper, lower, sign) = a.y > b.y ? (b, a, -1.0) : (a, b, 1.0)
        if upper.y == lower.y || lower.y <= 0 || upper.y >= Double(height) { return }
        let slope = (lower.x - upper.x) / (lower.y - upper.y)
        let last = min(height, Int(lower.y.rounded(.up)))
        for y in max(0, Int(upper.y.rounded(.down)))..<last {
            let from = max(upper.y, Double(y))
            let to = min(lower.y, Double(y + 1))
            if to <= from { continue }
            addPiece(
                upper.x + (from - upper.y) * slope, upper.x + (to - upper.y) * slope,
                sign * (to - from), to: &cells, at: y * (width + 2))
        }
    }

    /// Adds a piece of an edge within one row, `rise` high and signed.
    private func addPiece(
        _ a: Double, _ b: Double, _ rise: Double, to cells: inout [Float], at row: Int
    ) {
        var (x0, x1, rise) = (min(a, b), max(a, b), rise)
        if x1 <= 0 {
            cells[row] += Float(rise)
            return
        }
        if x0 >= Double(width) { return }
        if x0 < 0 {
            let part = -x0 / (x1 - x0)
            cells[row] += Float(rise * part)
            rise -= rise * part
            x0 = 0
        }
        let slope = x1 > x0 ? rise / (x1 - x0) : 0
        for x in Int(x0)..<width {
            let (from, to) = (max(x0, Double(x)), min(x1, Double(x + 1)))
            let part = x1 > x0 ? slope * (to - from) : rise
            let covered = part * (Double(x + 1) - (from + to) / 2)
            cells[row + x] += Float(covered)
            cells[row + x + 1] += Float(part - covered)
            if x1 <= Double(x + 1) { return }
        }
    }

    private func eachPixel(
        _ body: (_ x: Int, _ y: Int, _ pixel: UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        let width = width
        withPixels { pixels in
            for index in 0..<pixels.count / 3 {
                body(
                    index % width, index / width,
                    UnsafeMutableBufferPointer(rebasing: pixels[3 * index..<3 * index + 3]))
            }
        }
    }

    private static func byte(_ value: Float) -> UInt8 {
        value <= 0 ? 0 : value >= 255 ? 255 : UInt8(value + 0.5)
    }
}
