import CPixels

/// Splits rows of gray, RGB or RGBA into planes as they are decoded. A color sample is the mean of four
/// pixels, as in a thumbnail.
final class PlaneBuilder {
    let planes: Planes
    private let bands: Int
    /// Rows that are in the planes.
    private var row = 0
    /// A row that waits for its lower neighbor; nil for gray.
    private let upper: PixelBuffer?
    private var isWaiting = false
    /// Two rows of weighed colors; nil without alpha.
    private let weighed: PixelBuffer?
    private var isOpaque = true

    /// - Parameter bands: 1 for gray, 3 for RGB, 4 for RGB with straight alpha.
    init(
        _ size: PixelSize, bands: Int, in workspace: RenderWorkspace
    ) throws(ImagingError) {
        self.bands = bands
        planes = Planes(
            size, bands == 1 ? .gray : .both, hasAlpha: bands == 4, in: workspace)
        upper = bands == 1 ? nil : try PixelBuffer(width: size.width, height: 1, bands: bands)
        weighed = bands == 4 ? try PixelBuffer(width: size.width, height: 2, bands: 3) : nil
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

    /// Drops the alpha of a picture that is opaque. Call it behind the last row.
    func finish() { if isOpaque { planes.dropAlpha() } }

    private func split(_ top: UnsafePointer<UInt8>, _ bottom: UnsafePointer<UInt8>) {
        if let weighed, let alpha = planes.alpha {
            let status = pixels_rgba_to_planes(
                top, bottom, Int32(row), planes.planes[0], planes.planes[1], planes.planes[2],
                alpha, weighed.bytes)
            if status == 0 { isOpaque = false }
            row += 2
            return
        }
        pixels_rgb_to_planes(
            top, bottom, Int32(row), planes.planes[0], planes.planes[1], planes.planes[2])
        row += 2
    }
}
