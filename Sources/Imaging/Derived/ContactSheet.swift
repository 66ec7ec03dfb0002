#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
            draw(
                try picture.flattened(on: background), on: canvas.buffer,
                tile.cell.centered(width: picture.width, height: picture.height))
        }
        return canvas.buffer
    }

    /// Copies the part within the sheet.
    private func draw(_ picture: PixelBuffer, on sheet: PixelBuffer, _ frame: SheetLayout.Frame) {
        let (left, right) = (max(0, frame.x), min(sheet.width, frame.x + frame.width))
        let (top, bottom) = (max(0, frame.y), min(sheet.height, frame.y + frame.height))
        guard left < right, top < bottom else { return }
        for y in top..<bottom {
            let from =
                picture.bytes + (y - frame.y) * picture.stride + (left - frame.x) * picture.bands
            let to = sheet.bytes + y * sheet.stride + left * 3
            if picture.bands == 3 {
                memcpy(to, from, (right - left) * 3)
            } else {
                for x in 0..<right - left {
                    for band in 0..<3 { to[x * 3 + band] = from[x] }
                }
            }
        }
    }
}
