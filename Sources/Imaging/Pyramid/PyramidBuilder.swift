import CPixels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Cuts rows, as they are decoded, into the tiles of all layers. Of each layer it has one row of tiles
/// in memory.
///
/// Rows come as they are stored. A picture that is turned for viewing is cut so that its tiles, turned
/// one by one, are those of the upright picture.
final class PyramidBuilder {
    private var table: PyramidTable
    private let orientation: Orientation
    private let background: RGB
    private let quality: Int
    private let workspace: RenderWorkspace
    private var layers: [Layer] = []
    private var bytes: [UInt8]
    /// A row without alpha; nil if rows have none.
    private let flat: PixelBuffer?
    private let inputBands: Int
    private var failure: ImagingError?
    private var smallest: PixelBuffer?

    /// - Parameters:
    ///   - stored: the size as stored.
    ///   - bands: of the rows that come: 1, 3 or 4.
    ///   - background: behind transparent pixels.
    init(
        _ stored: PixelSize, _ orientation: Orientation, bands: Int, quality: Int, background: RGB,
        in workspace: RenderWorkspace
    ) throws(ImagingError) {
        table = PyramidTable(stored.turned(orientation))
        self.orientation = orientation
        self.background = background
        self.quality = quality
        self.workspace = workspace
        inputBands = bands
        flat = bands == 4 ? try PixelBuffer(width: stored.width, height: 1, bands: 3) : nil
        bytes = Array(repeating: 0, count: table.byteCount)
        for layer in table.layers {
            let upright = PixelSize(width: layer.width, height: layer.height)
            layers.append(
                try Layer(upright.turned(orientation), orientation, bands: min(3, bands)))
        }
    }

    /// Takes further rows from the top. Errors show in ``finish()``.
    func push(_ rows: UnsafePointer<UInt8>, _ stride: Int, _ count: Int) {
        guard failure == nil else { return }
        do throws(ImagingError) {
            for row in 0..<count {
                let from = rows + row * stride
                guard let flat else {
                    try push(from, to: 0)
                    continue
                }
                pixels_flatten(
                    from, flat.width, background.red, background.green, background.blue, flat.bytes)
                try push(flat.bytes, to: 0)
            }
        } catch {
            failure = error
        }
    }

    /// Returns the blob, and the pixels of its smallest layer. Call it after the last row.
    func finish() throws(ImagingError) -> (bytes: [UInt8], smallest: PixelBuffer) {
        if let failure { throw failure }
        guard let smallest else { throw .broken(reason: "the picture ends too early") }
        bytes.replaceSubrange(0..<table.byteCount, with: table.bytes)
        return (bytes, smallest)
    }

    private func push(_ row: UnsafePointer<UInt8>, to number: Int) throws(ImagingError) {
        let layer = layers[number]
        guard layer.row < layer.size.height else { return }
        layer.take(row)
        if layer.isStripFull { try encodeStrip(number) }
        guard number + 1 < layers.count, let half = layer.halved(row) else { return }
        try push(half, to: number + 1)
    }

    private func encodeStrip(_ number: Int) throws(ImagingError) {
        let layer = layers[number]
        var left = 0
        for column in 0..<layer.columns {
            let width = layer.width(ofColumn: column)
            let tile = try PixelBuffer(
                width: width, height: layer.rowsInStrip, bands: layer.strip.bands)
            for row in 0..<layer.rowsInStrip {
                memcpy(
                    tile.bytes + row * tile.stride,
                    layer.strip.bytes + row * layer.strip.stride + left * layer.strip.bands,
                    tile.stride)
            }
            left += width
            let upright = try tile.oriented(orientation)
            let encoded = try workspace.codec.encode(
                upright, quality: quality, in: workspace.memory)
            let place = layer.place(column: column)
            table.place(
                table.number(layer: number, column: place.column, row: place.row),
                bytes.count..<bytes.count + encoded.count)
            bytes += encoded
            if number == layers.count - 1 { smallest = upright }
        }
        layer.nextStrip()
    }

    /// One layer in the stored orientation.
    private final class Layer {
        let size: PixelSize
        let strip: PixelBuffer
        let columns: Int
        private let rows: Int
        private let orientation: Orientation
        /// Rows that came.
        private(set) var row = 0
        private(set) var rowsInStrip = 0
        private var strips = 0
        /// The upper row of a pair.
        private let upper: PixelBuffer
        private let half: PixelBuffer

        init(_ size: PixelSize, _ orientation: Orientation, bands: Int) throws(ImagingError) {
            self.size = size
            self.orientation = orientation
            let side = PyramidTable.side
            columns = (size.width + side - 1) / side
            rows = (size.height + side - 1) / side
            strip = try PixelBuffer(
                width: size.width, height: min(side, size.height), bands: bands)
            upper = try PixelBuffer(width: size.width, height: 1, bands: bands)
            half = try PixelBuffer(width: (size.width + 1) / 2, height: 1, bands: bands)
        }

        func take(_ pixels: UnsafePointer<UInt8>) {
            memcpy(strip.bytes + rowsInStrip * strip.stride, pixels, strip.stride)
            rowsInStrip += 1
            row += 1
        }

        var isStripFull: Bool {
            rowsInStrip == Self.length(strips, of: rows, size.height, orientation.mirrorsRows)
        }

        func nextStrip() {
            rowsInStrip = 0
            strips += 1
        }

        func width(ofColumn column: Int) -> Int {
            Self.length(column, of: columns, size.width, orientation.mirrorsColumns)
        }

        /// Tiles are counted from the upright picture's corner, so that the shorter ones come first
        /// along a flipped side.
        private static func length(_ index: Int, of count: Int, _ whole: Int, _ flips: Bool) -> Int
        {
            let last = whole - (count - 1) * PyramidTable.side
            return index == (flips ? 0 : count - 1) ? last : PyramidTable.side
        }

        /// Returns the upright place of a tile of the current strip.
        func place(column: Int) -> (column: Int, row: Int) {
            let across = orientation.mirrorsColumns ? columns - 1 - column : column
            let down = orientation.mirrorsRows ? rows - 1 - strips : strips
            return orientation.swapsSides ? (down, across) : (across, down)
        }

        /// Returns a row of the next layer once both of its rows came. An odd row or column at the
        /// right or lower edge of the upright picture stands alone.
        func halved(_ pixels: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
            let isFirstAlone = orientation.mirrorsRows && size.height % 2 == 1
            let isLower = (row - 1 + (isFirstAlone ? 1 : 0)) % 2 == 1
            if !isLower, row < size.height {
                memcpy(upper.bytes, pixels, upper.stride)
                return nil
            }
            let isAlone = !isLower || (isFirstAlone && row == 1)
            pixels_halve(
                isAlone ? pixels : UnsafePointer(upper.bytes), pixels, Int32(size.width),
                Int32(strip.bands), orientation.mirrorsColumns && size.width % 2 == 1 ? 1 : 0,
                half.bytes)
            return UnsafePointer(half.bytes)
        }
    }
}
