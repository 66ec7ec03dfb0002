import FoundationEssentials
import Hashing
import Imaging
import Store

/// A pyramid that is stored, with its file open.
final class OpenPyramid: Sendable {
    let table: PyramidTable
    let blob: OpenBlob
    let original: Digest
    let freshUntil: Date
    let isPrivate: Bool
    let renderedAt: Date
    /// Of the item when it was read from the index.
    let epoch: UInt64
    /// Whether it has expired when this is over, and no failed refresh is remembered then.
    let failedUntil: Date?

    init(
        _ table: PyramidTable, _ blob: OpenBlob, original: Digest, freshUntil: Date,
        isPrivate: Bool, renderedAt: Date, epoch: UInt64, failedUntil: Date?
    ) {
        self.table = table
        self.blob = blob
        self.original = original
        self.freshUntil = freshUntil
        self.isPrivate = isPrivate
        self.renderedAt = renderedAt
        self.epoch = epoch
        self.failedUntil = failedUntil
    }

    var size: ZoomSize { ZoomSize(width: table.width, height: table.height) }

    func wantsRefresh(at now: Date) -> Bool {
        freshUntil <= now && (failedUntil.map { $0 <= now } ?? true)
    }

    /// Returns the cut of a request, with the tiles that it touches.
    func cut(_ request: ZoomRequest) async throws -> PictureCut {
        let layer = request.layer(of: table)
        let scale = Double(1 << layer)
        let (x, y) = (Double(request.x) / scale, Double(request.y) / scale)
        let (width, height) = (Double(request.width) / scale, Double(request.height) / scale)
        let whole = table.layers[layer]
        let columns = Self.tiles(from: x, width, of: whole.columns)
        let rows = Self.tiles(from: y, height, of: whole.rows)
        var tiles: [[UInt8]] = []
        for row in rows {
            for column in columns {
                let number = table.number(layer: layer, column: column, row: row)
                tiles.append(try await blob.read(table.ranges[number]))
            }
        }
        return PictureCut(
            tiles: tiles, columns: columns.map { table.width(ofColumn: $0, layer: layer) },
            rows: rows.map { table.height(ofRow: $0, layer: layer) },
            x: x - Double(columns.lowerBound * PyramidTable.side),
            y: y - Double(rows.lowerBound * PyramidTable.side), width: width, height: height,
            outWidth: request.outWidth, outHeight: request.outHeight,
            isMirrored: request.isMirrored, quarters: request.quarters, colors: request.colors)
    }

    private static func tiles(from start: Double, _ length: Double, of count: Int) -> Range<Int> {
        let side = Double(PyramidTable.side)
        let first = min(count - 1, Int(start / side))
        let end = Int(((start + length) / side).rounded(.up))
        return first..<max(first + 1, min(count, end))
    }
}
