import CPixels

/// Splits rows of gray or sRGB into planes as they are decoded. A color sample is the mean of four pixels,
/// as in a thumbnail.
final class PlaneBuilder {
    let planes: Planes
    private let bands: Int
    /// Rows that are in the planes.
    private var row = 0
    /// A row that waits for its lower neighbor; nil for gray.
    private let upper: PixelBuffer?
    private var isWaiting = false

    init(_ rows: DecodedRows, in workspace: RenderWorkspace) throws(ImagingError) {
        bands = rows.bands
        planes = Planes(rows.header.size, bands == 1 ? .gray : .both, in: workspace)
        upper =
            bands == 1 ? nil : try PixelBuffer(width: rows.header.width, height: 1, bands: bands)
    }

    func push(_ rows: UnsafePointer<UInt8>, _ stride: Int, _ count: Int) {
        let count = min(count, planes.size.height - row - (isWaiting ? 1 : 0))
        guard let upper else {
            let plane = planes.planes[0]
            for index in 0..<max(0, count) {
                (plane.samples + (row + index) * plane.stride).update(
                    from: rows + index * stride, count: planes.size.width)
            }
            row += count
            return
        }
        var index = 0
        if isWaiting, count > 0 {
            split(upper.bytes, rows)
            (index, isWaiting) = (1, false)
        }
        while index + 1 < count {
            split(rows + index * stride, rows + (index + 1) * stride)
            index += 2
        }
        guard index < count else { return }
        let last = rows + index * stride
        if row + 1 == planes.size.height {
            split(last, last)
        } else {
            upper.bytes.update(from: last, count: upper.stride)
            isWaiting = true
        }
    }

    private func split(_ top: UnsafePointer<UInt8>, _ bottom: UnsafePointer<UInt8>) {
        pixels_rgb_to_planes(
            top, bottom, Int32(row), planes.planes[0], planes.planes[1], planes.planes[2])
        row += 2
    }
}
