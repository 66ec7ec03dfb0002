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
        let drawn = try drawn(in: workspace, hasAllColors: !encoding.takesPlanes)
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
extension PictureCut {
    /// Places are sent in parts of a pixel.
    private static let parts = 65_536.0
    private static let maxSide = 65_535
    /// Bytes of the numbers of a tile.
    private static let perTile = 4

    var bytes: [UInt8] {
        var writer = ByteWriter()
        for value in [x, y, width, height] {
            writer.put(Int(clamped: (value * Self.parts).rounded()), 6)
        }
        for value in [outWidth, outHeight] { writer.put(value, 4) }
        for value in [isMirrored ? 1 : 0, quarters, colors.rawValue] { writer.put(value, 1) }
        for sides in [columns, rows] {
            writer.put(sides.count, 2)
            for side in sides { writer.put(side, 4) }
        }
        for tile in tiles { writer.put(tile.count, Self.perTile) }
        var bytes = writer.bytes
        bytes.reserveCapacity(tiles.reduce(bytes.count) { $0 + $1.count })
        for tile in tiles { bytes += tile }
        return bytes
    }

    /// Returns nil unless the bytes are exactly those of a cut.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        let places = (0..<4).compactMap { _ in reader.bigEndian(6).map { Double($0) / Self.parts } }
        guard places.count == 4, let outWidth = reader.bigEndian(4),
            let outHeight = reader.bigEndian(4), (1...Self.maxSide).contains(outWidth),
            (1...Self.maxSide).contains(outHeight), let mirrored = reader.byte(),
            let quarters = reader.byte(), quarters < 4,
            let colors = reader.byte().flatMap(Colors.init(rawValue:)),
            let columns = Self.sides(&reader), let rows = Self.sides(&reader),
            columns.count * rows.count <= reader.remaining / Self.perTile
        else { return nil }
        var lengths: [Int] = []
        for _ in 0..<columns.count * rows.count {
            guard let length = reader.bigEndian(Self.perTile) else { return nil }
            lengths.append(length)
        }
        var start = reader.position
        var tiles: [[UInt8]] = []
        for length in lengths {
            guard length <= bytes.count - start else { return nil }
            tiles.append(Array(bytes[start..<start + length]))
            start += length
        }
        guard start == bytes.count else { return nil }
        self.init(
            tiles: tiles, columns: columns, rows: rows, x: places[0], y: places[1],
            width: places[2], height: places[3], outWidth: outWidth, outHeight: outHeight,
            isMirrored: mirrored == 1, quarters: quarters, colors: colors)
        // A part of a pixel more, because layers are rounded up.
        let (across, down) = (Double(columns.reduce(0, +)), Double(rows.reduce(0, +)))
        guard width > 0, height > 0, x < across, y < down, x + width <= across + 1,
            y + height <= down + 1
        else { return nil }
    }

    private static func sides(_ reader: inout ByteReader) -> [Int]? {
        guard let count = reader.bigEndian(2), count > 0, count <= maxSide else { return nil }
        var sides: [Int] = []
        for _ in 0..<count {
            guard let side = reader.bigEndian(4), (1...maxSide).contains(side) else { return nil }
            sides.append(side)
        }
        // Tiles begin with whole color samples.
        guard sides.reduce(0, +) <= maxSide, sides.dropLast().allSatisfy({ $0 % 2 == 0 }) else {
            return nil
        }
        return sides
    }
}
