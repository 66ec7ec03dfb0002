/// Many thumbnails in one picture, drawn by one thread. Decodes one thumbnail at a time, so that
/// the memory is that of the sheet.
struct ContactSheet: Sendable, Equatable {
    /// A thumbnail and its place.
    struct Tile: Sendable, Equatable {
        /// An encoded picture.
        var thumbnail: [UInt8]
        /// The thumbnail is drawn in its middle.
        var cell: SheetLayout.Frame
    }

    /// Size in pixels.
    var width: Int
    var height: Int
    var background: RGB
    var tiles: [Tile]

    /// - Parameter thumbnails: encoded, in the order of the layout's cells.
    init(_ thumbnails: [[UInt8]], _ layout: SheetLayout, background: RGB) {
        width = layout.width
        height = layout.height
        self.background = background
        tiles = thumbnails.enumerated().map { index, thumbnail in
            Tile(thumbnail: thumbnail, cell: layout.cell(index))
        }
    }

    var pixels: Int { .clampedProduct(width, height) }

    func drawn(_ decoder: Decoder) throws(ImagingError) -> PixelBuffer {
        let canvas = try Canvas(width: width, height: height, fill: background)
        for tile in tiles {
            guard let format = ImageFormat.sniff(tile.thumbnail) else {
                throw .notAnImage(looksLike: ContentGuess.name(tile.thumbnail))
            }
            let header = try HeaderReader.read(tile.thumbnail, format)
            let picture = try decoder.decode(tile.thumbnail, header) { [$0] }.pictures[0].pixels()
            let frame = tile.cell.centered(width: picture.width, height: picture.height)
            canvas.lay(try picture.flattened(on: background), x: frame.x, y: frame.y)
        }
        return canvas.buffer
    }
}

/// The bytes of a contact sheet for a child process: size, background, lengths and cells of all
/// tiles, then the thumbnails one after the other.
extension ContactSheet: Message {
    static let blank = Self(
        [], SheetLayout(count: 0, level: Level(name: "", width: 1, height: 1)),
        background: RGB(red: 0, green: 0, blue: 0))

    mutating func fields(_ message: inout MessageFields) {
        message.number(&width, 4)
        message.number(&height, 4)
        message.color(&background)
        var places = tiles.map { (length: $0.thumbnail.count, cell: $0.cell) }
        let none = (length: 0, cell: SheetLayout.Frame(x: 0, y: 0, width: 0, height: 0))
        message.list(&places, in: 0...Int(UInt32.max), bytes: 4, of: none) { place, message in
            message.number(&place.length, 4)
            message.number(&place.cell.x, 4)
            message.number(&place.cell.y, 4)
            message.number(&place.cell.width, 4)
            message.number(&place.cell.height, 4)
        }
        var thumbnails = tiles.map(\.thumbnail)
        message.bytes(&thumbnails, places.map(\.length))
        tiles = zip(thumbnails, places).map { Tile(thumbnail: $0, cell: $1.cell) }
    }
}
