import Catalog
package import FoundationEssentials
package import Imaging
package import Store

/// A part of a picture in pixels, and how it is shown. Equal results have equal requests.
package struct ZoomRequest: Sendable, Hashable {
    /// The part, in pixels of the whole picture.
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int
    /// The size before it is turned.
    package var outWidth: Int
    package var outHeight: Int
    package var isMirrored = false
    /// Quarters of a turn, clockwise, after mirroring: 0…3.
    package var quarters = 0
    package var colors = PictureCut.Colors.all
    package var format = ThumbnailFormat.jpeg

    package init(
        x: Int, y: Int, width: Int, height: Int, outWidth: Int, outHeight: Int
    ) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.outWidth = outWidth
        self.outHeight = outHeight
    }

    /// Whether it is shown as it is: upright and in its own colors.
    var isPlain: Bool { !isMirrored && quarters == 0 && colors == .all }

    /// Whether it is all of a picture of that size.
    package func isWhole(of size: ZoomSize) -> Bool {
        x == 0 && y == 0 && width == size.width && height == size.height
    }

    /// Returns the part of it that is in a picture of that size.
    func inside(_ size: ZoomSize) throws(Failure) -> ZoomRequest {
        guard x < size.width, y < size.height else {
            throw .notFound(reason: "The picture has changed. Ask for its info.json again.")
        }
        var request = self
        request.width = min(width, size.width - x)
        request.height = min(height, size.height - y)
        return request
    }

    /// Returns the tile that it is, if it is one of a picture of that size.
    func tile(of table: PyramidTable) -> Int? {
        guard isPlain, format == .jpeg else { return nil }
        for layer in table.layers.indices {
            let step = PyramidTable.side << layer
            guard x % step == 0, y % step == 0, x < table.width, y < table.height,
                width == min(step, table.width - x), height == min(step, table.height - y)
            else { continue }
            let (column, row) = (x / step, y / step)
            if outWidth == table.width(ofColumn: column, layer: layer),
                outHeight == table.height(ofRow: row, layer: layer)
            {
                return table.number(layer: layer, column: column, row: row)
            }
        }
        return nil
    }

    /// Returns the smallest layer that has at least the wanted size.
    func layer(of table: PyramidTable) -> Int {
        table.layers.indices.last { layer in
            width >> layer >= outWidth && height >> layer >= outHeight
        } ?? 0
    }

    /// Pixels that are read from a pyramid and made.
    func work(in table: PyramidTable) -> Int {
        let layer = layer(of: table)
        return ((width >> layer) + 1) * ((height >> layer) + 1) + outWidth * outHeight
    }
}

/// What is known of a picture before a part of it is made.
package struct ZoomFacts: Sendable, Equatable {
    package var size: ZoomSize
    package var freshUntil: Date
    /// Whether size and tiles are guessed, because no pyramid has been made.
    package var isExpected = false
}

/// A part of a picture, encoded.
package struct ZoomAnswer: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        /// A part of a blob.
        case part(OpenBlob, Range<Int>)
        /// The client has it.
        case known
    }

    package var content: Content
    /// Differs for different bytes.
    package var tag: String
    package var renderedAt: Date
    package var freshUntil: Date
    /// Whether only private caches may keep it.
    package var isPrivate: Bool
    package var outcome: CacheOutcome
    /// Whether a sharper one may follow.
    package var isPreview = false
}
