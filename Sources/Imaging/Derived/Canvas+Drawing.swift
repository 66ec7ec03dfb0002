import CPixels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Canvas {
    /// Fills the canvas with one color.
    package func fill(_ color: RGB) {
        pixels_fill(pixels, pixels_paint(color, 1))
    }

    /// Draws a gradient over the whole canvas. `angle` is in degrees: 0 from top to bottom, 90 from
    /// left to right, 45 towards the bottom right.
    package func gradient(_ stops: [GradientStop], angle: Double = 0) {
        let sorted = stops.sorted { $0.position < $1.position }
        let values = sorted.flatMap { stop in
            [
                Float(stop.position), Float(stop.color.red), Float(stop.color.green),
                Float(stop.color.blue),
            ]
        }
        let radians = angle * .pi / 180
        pixels_gradient(pixels, values, Int32(stops.count), sin(radians), cos(radians))
    }

    package func circle(x: Double, y: Double, radius: Double, color: RGB, alpha: Double = 1) {
        ellipse(x: x, y: y, radiusX: radius, radiusY: radius, color: color, alpha: alpha)
    }

    /// Draws a filled ellipse; `rotation` is in degrees, clockwise.
    package func ellipse(
        x: Double, y: Double, radiusX: Double, radiusY: Double, rotation: Double = 0, color: RGB,
        alpha: Double = 1
    ) {
        let turn = rotation * .pi / 180
        let points = arc(radius: max(radiusX, radiusY), from: 0, to: 2 * .pi).map { angle in
            let (dx, dy) = (radiusX * cos(angle), radiusY * sin(angle))
            return Point(x + dx * cos(turn) - dy * sin(turn), y + dx * sin(turn) + dy * cos(turn))
        }
        polygon(points, color: color, alpha: alpha)
    }

    package func rectangle(
        x: Double, y: Double, width: Double, height: Double, cornerRadius: Double = 0, color: RGB,
        alpha: Double = 1
    ) {
        let radius = max(0, min(cornerRadius, width / 2, height / 2))
        // Clockwise from the top left corner; `from` is where the corner's quarter circle begins.
        let corners: [(x: Double, y: Double, from: Double)] = [
            (x + radius, y + radius, .pi),
            (x + width - radius, y + radius, 1.5 * .pi),
            (x + width - radius, y + height - radius, 0),
            (x + radius, y + height - radius, 0.5 * .pi),
        ]
        let points = corners.flatMap { corner in
            arc(radius: radius, from: corner.from, to: corner.from + 0.5 * .pi).map { angle in
                Point(corner.x + radius * cos(angle), corner.y + radius * sin(angle))
            }
        }
        polygon(points, color: color, alpha: alpha)
    }

    /// Draws a filled polygon, which may be concave but doesn't cross itself.
    package func polygon(_ points: [Point], color: RGB, alpha: Double = 1) {
        let coordinates = points.flatMap { [$0.x, $0.y] }
        // If memory is short, the shape is missing: drawing has no other way to fail.
        _ = pixels_polygon(
            pixels, coordinates, Int32(points.count), pixels_paint(color, alpha))
    }

    /// Draws a line with round ends.
    package func line(
        from start: Point, to end: Point, width: Double, color: RGB, alpha: Double = 1
    ) {
        let radius = width / 2
        let direction = atan2(end.y - start.y, end.x - start.x)
        let ends = [(end, direction - 0.5 * .pi), (start, direction + 0.5 * .pi)]
        let points = ends.flatMap { center, from in
            arc(radius: radius, from: from, to: from + .pi).map { angle in
                Point(center.x + radius * cos(angle), center.y + radius * sin(angle))
            }
        }
        polygon(points, color: color, alpha: alpha)
    }

    /// Draws another canvas, scaled to the rectangle by libvips. The rectangle is rounded
    /// to whole pixels, at least one. Draws nothing if memory is short.
    package func draw(
        _ canvas: Canvas, x: Double, y: Double, width: Double, height: Double, alpha: Double = 1
    ) {
        let (toWidth, toHeight) = (max(1, Self.pixel(width)), max(1, Self.pixel(height)))
        let scaled = try? canvas.buffer.resampled(
            to: PixelSize(width: Int(toWidth), height: Int(toHeight)))
        guard let scaled else { return }
        pixels_blend(
            pixels, scaled.bytes, toWidth, toHeight, Self.pixel(x), Self.pixel(y), Float(alpha))
    }

    /// Returns the nearest whole pixel, within the largest canvas.
    static func pixel(_ value: Double) -> Int32 {
        value.isNaN ? 0 : Int32(min(max(value.rounded(), -65_535), 65_535))
    }

    /// Returns angles of a polygon that differs from the circle by less than 0.05 pixels.
    private func arc(radius: Double, from: Double, to: Double) -> [Double] {
        let step = radius > 0.1 ? 2 * acos(1 - min(0.05 / radius, 0.5)) : .pi
        let count = max(1, Int(((to - from) / step).rounded(.up)))
        return (0...count).map { from + (to - from) * Double($0) / Double(count) }
    }
}

extension pixels_paint {
    init(_ color: RGB, _ alpha: Double) {
        self.init(
            red: Float(color.red), green: Float(color.green), blue: Float(color.blue),
            alpha: Float(min(max(alpha, 0), 1)))
    }
}
