import Foundation

typealias Point = (x: Double, y: Double)

/// Left edge, top and size of a house.
typealias House = (x: Double, top: Double, width: Double, height: Double)

/// Outlines, which are added to the path that is being drawn. Angles are in degrees: 0 is to the
/// right, 90 down.
extension Pen {
    private mutating func at(_ command: String, _ point: Point) {
        svg +=
            "\(command)\(((point.x * 10).rounded() / 10).svg) \(((point.y * 10).rounded() / 10).svg)"
    }

    private mutating func curve(_ a: Point, _ b: Point) {
        at("Q", a)
        at(" ", b)
    }

    mutating func line(_ points: Point...) { polyline(points) }
    mutating func shape(_ points: Point...) { polygon(points) }

    mutating func polyline(_ points: [Point]) {
        for (index, point) in points.enumerated() { at(index == 0 ? "M" : "L", point) }
    }

    mutating func polygon(_ points: [Point]) {
        polyline(points)
        svg += "Z"
    }

    mutating func circle(_ x: Double, _ y: Double, _ r: Double) { ellipse(x, y, r, r) }

    mutating func ellipse(
        _ x: Double, _ y: Double, _ a: Double, _ b: Double, turn: Double = 0
    ) {
        let (dx, dy) = Self.along(turn, a)
        at("M", (x - dx, y - dy))
        for side in [1.0, -1] {
            at("A", (a, b))
            at(" \(turn.svg) 1 1 ", (x + side * dx, y + side * dy))
        }
        svg += "Z"
    }

    /// A pointed stroke of a brush: its middle, half its length, half its thickness.
    mutating func dab(_ x: Double, _ y: Double, _ a: Double, _ b: Double, turn: Double = 0) {
        let ((dx, dy), (nx, ny)) = (Self.along(turn, a), Self.along(turn + 90, b * 2))
        at("M", (x - dx, y - dy))
        curve((x + nx, y + ny), (x + dx, y + dy))
        curve((x - nx, y - ny), (x - dx, y - dy))
        svg += "Z"
    }

    mutating func rect(_ x: Double, _ y: Double, _ w: Double, _ h: Double) {
        shape((x, y), (x + w, y), (x + w, y + h), (x, y + h))
    }

    /// An opening with an arch on top: its middle, foot, half width and height.
    mutating func arch(_ x: Double, _ foot: Double, _ a: Double, _ h: Double, isPointed: Bool) {
        let (top, spring) = (foot - h, foot - h + a * (isPointed ? 1.25 : 1))
        at("M", (x - a, foot))
        at("L", (x - a, spring))
        if isPointed {
            curve((x - a * 0.92, top + a * 0.45), (x, top))
            curve((x + a * 0.92, top + a * 0.45), (x + a, spring))
        } else {
            at("A", (a, a))
            at(" 0 0 1 ", (x + a, spring))
        }
        at("L", (x + a, foot))
        svg += "Z"
    }

    /// A closed outline that wanders around a circle.
    mutating func blob(
        _ x: Double, _ y: Double, _ radius: Double, wobble: Double, stretch: Double = 1
    ) {
        let waves = (2...5).map { wave in
            (Double(wave), self.any(0, wobble) / Double(wave) * 2, self.any(0, 360))
        }
        let points = (0..<28).map { step -> Point in
            let angle = Double(step) / 28 * 360
            let reach = waves.reduce(radius) { sum, wave in
                sum + radius * wave.1 * Self.along(wave.0 * angle + wave.2, 1).x
            }
            let (dx, dy) = Self.along(angle, reach)
            return (x + dx * stretch, y + dy)
        }
        // Rounded through the middles of the sides.
        at("M", ((points[0].x + points[27].x) / 2, (points[0].y + points[27].y) / 2))
        for (point, next) in zip(points, points.dropFirst() + [points[0]]) {
            curve(point, ((point.x + next.x) / 2, (point.y + next.y) / 2))
        }
        svg += "Z"
    }

    /// New land down to the lower edge, by midpoint displacement.
    mutating func land(_ base: Double, _ reach: Double, detail: Int = 6, rough: Double = 0.55) {
        let count = 1 << detail
        var heights = [Double](repeating: 0, count: count + 1)
        heights[0] = self.any(0, 1)
        heights[count] = self.any(0, 1)
        var (step, spread) = (count, 0.5)
        while step > 1 {
            for index in stride(from: step / 2, to: count, by: step) {
                let middle = (heights[index - step / 2] + heights[index + step / 2]) / 2
                heights[index] = middle + self.any(-spread, spread)
            }
            (step, spread) = (step / 2, spread * rough)
        }
        let low = heights.min() ?? 0
        let span = max((heights.max() ?? 1) - low, 0.001)
        ridge = heights.enumerated().map {
            (Double($0) * width / Double(count), base - ($1 - low) / span * reach)
        }
        lowered(0)
    }

    /// The last land, so much lower.
    mutating func lowered(_ distance: Double) {
        let points = ridge.map { ($0.x, $0.y + distance) }
        polygon([(0, height + 1)] + points + [(width, height + 1)])
    }

    /// Firs on the last land.
    mutating func firs(_ least: Double, _ most: Double, gap: Double) {
        var x = -gap
        while x < width + gap {
            let tall = self.any(least, most)
            let place = Int(x / width * Double(ridge.count - 1))
            let foot = ridge[min(max(place, 0), ridge.count - 1)].y + tall * 0.1
            for tier in 0..<3 {
                let top = foot - tall * (1 - Double(tier) * 0.26)
                let half = tall * (0.1 + Double(tier) * 0.055)
                shape((x, top), (x + half, top + tall * 0.46), (x - half, top + tall * 0.46))
            }
            x += gap * self.any(0.4, 1.6)
        }
    }

    /// A row of houses: their widths and heights, and where they stand.
    mutating func street(_ base: Double, _ widths: ClosedRange<Double>, _ high: ClosedRange<Double>)
    {
        houses = []
        var x = -self.any(0, widths.lowerBound)
        while x < width {
            let (wide, tall) = (
                random.number(in: widths), random.number(in: high) * self.any(0.62, 1)
            )
            let (top, middle) = (base - tall, x + wide / 2)
            rect(x, top, wide, tall + height - base + 1)
            switch whole(0, 5) {
            case 0: rect(middle - 1.2, top - wide * 0.6, 2.4, wide * 0.6)
            case 1: rect(x + wide * 0.2, top - wide * 0.25, wide * 0.6, wide * 0.26)
            case 2: shape((x, top + 1), (x + wide, top + 1), (x + wide, top - wide * 0.35))
            case 3: shape((x, top + 1), (middle, top - wide * 0.7), (x + wide, top + 1))
            default: break
            }
            houses.append((x, top, wide, tall))
            x += wide + (chance(0.25) ? self.any(2, 16) : -1)
        }
    }

    /// Lit windows of the last houses; whole floors are dark at times.
    mutating func windows(_ share: Double, _ w: Double, _ h: Double) {
        for house in houses {
            let columns = max(1, Int(house.width / (w * 2.8)))
            let gap = house.width / Double(columns)
            for floor in stride(
                from: house.top + h * 1.8, to: house.top + house.height, by: h * 2.4)
            where chance(0.85) {
                for column in 0..<columns where chance(share) {
                    rect(house.x + (Double(column) + 0.5) * gap - w / 2, floor, w, h)
                }
            }
        }
    }

    /// Water down to the lower edge; `phase` is in degrees.
    mutating func wave(_ y: Double, _ amplitude: Double, _ length: Double, phase: Double) {
        let step = max(length, 8) / 2
        var (x, up) = (-step * (2 + phase / 180), 1.0)
        at("M", (x, y))
        while x < width {
            curve((x + step / 2, y - amplitude * up * 2), (x + step, y))
            (x, up) = (x + step, -up)
        }
        at("L", (x, height + 1))
        at("L", (0, height + 1))
        svg += "Z"
    }

    /// A branch with leaves.
    mutating func sprig(
        _ x: Double, _ y: Double, turn: Double, _ length: Double, leaves: Int, _ leaf: Double
    ) {
        let (dx, dy) = Self.along(turn, length)
        dab(x + dx / 2, y + dy / 2, length / 2, length * 0.008, turn: turn)
        times(leaves) { pen, i, _ in
            let place = 0.15 + 0.85 * i / Double(leaves)
            let size = leaf * (1.1 - place * 0.6)
            for side in [-1.0, 1] {
                let turn = turn + side * (62 - place * 26)
                let (lx, ly) = Self.along(turn, size)
                pen.dab(x + dx * place + lx, y + dy * place + ly, size, size * 0.3, turn: turn)
            }
        }
    }

    /// A bare tree.
    mutating func tree(
        _ x: Double, _ y: Double, _ length: Double, turn: Double, _ thickness: Double
    ) {
        let (dx, dy) = Self.along(turn, length * 0.42)
        let (nx, ny) = Self.along(turn + 90, thickness / 2)
        shape(
            (x - nx, y - ny), (x + nx, y + ny), (x + dx + nx * 0.6, y + dy + ny * 0.6),
            (x + dx - nx * 0.6, y + dy - ny * 0.6))
        guard length > 26 else { return }
        for side in [-1.0, 1] {
            tree(
                x + dx, y + dy, length * self.any(0.62, 0.8), turn: turn + side * self.any(12, 34),
                thickness * 0.62)
        }
    }

    /// Returns the offset of a distance in a direction.
    static func along(_ degrees: Double, _ length: Double) -> Point {
        (cos(degrees * .pi / 180) * length, sin(degrees * .pi / 180) * length)
    }
}
