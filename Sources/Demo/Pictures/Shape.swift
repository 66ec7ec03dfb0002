import Foundation

/// Outlines that templates ask for by name in `v:path`.
enum Shape: String, Sendable {
    /// x, y, radius.
    case circle
    /// x, y, radius, radius, degrees.
    case ellipse
    /// A pointed stroke of a brush: x, y, half length, half thickness, degrees.
    case dab
    /// x, y, width, height, degrees.
    case rect
    /// x, y, x, y, ….
    case poly, line
    /// A closed outline that wanders around a circle: x, y, radius, wobble, stretch.
    case blob
    /// Land down to the lower edge: base, reach, detail (2^n points), roughness.
    case ridge
    /// The last ridge once more: how much lower, how much of its peaks is cut off.
    case again
    /// The last ridge as an open line.
    case crest
    /// Firs along the last ridge: least height, greatest height, mean gap.
    case pines
    /// Houses: base, least width, greatest width, least height, greatest height.
    case towers
    /// Lit windows of the last houses: share, width, height.
    case windows
    /// Water down to the lower edge: y, amplitude, length, phase in degrees.
    case wave
    /// A branch with leaves: x, y, degrees, length, leaves, size of a leaf.
    case sprig
    /// A line with a hill in its middle: y, height, roughness.
    case signal
    /// A bare tree: x, foot, height, lean.
    case tree

    func draw(
        _ numbers: [Double], _ size: (width: Double, height: Double), _ ridge: inout Ridge,
        _ random: inout SeededRandom, _ out: inout SVGText
    ) {
        var pen = Pen(out)
        // Missing ones are 0.
        let a = numbers + [Double](repeating: 0, count: 6)
        let points = zip(numbers, numbers.dropFirst()).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        switch self {
        case .circle: pen.ellipse(a[0], a[1], a[2], a[2], 0)
        case .ellipse: pen.ellipse(a[0], a[1], a[2], a[3], a[4])
        case .dab: pen.dab(a[0], a[1], a[2], a[3], a[4])
        case .rect: pen.rect(a[0], a[1], a[2], a[3], a[4])
        case .poly: pen.polygon(points)
        case .line: pen.polyline(points)
        case .blob: pen.blob(a[0], a[1], a[2], a[3], numbers.count > 4 ? a[4] : 1, &random)
        case .ridge:
            ridge = Ridge(
                base: a[0], reach: a[1], detail: Int(a[2]), roughness: a[3], width: size.width,
                &random)
            pen.land(ridge.points, size)
        case .again: pen.land(ridge.lower(by: a[0], cut: a[1]), size)
        case .crest: pen.polyline(ridge.points)
        case .pines: pen.pines(ridge, a[0], a[1], gap: a[2], &random)
        case .towers: ridge.towers = pen.towers(a, size, &random)
        case .windows: pen.windows(ridge.towers, share: a[0], a[1], a[2], &random)
        case .wave: pen.wave(y: a[0], amplitude: a[1], length: a[2], phase: a[3], size)
        case .sprig: pen.sprig(a[0], a[1], a[2], a[3], Int(a[4]), a[5])
        case .signal: pen.signal(a[0], a[1], a[2], size, &random)
        case .tree: pen.branch(a[0], a[1], a[2], -90 + a[3], a[2] / 16, &random)
        }
        out = pen.text
    }
}

/// The last land that was drawn, for what stands on it.
struct Ridge {
    var points: [(Double, Double)] = []
    /// x, y, width, height.
    var towers: [(Double, Double, Double, Double)] = []
    private var base = 0.0

    init() {}

    /// By midpoint displacement.
    init(
        base: Double, reach: Double, detail: Int, roughness: Double, width: Double,
        _ random: inout SeededRandom
    ) {
        self.base = base
        let count = 1 << min(max(detail, 1), 10)
        var heights = [Double](repeating: 0, count: count + 1)
        heights[0] = random.fraction()
        heights[count] = random.fraction()
        var (step, spread) = (count, 0.5)
        while step > 1 {
            for index in stride(from: step / 2, to: count, by: step) {
                let middle = (heights[index - step / 2] + heights[index + step / 2]) / 2
                heights[index] = middle + random.number(in: -spread...spread)
            }
            (step, spread) = (step / 2, spread * roughness)
        }
        let low = heights.min() ?? 0
        let span = max((heights.max() ?? 1) - low, 0.001)
        points = heights.enumerated().map {
            (Double($0) * width / Double(count), base - ($1 - low) / span * reach)
        }
    }

    func lower(by distance: Double, cut: Double) -> [(Double, Double)] {
        points.map { ($0.0, min($0.1 + cut, base) + distance) }
    }

    func height(at x: Double) -> Double {
        guard let last = points.last, last.0 > 0 else { return base }
        let index = Int(x / last.0 * Double(points.count - 1))
        return points[min(max(index, 0), points.count - 1)].1
    }
}
