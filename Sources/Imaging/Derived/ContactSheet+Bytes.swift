/// The bytes of a contact sheet for a child process: size, background, lengths and cells of all
/// tiles, then the thumbnails one after the other.
extension ContactSheet {
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(width, 4)
        writer.put(height, 4)
        writer.put([background.red, background.green, background.blue])
        writer.put(tiles.count, 4)
        for tile in tiles {
            let cell = tile.cell
            for value in [tile.thumbnail.count, cell.x, cell.y, cell.width, cell.height] {
                writer.put(value, 4)
            }
        }
        var bytes = writer.bytes
        bytes.reserveCapacity(tiles.reduce(bytes.count) { $0 + $1.thumbnail.count })
        for tile in tiles { bytes += tile.thumbnail }
        return bytes
    }

    /// Returns nil unless the bytes are exactly those of a sheet.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let width = reader.bigEndian(4), let height = reader.bigEndian(4),
            let rgb = reader.bytes(3), let count = reader.bigEndian(4),
            // Checked before memory is reserved for so many.
            count <= reader.remaining / Self.bytesOfTile
        else { return nil }
        self.width = width
        self.height = height
        background = RGB(red: rgb[0], green: rgb[1], blue: rgb[2])
        tiles = []
        var lengths: [Int] = []
        for _ in 0..<count {
            guard let length = reader.bigEndian(4), let x = reader.bigEndian(4),
                let y = reader.bigEndian(4), let width = reader.bigEndian(4),
                let height = reader.bigEndian(4)
            else { return nil }
            lengths.append(length)
            tiles.append(
                Tile(
                    thumbnail: [],
                    cell: SheetLayout.Frame(x: x, y: y, width: width, height: height)))
        }
        var start = reader.position
        for index in tiles.indices {
            guard lengths[index] <= bytes.count - start else { return nil }
            tiles[index].thumbnail = Array(bytes[start..<start + lengths[index]])
            start += lengths[index]
        }
        guard start == bytes.count else { return nil }
    }

    /// Five numbers of four bytes.
    private static let bytesOfTile = 20
}
