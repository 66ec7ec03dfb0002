extension HeaderReader {
    /// Reads the size and kind of the page of a TIFF that is shown (TIFF 6.0; BigTIFF; TIFF technical note 2
    /// for tiles).
    static func tiff(_ original: [UInt8]) throws(ImagingError) -> Header {
        guard let start = TIFFDirectory.start(original, or: isReadablePage), let page = start.page
        else {
            throw .broken(reason: "the TIFF ends or goes wrong before its first page")
        }
        var header = try header(of: page, original)
        header.frames = start.pages
        header.page = start.at
        header.halvings = halved(original, header).count
        return header
    }

    /// Returns the header of a page.
    private static func header(
        of page: TIFFDirectory, _ original: [UInt8]
    ) throws(ImagingError) -> Header {
        guard let width = page.number(.width), let height = page.number(.height) else {
            throw .broken(reason: "the TIFF doesn't say how large its picture is")
        }
        let samples = page.number(.samples) ?? 1
        let depth = page.number(.bits) ?? 1
        guard 1...64 ~= depth, 1...64 ~= samples else {
            throw .unsupported(format: "TIFF with \(samples) samples of \(depth) bits")
        }
        guard hasTrueColors(page, depth) else {
            throw .unsupported(format: PictureVariant.name(original, .tiff))
        }
        let colors = [2: 3, 5: 4, 6: 3, 8: 3][page.number(.photometric) ?? 1] ?? 1
        var header = Header(
            format: .tiff, width: width, height: height,
            orientation: Orientation(exif: page.number(.orientation) ?? 1),
            hasAlpha: samples > colors)
        header.samples = Double(max(samples, colors))
        header.depth = depth
        // A decoder makes a row of tiles or a strip at once.
        // RowsPerStrip is 2³² - 1 by default.
        let rows =
            page.number(.tileHeight) ?? page.number(.rowsPerStrip).map { min($0, height) } ?? height
        let across = max(width, page.number(.tileWidth) ?? 0)
        let (piece, overflow) = across.multipliedReportingOverflow(by: max(1, min(rows, 1 << 20)))
        guard across < 1 << 24, !overflow else {
            throw .overLimit(reason: "a tile of \(across)×\(rows) pixels")
        }
        header.rowsAtOnce = piece / max(1, width)
        return header
    }

    /// Returns the header of the page that has a picture with its sides divided by a power of two; nil if there
    /// is none.
    ///
    /// - Parameter header: from ``tiff(_:)``.
    static func tiff(
        _ original: [UInt8], dividedBy factor: Int, of header: Header
    ) -> Header? {
        if factor == 1 { return header }
        let pages = halved(original, header)
        let index = factor.trailingZeroBitCount - 1
        return pages.indices.contains(index) ? pages[index] : nil
    }

    /// Returns the headers of the pages that have a picture with its sides halved once, twice and so on, rounded up
    /// or down.
    private static func halved(_ original: [UInt8], _ header: Header) -> [Header] {
        let copies = TIFFDirectory.copies(original, of: header.page)
        guard let whole = copies.whole else { return [] }
        var pages: [Int: Header] = [:]
        for (copy, place) in copies.smaller where isReadablePage(copy) && copy.isLike(whole) {
            var page: Header
            do throws(ImagingError) {
                page = try self.header(of: copy, original)
            } catch {
                // The picture is whole without it.
                continue
            }
            page.page = place
            page.frames = header.frames
            // A decoder has been given memory for the pieces of the whole.
            guard page.width * page.rowsAtOnce <= header.width * header.rowsAtOnce else { continue }
            for halvings in 1...Header.maxHalvings
            where pages[halvings] == nil && header.isSize(page.size, dividedBy: 1 << halvings) {
                pages[halvings] = page
            }
        }
        return (1...Header.maxHalvings).prefix { pages[$0] != nil }.compactMap { pages[$0] }
    }

    /// Returns whether a page can be shown in the place of the first one.
    static func isReadablePage(_ page: TIFFDirectory) -> Bool {
        guard let width = page.number(.width), let height = page.number(.height) else {
            return false
        }
        let depth = page.number(.bits) ?? 1
        return width > 0 && height > 0 && 1...64 ~= depth && 1...64 ~= page.number(.samples) ?? 1
            && !sensorData.contains(page.number(.photometric) ?? 1) && hasTrueColors(page, depth)
    }

    /// Colors that are those of a camera's sensor.
    private static let sensorData = [32_803, 34_892]

    /// Returns whether libvips reads the samples as what they are. It takes signed ones for unsigned ones, the
    /// upper of 32 bits for colors, and libtiff converts YCbCr for JPEG only.
    private static func hasTrueColors(_ page: TIFFDirectory, _ depth: Int) -> Bool {
        let kind = page.number(.sampleFormat) ?? 1
        if kind == 2 || depth > 16 && kind != 3 { return false }
        let jpeg = [6, 7]
        return page.number(.photometric) != 6 || jpeg.contains(page.number(.compression) ?? 1)
    }
}
