import CPixels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Canvas {
    /// Everything in one colour.
    package func fill(_ colour: RGB) {
        pixels_fill(pixels, pixels_paint(colour, 1))
    }

    /// A gradient over the whole canvas; `angle` in degrees: 0 from top to bottom, 90 from left to
    /// right, 45 towards the bottom right.
    package func gradient(_ stops: [GradientStop], angle: Double = 0) {
        let sorted = stops.sorted { $0.position < $1.position }
        let values = sorted.flatMap { stop in
            [
                Float(stop.position), Float(stop.colour.red), Float(stop.colour.green),
                Float(stop.colour.blue),
            ]
        }
        let radians = angle * .pi / 180
        pixels_gradient(pixels, values, Int32(stops.count), sin(radians), cos(radians))
    }

    package func circle(x: Double, y: Double, radius: Double, colour: RGB, alpha: Double = 1) {
        ellipse(x: x, y: y, radiusX: radius, radiusY: radius, colour: colour, alpha: alpha)
    }

    /// `rotation` in degrees, clockwise.
    package func ellipse(
        x: Double, y: Double, radiusX: Double, radiusY: Double, rotation: Double = 0, colour: RGB,
        alpha: Double = 1
    ) {
        let turn = rotation * .pi / 180
        let points = arc(radius: max(radiusX, radiusY), from: 0, to: 2 * .pi).map { angle in
            let (dx, dy) = (radiusX * cos(angle), radiusY * sin(angle))
            return Point(x + dx * cos(turn) - dy * sin(turn), y + dx * sin(turn) + dy * cos(turn))
        }
        polygon(points, colour: colour, alpha: alpha)
    }

    package func rectangle(
        x: Double, y: Double, width: Double, height: Double, cornerRadius: Double = 0, colour: RGB,
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
        polygon(points, colour: colour, alpha: alpha)
    }

    /// A filled polygon, closed by itself, concave if need be, without crossing itself.
    package func polygon(_ points: [Point], colour: RGB, alpha: Double = 1) {
        let coordinates = points.flatMap { [$0.x, $0.y] }
        // Short of memory the shape is left out: a drawing has no other way to fail.
        _ = pixels_polygon(
            pixels, coordinates, Int32(points.count), pixels_paint(colour, alpha))
    }

    /// A line with round ends.
    package func line(
        from start: Point, to end: Point, width: Double, colour: RGB, alpha: Double = 1
    ) {
        let radius = width / 2
        let direction = atan2(end.y - start.y, end.x - start.x)
        let ends = [(end, direction - 0.5 * .pi), (start, direction + 0.5 * .pi)]
        let points = ends.flatMap { centre, from in
            arc(radius: radius, from: from, to: from + .pi).map { angle in
                Point(centre.x + radius * cos(angle), centre.y + radius * sin(angle))
            }
        }
        polygon(points, colour: colour, alpha: alpha)
    }

    /// Another canvas, scaled to the rectangle by a Lanczos filter; rounded to whole pixels, at
    /// least one. Left out where there is no memory for it.
    package func draw(
        _ canvas: Canvas, x: Double, y: Double, width: Double, height: Double, alpha: Double = 1
    ) {
        let (toWidth, toHeight) = (max(1, Self.pixel(width)), max(1, Self.pixel(height)))
        let scaled = try? canvas.buffer.resampled(width: Int(toWidth), height: Int(toHeight))
        guard let scaled else { return }
        pixels_blend(
            pixels, scaled.bytes, toWidth, toHeight, Self.pixel(x), Self.pixel(y), Float(alpha))
    }

    /// The nearest whole pixel; what no canvas reaches is cut off.
    static func pixel(_ value: Double) -> Int32 {
        value.isNaN ? 0 : Int32(min(max(value.rounded(), -65_535), 65_535))
    }

    /// Angles that make a polygon no one can tell from the circle: off by less than 0.05 pixels.
    private func arc(radius: Double, from: Double, to: Double) -> [Double] {
        let step = radius > 0.1 ? 2 * acos(1 - min(0.05 / radius, 0.5)) : .pi
        let count = max(1, Int(((to - from) / step).rounded(.up)))
        return (0...count).map { from + (to - from) * Double($0) / Double(count) }
    }
}

extension pixels_paint {
    init(_ colour: RGB, _ alpha: Double) {
        self.init(
            red: Float(colour.red), green: Float(colour.green), blue: Float(colour.blue),
            alpha: Float(min(max(alpha, 0), 1)))
    }
}
