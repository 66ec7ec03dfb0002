/// A part of a picture in another size, turned, in color or not, made from the tiles that it touches.
package struct PictureCut: Sendable, Equatable {
    package enum Colors: Int, Sendable, CaseIterable {
        case all, gray, bitonal
    }

    /// JPEGs, row by row.
    package var tiles: [[UInt8]]
    /// The widths of the columns and the heights of the rows of tiles.
    package var columns: [Int]
    package var rows: [Int]
    /// The part, in pixels of the tiles, whose upper left corner is 0, 0.
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double
    /// The size of the result before it is turned.
    package var outWidth: Int
    package var outHeight: Int
    package var isMirrored: Bool
    /// Quarters of a turn, clockwise, after mirroring.
    package var quarters: Int
    package var colors: Colors

    package init(
        tiles: [[UInt8]], columns: [Int], rows: [Int], x: Double, y: Double, width: Double,
        height: Double, outWidth: Int, outHeight: Int, isMirrored: Bool, quarters: Int,
        colors: Colors
    ) {
        self.tiles = tiles
        self.columns = columns
        self.rows = rows
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.outWidth = outWidth
        self.outHeight = outHeight
        self.isMirrored = isMirrored
        self.quarters = quarters
        self.colors = colors
    }

    /// The size of the result.
    package var size: (width: Int, height: Int) {
        quarters % 2 == 0 ? (outWidth, outHeight) : (outHeight, outWidth)
    }

    var pixels: Int { .clampedProduct(outWidth, outHeight) }

    /// Bytes that are in memory at the same time, besides the tiles: their planes, whose memory the
    /// turned result takes later, the planes of the result, and its pixels for an encoder that takes these.
    var memory: Int {
        let tiles = Int.clampedProduct(columns.reduce(0, +), rows.reduce(0, +))
        return .clampedSum(.clampedProduct(3, tiles) / 2, .clampedProduct(6, pixels))
    }

    private var orientation: Orientation {
        switch (isMirrored, quarters % 4) {
        case (false, 0): .upright
        case (false, 1): .turnedRight
        case (false, 2): .turnedHalf
        case (false, _): .turnedLeft
        case (true, 0): .mirrored
        case (true, 1): .transversed
        case (true, 2): .flipped
        case (true, _): .transposed
        }
    }

    /// Returns the bytes of the cut. What lies outside of the part has no influence, as if the part were
    /// cut out first.
    func encoded(
        as encoding: Encoding, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        let drawn = try drawn(in: workspace, hasAllColors: !encoding.format.takesPlanes)
        drawn.prepareForEncoding()
        return try drawn.encoded(as: encoding, in: workspace)
    }

    /// - Parameter hasAllColors: whether each pixel of the result has a color of its own.
    func drawn(
        in workspace: RenderWorkspace, hasAllColors: Bool
    ) throws(ImagingError) -> Planes {
        let touched = try self.touched(in: workspace)
        let across = Self.pixels(from: x, width, of: columns.reduce(0, +))
        let down = Self.pixels(from: y, height, of: rows.reduce(0, +))
        let isGray = colors != .all || touched.sampling == .gray
        let sampling: ChromaSampling = isGray ? .gray : hasAllColors ? .whole : .both
        let result = try touched.resampled(
            to: PixelSize(width: outWidth, height: outHeight), spanX: width, spanY: height,
            from: (x, y), within: (across, down), as: sampling, for: orientation)
        if colors == .bitonal { result.threshold(128) }
        return result.oriented(orientation)
    }

    /// Returns all tiles side by side.
    private func touched(in workspace: RenderWorkspace) throws(ImagingError) -> Planes {
        let isGray = try tiles.first.map { (tile) throws(ImagingError) in
            try HeaderReader.read(tile, .jpeg).samples == 1
        }
        let size = PixelSize(width: columns.reduce(0, +), height: rows.reduce(0, +))
        let planes = Planes(size, isGray == true ? .gray : .both, in: workspace)
        var top = 0
        for (row, height) in rows.enumerated() {
            var left = 0
            for (column, width) in columns.enumerated() {
                try planes.decodeTile(
                    tiles[row * columns.count + column],
                    PixelSize(width: width, height: height), left: left, top: top)
                left += width
            }
            top += height
        }
        return planes
    }

    /// Returns the whole pixels that a part touches.
    private static func pixels(from start: Double, _ length: Double, of count: Int) -> Range<Int> {
        let first = max(0, min(count - 1, Int(start)))
        return first..<max(first + 1, min(count, Int((start + length).rounded(.up))))
    }
}

/// The bytes of a cut for a child process: numbers, then the tiles one after the other.
extension PictureCut: Message {
    static let blank = Self(
        tiles: [], columns: [], rows: [], x: 0, y: 0, width: 0, height: 0, outWidth: 0,
        outHeight: 0,
        isMirrored: false, quarters: 0, colors: .all)

    /// Places are sent in parts of a pixel.
    private static let parts = 65_536.0
    private static let maxSide = 65_535

    mutating func fields(_ message: inout MessageFields) {
        for place in [\Self.x, \.y, \.width, \.height] {
            var parts = Int(clamped: (self[keyPath: place] * Self.parts).rounded())
            message.number(&parts, 6)
            self[keyPath: place] = Double(parts) / Self.parts
        }
        message.number(&outWidth, 4, in: 1...Self.maxSide)
        message.number(&outHeight, 4, in: 1...Self.maxSide)
        message.flag(&isMirrored)
        message.number(&quarters, 1, in: 0...3)
        message.one(of: &colors)
        for sides in [\Self.columns, \.rows] {
            message.list(&self[keyPath: sides], in: 1...Self.maxSide, of: 0) {
                $1.number(&$0, 4, in: 1...Self.maxSide)
            }
            // Tiles begin with whole color samples.
            message.require(
                self[keyPath: sides].reduce(0, +) <= Self.maxSide
                    && self[keyPath: sides].dropLast().allSatisfy { $0 % 2 == 0 })
        }
        var lengths = tiles.map(\.count)
        message.elements(&lengths, columns.count * rows.count, of: 0) { $1.number(&$0, 4) }
        message.bytes(&tiles, lengths)
        // A part of a pixel more, because layers are rounded up.
        let (across, down) = (Double(columns.reduce(0, +)), Double(rows.reduce(0, +)))
        message.require(
            width > 0 && height > 0 && x < across && y < down && x + width <= across + 1
                && y + height <= down + 1)
    }
}
