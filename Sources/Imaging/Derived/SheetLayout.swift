/// The places of a contact sheet's pictures: a grid of cells as large as a level's box, with equal
/// gutters between and around them, in the smallest square that holds them. Pure.
package struct SheetLayout: Sendable, Hashable {
    /// A rectangle of a sheet in pixels from its top left corner.
    package struct Frame: Sendable, Hashable {
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int

        /// Returns the frame of a picture in the middle of this one.
        func centered(width: Int, height: Int) -> Frame {
            Frame(
                x: x + (self.width - width) / 2, y: y + (self.height - height) / 2, width: width,
                height: height)
        }
    }

    package let columns: Int
    package let rows: Int
    /// Pixels between cells and around them.
    package let gutter: Int
    private let cell: PixelSize

    package var width: Int { Self.length(columns, cell.width, gutter) }
    package var height: Int { Self.length(rows, cell.height, gutter) }
    package var pixels: Int { .clampedProduct(width, height) }

    /// Lays out `count` pictures; a sheet of none has one empty cell.
    package init(count: Int, level: Level) {
        let count = max(1, count)
        let cell = PixelSize(width: level.width, height: level.height)
        let gutter = max(2, min(level.width, level.height) / 16)
        // A square of n cells has about √(n · height / width) columns; the best is beside that.
        let ideal = (Double(count) * Double(cell.height) / Double(cell.width)).squareRoot()
        let near = max(1, Int(clamped: ideal) - 1)...max(1, Int(clamped: ideal + 2))
        func rows(_ columns: Int) -> Int { (count - 1) / columns + 1 }
        /// The side of the surrounding square, then the pixels.
        func cost(_ columns: Int) -> (Int, Int) {
            let width = Self.length(columns, cell.width, gutter)
            let height = Self.length(rows(columns), cell.height, gutter)
            return (max(width, height), .clampedProduct(width, height))
        }
        let columns = near.map { min($0, count) }.min { cost($0) < cost($1) } ?? 1
        self.columns = columns
        self.rows = rows(columns)
        self.gutter = gutter
        self.cell = cell
    }

    /// Returns the frame of a picture, in the middle of its cell.
    package func frame(_ index: Int, width: Int, height: Int) -> Frame {
        cell(index).centered(width: width, height: height)
    }

    /// Returns the cell of that number, counted by rows from the top left.
    func cell(_ index: Int) -> Frame {
        Frame(
            x: gutter + index % columns * (cell.width + gutter),
            y: gutter + index / columns * (cell.height + gutter), width: cell.width,
            height: cell.height)
    }

    private static func length(_ count: Int, _ side: Int, _ gutter: Int) -> Int {
        .clampedSum(.clampedProduct(count, side), .clampedProduct(.clampedSum(count, 1), gutter))
    }
}

/// The look of contact sheets and their largest size.
package struct SheetPolicy: Sendable, Hashable {
    /// Pixels of a sheet; 16 million hold a page of 250 thumbnails of 160×240, and take 48 MB of
    /// memory while they are drawn.
    package var maxPixels = 16_000_000
    /// The color behind and between the pictures.
    package var background = RGB(red: 0xf4, green: 0xf5, blue: 0xf7)
    /// Longest side in pixels; WebP can't have more.
    package static let maxSide = 16_383

    package init() {}

    package func allows(_ layout: SheetLayout) -> Bool {
        layout.pixels <= maxPixels && max(layout.width, layout.height) <= Self.maxSide
    }
}
