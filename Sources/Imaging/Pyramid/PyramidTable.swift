/// The layers of a pyramid and the places of its tiles.
///
/// The first layer is the picture, upright; each further one has half the size, rounded up, until one
/// fits into a tile. A tile is a JPEG. The blob begins with the table:
///
/// | bytes | |
/// | --- | --- |
/// | 8 | `vitrpyr1` |
/// | 4, 4 | width and height |
/// | 2 | side of a tile |
/// | 4 | number of tiles |
/// | 5, 4 each | place and length of a tile: layer by layer, row by row |
package struct PyramidTable: Sendable, Equatable {
    package struct Layer: Sendable, Equatable {
        package var width: Int
        package var height: Int
        package var columns: Int
        package var rows: Int
        /// The number of its first tile.
        package var first: Int
    }

    /// Width and height of a tile that is not at the right or lower edge.
    package static let side = 512
    /// Raised with every change of the tiles: it is part of a pyramid's recipe.
    static let version = 1
    /// Sides that the table can name; no original has more.
    private static let maxSide = 65_535

    /// From the largest to the smallest.
    package let layers: [Layer]
    /// The places of all tiles in the blob.
    package private(set) var ranges: [Range<Int>]

    package var width: Int { layers[0].width }
    package var height: Int { layers[0].height }

    /// Makes a table whose tiles have no place yet.
    init(_ size: PixelSize) {
        layers = Self.layers(width: size.width, height: size.height)
        ranges = Array(repeating: 0..<0, count: Self.count(layers))
    }

    /// Returns the layers of a picture of that size.
    package static func layers(width: Int, height: Int) -> [Layer] {
        precondition(width > 0 && height > 0)
        var (width, height, first) = (width, height, 0)
        var layers: [Layer] = []
        while true {
            let layer = Layer(
                width: width, height: height, columns: (width + side - 1) / side,
                rows: (height + side - 1) / side, first: first)
            layers.append(layer)
            if layer.columns == 1, layer.rows == 1 { return layers }
            first += layer.columns * layer.rows
            (width, height) = ((width + 1) / 2, (height + 1) / 2)
        }
    }

    private static func count(_ layers: [Layer]) -> Int {
        layers.reduce(0) { $0 + $1.columns * $1.rows }
    }

    /// Returns the number of a tile.
    package func number(layer: Int, column: Int, row: Int) -> Int {
        layers[layer].first + row * layers[layer].columns + column
    }

    /// Returns the width of the tiles of a column.
    package func width(ofColumn column: Int, layer: Int) -> Int {
        min(Self.side, layers[layer].width - column * Self.side)
    }

    /// Returns the height of the tiles of a row.
    package func height(ofRow row: Int, layer: Int) -> Int {
        min(Self.side, layers[layer].height - row * Self.side)
    }

    mutating func place(_ number: Int, _ range: Range<Int>) { ranges[number] = range }

    // MARK: - Bytes

    private static let magic: StaticString = "vitrpyr1"
    private static let fixed = 22
    private static let perTile = 9

    /// The table's bytes in the blob.
    var byteCount: Int { Self.fixed + Self.perTile * ranges.count }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(Self.magic.withUTF8Buffer { Array($0) })
        writer.put(width, 4)
        writer.put(height, 4)
        writer.put(Self.side, 2)
        writer.put(ranges.count, 4)
        for range in ranges {
            writer.put(range.lowerBound, 5)
            writer.put(range.count, 4)
        }
        return writer.bytes
    }

    /// Returns the bytes of the table at the beginning of a blob; nil if the blob is not a pyramid.
    ///
    /// - Parameter beginning: at least 22 bytes.
    package static func byteCount(_ beginning: [UInt8]) -> Int? {
        header(beginning).map {
            fixed + perTile * count(layers(width: $0.width, height: $0.height))
        }
    }

    private static func header(_ beginning: [UInt8]) -> PixelSize? {
        var reader = ByteReader(beginning)
        guard reader.take(magic), let width = reader.bigEndian(4), let height = reader.bigEndian(4),
            (1...maxSide).contains(width), (1...maxSide).contains(height),
            reader.bigEndian(2) == side
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// Reads the table at the beginning of a blob; nil if the blob is not a pyramid.
    ///
    /// - Parameter blob: bytes of the whole blob.
    package init?(_ beginning: [UInt8], blob: Int) {
        guard let size = Self.header(beginning) else { return nil }
        self.init(size)
        var reader = ByteReader(beginning)
        guard reader.skip(Self.fixed - 4), reader.bigEndian(4) == ranges.count else { return nil }
        for number in ranges.indices {
            guard let start = reader.bigEndian(5), let count = reader.bigEndian(4), count > 0,
                start >= byteCount, start <= blob, count <= blob - start
            else { return nil }
            ranges[number] = start..<start + count
        }
    }
}

extension PyramidTable {
    /// Returns whether bytes are those of a pyramid of that size, with a JPEG in each place.
    static func isWhole(_ bytes: [UInt8], width: Int, height: Int) -> Bool {
        guard let table = PyramidTable(bytes, blob: bytes.count), table.width == width,
            table.height == height
        else { return false }
        return table.ranges.allSatisfy { bytes[$0].starts(with: [0xFF, 0xD8, 0xFF]) }
    }
}

extension Rendition {
    /// The tiles of all layers of an original, in one blob. No level can have this name.
    package static let pyramid = Rendition(
        level: Level(name: "pyramid/\(PyramidTable.side)", width: 65_535, height: 65_535),
        format: .jpeg)

    package var isPyramid: Bool { level.name == Self.pyramid.level.name }
}
