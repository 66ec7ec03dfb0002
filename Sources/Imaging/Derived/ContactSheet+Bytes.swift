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
