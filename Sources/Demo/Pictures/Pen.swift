import Foundation

/// Adds an outline to the data of a path. Missing numbers are given as 0.
typealias Shape = @Sendable (_ pen: inout Pen, _ numbers: [Double]) -> Void

typealias Point = (x: Double, y: Double)

/// The last land and the last houses that were drawn, for shapes that stand on them.
private struct Terrain {
    var ridge: [Point] = []
    var base = 0.0
    var towers: [(x: Double, top: Double, width: Double, height: Double)] = []
}

/// Writes an SVG document. Its shapes are the outlines that templates name in `v:path`, with
/// coordinates rounded to a tenth of a unit.
struct Pen {
    /// The visible area, in units of the template.
    let size: (width: Double, height: Double)
    var context: Expression.Context
    /// The document written so far.
    var svg = ""
    private var terrain = Terrain()

    init(size: (width: Double, height: Double), _ context: Expression.Context) {
        self.size = size
        self.context = context
    }

    static let shapes: [String: Shape] = [
        // x, y, radius.
        "circle": { $0.ellipse($1[0], $1[1], $1[2], $1[2], 0) },
        // x, y, radius, radius, degrees.
        "ellipse": { $0.ellipse($1[0], $1[1], $1[2], $1[3], $1[4]) },
        // A pointed stroke of a brush: x, y, half length, half thickness, degrees.
        "dab": { $0.dab($1[0], $1[1], $1[2], $1[3], $1[4]) },
        // x, y, width, height, degrees.
        "rect": { $0.rect($1[0], $1[1], $1[2], $1[3], $1[4]) },
        // x, y, x, y, ….
        "poly": { $0.polygon(points($1)) },
        "line": { $0.polyline(points($1)) },
        // A closed outline that wanders around a circle: x, y, radius, wobble, stretch.
        "blob": { $0.blob($1[0], $1[1], $1[2], $1[3], $1[4] == 0 ? 1 : $1[4]) },
        // Land down to the lower edge: base, reach, detail (2^n points), roughness.
        "ridge": { pen, a in
            pen.raise(base: a[0], reach: a[1], detail: Int(a[2]), roughness: a[3])
            pen.land(pen.terrain.ridge)
        },
        // The last ridge once more: how much lower, how much of its peaks is cut off.
        "again": { pen, a in
            let base = pen.terrain.base
            pen.land(pen.terrain.ridge.map { ($0.x, min($0.y + a[1], base) + a[0]) })
        },
        // The last ridge as an open line.
        "crest": { pen, _ in pen.polyline(pen.terrain.ridge) },
        // Firs along the last ridge: least height, greatest height, mean gap.
        "pines": { $0.pines($1[0], $1[1], gap: $1[2]) },
        // Houses: base, least width, greatest width, least height, greatest height.
        "towers": { $0.towers(base: $1[0], $1[1], $1[2], $1[3], $1[4]) },
        // Lit windows of the last houses: share, width, height.
        "windows": { $0.windows(share: $1[0], $1[1], $1[2]) },
        // Water down to the lower edge: y, amplitude, length, phase in degrees.
        "wave": { $0.wave(y: $1[0], amplitude: $1[1], length: $1[2], phase: $1[3]) },
        // A branch with leaves: x, y, degrees, length, leaves, size of a leaf.
        "sprig": { $0.sprig($1[0], $1[1], $1[2], $1[3], Int($1[4]), $1[5]) },
        // A line with a hill in its middle: y, height, roughness.
        "signal": { $0.signal($1[0], $1[1], $1[2]) },
        // A bare tree: x, foot, height, lean.
        "tree": { $0.branch($1[0], $1[1], $1[2], -90 + $1[3], $1[2] / 16) },
    ]

    /// Added to the numbers of each shape.
    static let missing = [Double](repeating: 0, count: 6)

    private static func points(_ numbers: [Double]) -> [Point] {
        let count = numbers.count - missing.count
        return stride(from: 0, to: count - 1, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
    }

    private mutating func at(_ command: String, _ point: Point) {
        svg += command
        svg += ((point.x * 10).rounded() / 10).svg
        svg += " "
        svg += ((point.y * 10).rounded() / 10).svg
    }

    private mutating func curve(_ a: Point, _ b: Point) {
        at("Q", a)
        at(" ", b)
    }

    private mutating func polyline(_ points: [Point]) {
        for (index, point) in points.enumerated() { at(index == 0 ? "M" : "L", point) }
    }

    private mutating func polygon(_ points: [Point]) {
        polyline(points)
        svg += "Z"
    }

    private mutating func ellipse(
        _ x: Double, _ y: Double, _ a: Double, _ b: Double, _ turn: Double
    ) {
        let (dx, dy) = Self.along(turn, a)
        at("M", (x - dx, y - dy))
        for side in [1.0, -1] {
            at("A", (a, b))
            at(" \(turn.svg) 1 1 ", (x + side * dx, y + side * dy))
        }
        svg += "Z"
    }

    private mutating func dab(
        _ x: Double, _ y: Double, _ a: Double, _ b: Double, _ turn: Double
    ) {
        let ((dx, dy), (nx, ny)) = (Self.along(turn, a), Self.along(turn + 90, b * 2))
        at("M", (x - dx, y - dy))
        curve((x + nx, y + ny), (x + dx, y + dy))
        curve((x - nx, y - ny), (x - dx, y - dy))
        svg += "Z"
    }

    private mutating func rect(
        _ x: Double, _ y: Double, _ w: Double, _ h: Double, _ turn: Double = 0
    ) {
        guard turn != 0 else { return polygon([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]) }
        let ((ax, ay), (bx, by)) = (Self.along(turn, w / 2), Self.along(turn + 90, h / 2))
        let (cx, cy) = (x + w / 2, y + h / 2)
        polygon([
            (cx - ax - bx, cy - ay - by), (cx + ax - bx, cy + ay - by),
            (cx + ax + bx, cy + ay + by), (cx - ax + bx, cy - ay + by),
        ])
    }

    private mutating func blob(
        _ x: Double, _ y: Double, _ radius: Double, _ wobble: Double, _ stretch: Double
    ) {
        let waves = (2...5).map { wave in
            (Double(wave), random(0, wobble) / Double(wave) * 2, random(0, 360))
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

    /// A new ridge, by midpoint displacement.
    private mutating func raise(base: Double, reach: Double, detail: Int, roughness: Double) {
        let count = 1 << min(max(detail, 1), 10)
        var heights = [Double](repeating: 0, count: count + 1)
        heights[0] = random(0, 1)
        heights[count] = random(0, 1)
        var (step, spread) = (count, 0.5)
        while step > 1 {
            for index in stride(from: step / 2, to: count, by: step) {
                let middle = (heights[index - step / 2] + heights[index + step / 2]) / 2
                heights[index] = middle + random(-spread, spread)
            }
            (step, spread) = (step / 2, spread * roughness)
        }
        let low = heights.min() ?? 0
        let span = max((heights.max() ?? 1) - low, 0.001)
        terrain.base = base
        terrain.ridge = heights.enumerated().map {
            (Double($0) * size.width / Double(count), base - ($1 - low) / span * reach)
        }
    }

    private mutating func land(_ points: [Point]) {
        polygon([(0, size.height + 1)] + points + [(size.width, size.height + 1)])
    }

    private mutating func pines(_ least: Double, _ most: Double, gap: Double) {
        let ridge = terrain.ridge
        guard let end = ridge.last?.x, end > 0 else { return }
        var x = -gap
        while x < end + gap {
            let tall = random(least, most)
            let place = Int(x / end * Double(ridge.count - 1))
            let foot = ridge[min(max(place, 0), ridge.count - 1)].y + tall * 0.1
            for tier in 0..<3 {
                let top = foot - tall * (1 - Double(tier) * 0.26)
                let half = tall * (0.1 + Double(tier) * 0.055)
                polygon([(x, top), (x + half, top + tall * 0.46), (x - half, top + tall * 0.46)])
            }
            x += gap * random(0.4, 1.6)
        }
    }

    private mutating func towers(
        base: Double, _ narrow: Double, _ broad: Double, _ low: Double, _ high: Double
    ) {
        terrain.towers = []
        var x = -random(0, max(narrow, 1))
        while x < size.width {
            let (wide, tall) = (random(narrow, broad), random(low, high) * random(0.62, 1))
            let (top, middle) = (base - tall, x + wide / 2)
            rect(x, top, wide, tall + size.height - base + 1)
            switch context.random.integer(in: 0...5) {
            case 0: rect(middle - 1.2, top - wide * 0.6, 2.4, wide * 0.6)
            case 1: rect(x + wide * 0.2, top - wide * 0.25, wide * 0.6, wide * 0.26)
            case 2: polygon([(x, top + 1), (x + wide, top + 1), (x + wide, top - wide * 0.35)])
            case 3:
                polygon([
                    (x + wide * 0.25, top + 1), (middle, top - wide * 0.7),
                    (x + wide * 0.75, top + 1),
                ])
            default: break
            }
            terrain.towers.append((x, top, wide, tall))
            x += wide + (context.random.chance(0.25) ? random(2, 16) : -1)
        }
    }

    /// On a grid; whole floors are dark at times.
    private mutating func windows(share: Double, _ w: Double, _ h: Double) {
        for tower in terrain.towers {
            let columns = max(1, Int(tower.width / (w * 2.8)))
            let gap = tower.width / Double(columns)
            for floor in stride(
                from: tower.top + h * 1.8, to: tower.top + tower.height, by: h * 2.4)
            where context.random.chance(0.85) {
                for column in 0..<columns where context.random.chance(share) {
                    rect(tower.x + (Double(column) + 0.5) * gap - w / 2, floor, w, h)
                }
            }
        }
    }

    private mutating func wave(y: Double, amplitude: Double, length: Double, phase: Double) {
        let step = max(length, 8) / 2
        var (x, up) = (-step * (2 + phase / 180), 1.0)
        at("M", (x, y))
        while x < size.width {
            curve((x + step / 2, y - amplitude * up * 2), (x + step, y))
            (x, up) = (x + step, -up)
        }
        at("L", (x, size.height + 1))
        at("L", (0, size.height + 1))
        svg += "Z"
    }

    private mutating func sprig(
        _ x: Double, _ y: Double, _ turn: Double, _ length: Double, _ leaves: Int, _ leaf: Double
    ) {
        let (dx, dy) = Self.along(turn, length)
        dab(x + dx / 2, y + dy / 2, length / 2, length * 0.008, turn)
        for index in 0..<max(leaves, 0) {
            let place = 0.15 + 0.85 * Double(index) / Double(max(leaves, 1))
            let size = leaf * (1.1 - place * 0.6)
            for side in [-1.0, 1] {
                let turn = turn + side * (62 - place * 26)
                let (lx, ly) = Self.along(turn, size)
                dab(x + dx * place + lx, y + dy * place + ly, size, size * 0.3, turn)
            }
        }
    }

    private mutating func signal(_ y: Double, _ height: Double, _ roughness: Double) {
        let middle = size.width * random(0.42, 0.58)
        let points = stride(from: size.width * 0.12, through: size.width * 0.88, by: 8).map {
            x -> Point in
            let far = (x - middle) / (size.width * 0.16)
            let rise = exp(-far * far) * random(1 - roughness, 1 + roughness)
            return (x, y - height * (rise + random(0, 1) * 0.04))
        }
        polyline([(size.width * 0.1, y)] + points + [(size.width * 0.9, y)])
    }

    private mutating func branch(
        _ x: Double, _ y: Double, _ length: Double, _ turn: Double, _ thickness: Double
    ) {
        let (dx, dy) = Self.along(turn, length * 0.42)
        let (nx, ny) = Self.along(turn + 90, thickness / 2)
        polygon([
            (x - nx, y - ny), (x + nx, y + ny), (x + dx + nx * 0.6, y + dy + ny * 0.6),
            (x + dx - nx * 0.6, y + dy - ny * 0.6),
        ])
        guard length > 26 else { return }
        for side in [-1.0, 1] {
            branch(
                x + dx, y + dy, length * random(0.62, 0.8), turn + side * random(12, 34),
                thickness * 0.62)
        }
    }

    /// Returns a number from `least` to `most`, or `least` if that is larger.
    private mutating func random(_ least: Double, _ most: Double) -> Double {
        context.random.number(in: least...max(least, most))
    }

    /// Returns the offset of a distance in a direction: 0 degrees is to the right, 90 down.
    private static func along(_ degrees: Double, _ length: Double) -> Point {
        (cos(degrees * .pi / 180) * length, sin(degrees * .pi / 180) * length)
    }
}

extension Double {
    /// The number with at most two decimals; 0 if it is not finite.
    var svg: String {
        let rounded = isFinite && abs(self) < 1e9 ? (self * 100).rounded() / 100 : 0
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
