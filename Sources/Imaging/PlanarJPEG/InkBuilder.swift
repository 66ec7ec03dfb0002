import CPixels

/// Makes planes in sRGB of rows of CMYK as they are decoded: resampled in ink to each size, and then converted.
/// Only as many rows are in memory as the resampler needs at a time.
final class InkBuilder {
    private let header: Header
    private let workspace: RenderWorkspace
    private let colors: ColorTransform
    /// As decoded.
    private let size: PixelSize
    private let targets: [Target]
    /// Cyan, magenta, yellow and black of the rows that are still needed.
    private let strip: [Planes]
    /// The row of the picture that the strip begins with, and how many it has.
    private var (top, filled) = (0, 0)
    private var failure: ImagingError?

    /// Rows of the picture that a part of a thumbnail stands for, at most.
    private static let part = 64.0

    /// - Parameters:
    ///   - size: as decoded: the sides of the whole picture divided by `factor`, rounded up or down.
    ///   - header: of the whole picture.
    ///   - sizes: of thumbnails, as seen.
    init(
        _ size: PixelSize, of header: Header, shrunkBy factor: Int, to sizes: [PixelSize],
        _ colors: ColorTransform, in workspace: RenderWorkspace
    ) throws(ImagingError) {
        (self.header, self.workspace, self.colors) = (header, workspace, colors)
        self.size = size
        var targets: [Target] = []
        for seen in sizes {
            targets.append(
                try Target(seen.turned(header.orientation), of: size, header, shrunkBy: factor))
        }
        self.targets = targets
        let room = targets.map(\.room).max() ?? 1
        strip = (0..<4).map { _ in
            Planes(PixelSize(width: size.width, height: room), .gray, in: workspace)
        }
    }

    /// A thumbnail, as stored.
    private final class Target {
        let size: PixelSize
        let pixels: PixelBuffer
        /// Pixels of the picture for one of the thumbnail.
        let scale: (x: Double, y: Double)
        private let height: Int
        /// Rows that are made at a time. Where they begin doesn't depend on other thumbnails, so that rounding
        /// doesn't either.
        private let count: Int
        /// The first row that isn't made.
        var next = 0

        init(
            _ size: PixelSize, of whole: PixelSize, _ header: Header, shrunkBy factor: Int
        ) throws(ImagingError) {
            self.size = size
            height = whole.height
            scale = (
                Double(header.width) / Double(factor * size.width),
                Double(header.height) / Double(factor * size.height)
            )
            count = max(1, Int(InkBuilder.part / scale.y))
            pixels = try PixelBuffer(width: size.width, height: size.height, bands: 3)
        }

        var isDone: Bool { next == size.height }

        /// The rows that are made next.
        var rows: Range<Int> { next..<min(next + count, size.height) }

        /// The rows of the picture that have an influence on those.
        var needed: Range<Int> {
            let rows = rows
            let reach = 3 * max(1, scale.y) + 2
            let start = (Double(rows.lowerBound) + 0.5) * scale.y - reach
            let end = (Double(rows.upperBound) - 0.5) * scale.y + reach
            return max(0, Int(start))..<min(height, Int(end) + 1)
        }

        /// Rows of the picture that are needed at a time, at most.
        var room: Int {
            min(height, Int(Double(count) * scale.y + 6 * max(1, scale.y)) + 8)
        }
    }

    func push(_ rows: UnsafePointer<UInt8>, _ stride: Int, _ count: Int) {
        for row in 0..<count where failure == nil && targets.contains(where: { !$0.isDone }) {
            let lines = strip.map { $0.planes[0].samples + filled * $0.planes[0].stride }
            pixels_split_ink(
                rows + row * stride, Int32(size.width), lines[0], lines[1], lines[2], lines[3])
            filled += 1
            do throws(ImagingError) {
                try advance()
            } catch {
                failure = error
            }
        }
    }

    /// Returns a thumbnail for each size, upright.
    func finish() throws(ImagingError) -> [Planes] {
        if let failure { throw failure }
        guard targets.allSatisfy(\.isDone) else { throw .broken(reason: DecoderMessage.damaged) }
        var made: [Planes] = []
        for target in targets {
            let pixels = try target.pixels.oriented(header.orientation)
            let builder = try PlaneBuilder(pixels.size, bands: pixels.bands, in: workspace)
            builder.push(pixels.bytes, pixels.stride, pixels.height)
            made.append(builder.planes)
        }
        return made
    }

    /// Makes all rows whose ink is there, and drops what no other row needs.
    private func advance() throws(ImagingError) {
        var isLess = false
        for target in targets {
            while !target.isDone, target.needed.upperBound <= top + filled {
                try make(target)
                isLess = true
            }
        }
        guard isLess else { return }
        let first = targets.filter { !$0.isDone }.map(\.needed.lowerBound).min() ?? top + filled
        let dropped = min(filled, first - top)
        for planes in strip {
            let plane = planes.planes[0]
            // Overlapping, in the order of memory.
            plane.samples.update(
                from: plane.samples + dropped * plane.stride,
                count: (filled - dropped) * plane.stride)
        }
        top += dropped
        filled -= dropped
    }

    private func make(_ target: Target) throws(ImagingError) {
        let (rows, needed) = (target.rows, target.needed)
        let part = PixelSize(width: target.size.width, height: rows.count)
        let resampled = strip.map { _ in Planes(part, .gray, in: workspace) }
        for (from, to) in zip(strip, resampled) {
            let plane = from.planes[0]
            let source = pixels_plane(
                samples: plane.samples + (needed.lowerBound - top) * plane.stride,
                width: plane.width, height: Int32(needed.count), stride: plane.stride)
            let across = pixels_mapping(scale: target.scale.x, offset: 0)
            let down = pixels_mapping(
                scale: target.scale.y,
                offset: Double(rows.lowerBound) * target.scale.y - Double(needed.lowerBound))
            guard
                pixels_resample_plane(
                    workspace.resampler, source, across, down, to.planes[0]) == 0
            else { throw PixelBuffer.noMemory(part.width, part.height) }
        }
        let ink = try PixelBuffer(width: part.width, height: part.height, bands: 4)
        let planes = resampled.map { $0.planes[0] }
        withExtendedLifetime(resampled) {
            pixels_join_ink(planes[0], planes[1], planes[2], planes[3], ink.bytes)
        }
        try colors.convert(
            ink: ink, to: target.pixels.bytes + rows.lowerBound * target.pixels.stride)
        target.next = rows.upperBound
    }
}
