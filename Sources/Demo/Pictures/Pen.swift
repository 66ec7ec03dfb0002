import Foundation

/// Writes the data of one path, to a tenth of a unit.
struct Pen {
    private(set) var text: SVGText

    init(_ text: SVGText) { self.text = text }

    private mutating func at(_ command: StaticString, _ x: Double, _ y: Double) {
        text.add(command)
        text.add((x * 10).rounded() / 10)
        text.add(" ")
        text.add((y * 10).rounded() / 10)
    }

    private mutating func curve(_ a: (Double, Double), _ b: (Double, Double)) {
        at("Q", a.0, a.1)
        at(" ", b.0, b.1)
    }

    private mutating func close() { text.add("Z") }

    mutating func polyline(_ points: [(Double, Double)]) {
        for (index, point) in points.enumerated() {
            if index == 0 { at("M", point.0, point.1) } else { at("L", point.0, point.1) }
        }
    }

    mutating func polygon(_ points: [(Double, Double)]) {
        polyline(points)
        close()
    }

    /// Rounded through the middles of the sides.
    private mutating func smooth(_ points: [(Double, Double)]) {
        for (index, point) in points.enumerated() {
            let next = points[(index + 1) % points.count]
            let middle = ((point.0 + next.0) / 2, (point.1 + next.1) / 2)
            if index == 0 {
                let last = points[points.count - 1]
                at("M", (point.0 + last.0) / 2, (point.1 + last.1) / 2)
            }
            curve(point, middle)
        }
        close()
    }

    mutating func ellipse(_ x: Double, _ y: Double, _ a: Double, _ b: Double, _ turn: Double) {
        let (dx, dy) = Self.along(turn, a)
        at("M", x - dx, y - dy)
        for side in [1.0, -1] {
            at("A", a, b)
            text.add(" ")
            text.add(turn)
            text.add(" 1 1 ")
            at("", x + side * dx, y + side * dy)
        }
        close()
    }

    mutating func dab(_ x: Double, _ y: Double, _ a: Double, _ b: Double, _ turn: Double) {
        let ((dx, dy), (nx, ny)) = (Self.along(turn, a), Self.along(turn + 90, b * 2))
        at("M", x - dx, y - dy)
        curve((x + nx, y + ny), (x + dx, y + dy))
        curve((x - nx, y - ny), (x - dx, y - dy))
        close()
    }

    mutating func rect(_ x: Double, _ y: Double, _ w: Double, _ h: Double, _ turn: Double) {
        guard turn != 0 else { return polygon([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]) }
        let ((ax, ay), (bx, by)) = (Self.along(turn, w / 2), Self.along(turn + 90, h / 2))
        let (cx, cy) = (x + w / 2, y + h / 2)
        polygon([
            (cx - ax - bx, cy - ay - by), (cx + ax - bx, cy + ay - by),
            (cx + ax + bx, cy + ay + by), (cx - ax + bx, cy - ay + by),
        ])
    }

    mutating func blob(
        _ x: Double, _ y: Double, _ radius: Double, _ wobble: Double, _ stretch: Double,
        _ random: inout SeededRandom
    ) {
        let waves = (2...5).map { wave in
            (
                Double(wave), random.number(in: 0...max(wobble, 0)) / Double(wave) * 2,
                random.number(in: 0...360)
            )
        }
        smooth(
            (0..<28).map { step in
                let angle = Double(step) / 28 * 360
                let reach = waves.reduce(radius) { sum, wave in
                    sum + radius * wave.1 * Self.along(wave.0 * angle + wave.2, 1).0
                }
                let (dx, dy) = Self.along(angle, reach)
                return (x + dx * stretch, y + dy)
            })
    }

    mutating func land(_ points: [(Double, Double)], _ size: (width: Double, height: Double)) {
        polygon([(0, size.height + 1)] + points + [(size.width, size.height + 1)])
    }

    mutating func pines(
        _ ridge: Ridge, _ least: Double, _ most: Double, gap: Double,
        _ random: inout SeededRandom
    ) {
        var x = -gap
        while x < (ridge.points.last?.0 ?? 0) + gap {
            let tall = random.number(in: least...max(least, most))
            let foot = ridge.height(at: x) + tall * 0.1
            for tier in 0..<3 {
                let top = foot - tall * (1 - Double(tier) * 0.26)
                let half = tall * (0.1 + Double(tier) * 0.055)
                polygon([(x, top), (x + half, top + tall * 0.46), (x - half, top + tall * 0.46)])
            }
            x += gap * random.number(in: 0.4...1.6)
        }
    }

    mutating func towers(
        _ a: [Double], _ size: (width: Double, height: Double), _ random: inout SeededRandom
    ) -> [(Double, Double, Double, Double)] {
        var towers: [(Double, Double, Double, Double)] = []
        var x = -random.number(in: 0...max(a[1], 1))
        while x < size.width {
            let wide = random.number(in: a[1]...max(a[1], a[2]))
            let tall = random.number(in: a[3]...max(a[3], a[4])) * random.number(in: 0.62...1)
            let (top, middle) = (a[0] - tall, x + wide / 2)
            rect(x, top, wide, tall + size.height - a[0] + 1, 0)
            switch random.integer(in: 0...5) {
            case 0: rect(middle - 1.2, top - wide * 0.6, 2.4, wide * 0.6, 0)
            case 1: rect(x + wide * 0.2, top - wide * 0.25, wide * 0.6, wide * 0.26, 0)
            case 2: polygon([(x, top + 1), (x + wide, top + 1), (x + wide, top - wide * 0.35)])
            case 3:
                polygon([
                    (x + wide * 0.25, top + 1), (middle, top - wide * 0.7),
                    (x + wide * 0.75, top + 1),
                ])
            default: break
            }
            towers.append((x, top, wide, tall))
            x += wide + (random.chance(0.25) ? random.number(in: 2...16) : -1)
        }
        return towers
    }

    /// On a grid; whole floors are dark at times.
    mutating func windows(
        _ towers: [(Double, Double, Double, Double)], share: Double, _ w: Double, _ h: Double,
        _ random: inout SeededRandom
    ) {
        for (x, top, wide, tall) in towers {
            let columns = max(1, Int(wide / (w * 2.8)))
            let gap = wide / Double(columns)
            for floor in stride(from: top + h * 1.8, to: top + tall, by: h * 2.4)
            where random.chance(0.85) {
                for column in 0..<columns where random.chance(share) {
                    rect(x + (Double(column) + 0.5) * gap - w / 2, floor, w, h, 0)
                }
            }
        }
    }

    mutating func wave(
        y: Double, amplitude: Double, length: Double, phase: Double,
        _ size: (width: Double, height: Double)
    ) {
        let step = max(length, 8) / 2
        var (x, up) = (-step * (2 + phase / 180), 1.0)
        at("M", x, y)
        while x < size.width {
            curve((x + step / 2, y - amplitude * up * 2), (x + step, y))
            (x, up) = (x + step, -up)
        }
        at("L", x, size.height + 1)
        at("L", 0, size.height + 1)
        close()
    }

    mutating func sprig(
        _ x: Double, _ y: Double, _ turn: Double, _ length: Double, _ leaves: Int, _ leaf: Double
    ) {
        let (dx, dy) = Self.along(turn, length)
        dab(x + dx / 2, y + dy / 2, length / 2, length * 0.008, turn)
        for index in 0..<max(leaves, 0) {
            let place = 0.15 + 0.85 * Double(index) / Double(max(leaves, 1))
            let size = leaf * (1.1 - place * 0.6)
            for side in [-1.0, 1] {
                let (lx, ly) = Self.along(turn + side * (62 - place * 26), size)
                dab(
                    x + dx * place + lx, y + dy * place + ly, size, size * 0.3,
                    turn + side * (62 - place * 26))
            }
        }
    }

    mutating func signal(
        _ y: Double, _ height: Double, _ roughness: Double,
        _ size: (width: Double, height: Double), _ random: inout SeededRandom
    ) {
        let middle = size.width * random.number(in: 0.42...0.58)
        let points = stride(from: size.width * 0.12, through: size.width * 0.88, by: 8).map { x in
            let far = (x - middle) / (size.width * 0.16)
            let rise = exp(-far * far) * random.number(in: 1 - roughness...1 + roughness)
            return (x, y - height * (rise + random.fraction() * 0.04))
        }
        polyline([(size.width * 0.1, y)] + points + [(size.width * 0.9, y)])
    }

    mutating func branch(
        _ x: Double, _ y: Double, _ length: Double, _ turn: Double, _ thickness: Double,
        _ random: inout SeededRandom
    ) {
        let reach = length * 0.42
        let (dx, dy) = Self.along(turn, reach)
        let (nx, ny) = Self.along(turn + 90, thickness / 2)
        polygon([
            (x - nx, y - ny), (x + nx, y + ny), (x + dx + nx * 0.6, y + dy + ny * 0.6),
            (x + dx - nx * 0.6, y + dy - ny * 0.6),
        ])
        guard length > 26 else { return }
        for side in [-1.0, 1] {
            branch(
                x + dx, y + dy, length * random.number(in: 0.62...0.8),
                turn + side * random.number(in: 12...34), thickness * 0.62, &random)
        }
    }

    /// As far as `length` in a direction: 0 is to the right, 90 down.
    private static func along(_ degrees: Double, _ length: Double) -> (Double, Double) {
        (cos(degrees * .pi / 180) * length, sin(degrees * .pi / 180) * length)
    }
}
