import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store

/// The pyramids of pictures.
///
/// A pyramid is a rendition like a thumbnail: a ``Miss`` makes it from the largest candidate, and the
/// index, eviction, purges and pins know it.
final class Pyramids: Sendable {
    /// Pyramids whose files are kept open.
    private static let mostOpen = 32

    private let pictures: Pictures
    private let opened = MemoryTier<Item, OpenPyramid>(maxCost: mostOpen, maxCount: mostOpen)

    private var thumbnails: StoredThumbnails { pictures.thumbnails }
    private var now: @Sendable () -> Date { pictures.now }

    init(_ pictures: Pictures) { self.pictures = pictures }

    /// Returns the pyramid if it is stored, and refreshes it in the background if it has expired. One of a
    /// file in a folder is returned only while the file is as it was.
    func stored(_ item: Item) async throws -> OpenPyramid? {
        switch try await pictures.context.folders.state(of: item) {
        case nil:
            let pyramid = try await open(item)
            if let pyramid, pyramid.wantsRefresh(at: now()) {
                pictures.misses.refresh(item, MissRequest([.pyramid]))
            }
            return pyramid
        case .unchanged(let digest)?:
            guard let pyramid = try await open(item), pyramid.original == digest else { return nil }
            return pyramid
        case .changed?, .rejected?: return nil
        }
    }

    /// Closes the files of pyramids that were purged, which take their room on the disk until then.
    func closePurged() {
        for item in opened.keys {
            guard let open = opened.value(item), open.epoch != pictures.memory.epoch(of: item)
            else { continue }
            opened.remove(item)
        }
    }

    /// Returns the pyramid that the index has, from memory if it is open already.
    private func open(_ item: Item) async throws -> OpenPyramid? {
        let folder = pictures.context.folders.folder(of: item)
        let epoch = pictures.memory.epoch(of: item)
        if let open = opened.value(item), open.epoch == epoch, open.blob.isUnchanged,
            folder == nil || open.freshUntil > now()
        {
            thumbnails.blobs.touch(open.blob.digest)
            return open
        }
        guard let known = try await thumbnails.resolution(of: item, Rendition.pyramid.level),
            let original = known.original,
            let record = try await thumbnails.index.thumbnail(thumbnails.key(original, .pyramid)),
            let blob = try await thumbnails.blobs.open(record.facts.digest),
            let table = try await Self.table(of: blob)
        else { return nil }
        let open = OpenPyramid(
            table: table, blob: blob, original: original,
            // The file was looked at just now.
            freshUntil: folder.map {
                max(known.freshUntil, pictures.context.folders.freshUntil($0))
            } ?? known.freshUntil,
            isPrivate: known.isPrivate, renderedAt: record.facts.renderedAt, epoch: epoch,
            failedUntil: known.failure?.until)
        opened.insert(open, for: item, cost: 1)
        return open
    }

    /// Returns why an item has no pyramid, while that is remembered. What was found out about an original
    /// counts while its file or URL has these bytes.
    func failure(of item: Item) async throws -> Failure? {
        guard let known = try await thumbnails.resolution(of: item, Rendition.pyramid.level) else {
            return nil
        }
        let failure = known.isRemembered ? known.failure : nil
        guard let original = known.original else { return failure }
        // With a pyramid, it says why that could not be refreshed.
        guard
            try await thumbnails.index.thumbnail(thumbnails.key(original, .pyramid)) == nil,
            try await isCurrent(original, of: item, at: known.url)
        else { return nil }
        guard known.freshUntil > now(),
            let reason = pictures.context.renders.reason(
                against: try await thumbnails.index.quarantined(original), isPyramid: true)
        else { return failure }
        return Failure(.rejected, reason, until: known.freshUntil)
    }

    /// Returns whether an item's file, or its URL as far as is known, still has these bytes.
    private func isCurrent(
        _ original: Digest, of item: Item, at url: String?
    ) async throws -> Bool {
        let context = pictures.context
        if let state = try await context.folders.state(of: item) {
            return state == .unchanged(original)
        }
        guard let url else { return false }
        return try await context.originals.isCurrent(original, at: url)
    }

    private static func table(of blob: OpenBlob) async throws -> PyramidTable? {
        guard let count = PyramidTable.byteCount(blob.beginning) else { return nil }
        let bytes =
            count <= blob.beginning.count ? blob.beginning : try await blob.read(0..<count)
        return PyramidTable(bytes, blob: blob.byteCount)
    }

    /// Returns the pyramid after it was made. Concurrent callers share the work.
    func made(_ item: Item) async throws -> (OpenPyramid, CacheOutcome) {
        let (result, joined) = try await pictures.misses.visit(item, MissRequest([.pyramid]))
        // A file that was just written is not known to be unchanged, but this is its pyramid.
        if let pyramid = try await open(item) { return (pyramid, joined ? .collapsed : .miss) }
        throw result.failure
            ?? pictures.context.originals.failure(.unavailable, "The pyramid was lost.")
    }
}

/// A pyramid that is stored, with its file open.
struct OpenPyramid: Sendable {
    let table: PyramidTable
    let blob: OpenBlob
    let original: Digest
    let freshUntil: Date
    let isPrivate: Bool
    let renderedAt: Date
    /// Of the item when it was read from the index.
    let epoch: UInt64
    /// How long the failure of its last refresh is remembered; nil after a success.
    let failedUntil: Date?

    var size: ZoomSize { ZoomSize(width: table.width, height: table.height) }

    func wantsRefresh(at now: Date) -> Bool {
        FreshnessPolicy.wantsRefresh(freshUntil, failedUntil, at: now)
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
