/// What the decoder puts together: tiles of a grid, pictures on a canvas, colors and their alpha.
///
/// libheif 1.15 checks none of it. It shows the memory of its canvas where no tile is, and reads beyond an alpha
/// that is smaller than its picture.
extension HEIFItems {
    /// The size of a canvas, and what is put on it.
    private enum Canvas {
        /// Tiles in rows (ISO/IEC 23008-12, section 6.6.2.3).
        case grid(PixelSize, columns: Int, rows: Int)
        /// Pictures at these places (section 6.6.2.2).
        case overlay(PixelSize, places: [(x: Int, y: Int)])

        var size: PixelSize {
            switch self {
            case .grid(let size, _, _), .overlay(let size, _): size
            }
        }
    }

    /// Returns the size of the canvas of an item, whatever size is written beside it; nil if the item has none.
    func canvas(of item: Int) throws(ImagingError) -> PixelSize? {
        try composed(item)?.size
    }

    /// Refuses a picture of which the decoder would not write every pixel.
    ///
    /// - Throws: ``ImagingError/broken(reason:)``, which says what is missing.
    func checkParts(of primary: Int) throws(ImagingError) {
        var sizes: [Int: PixelSize] = [:]
        var seen: Set<Int> = [primary]
        var open = [primary]
        var canvases = 0
        while let item = open.popLast() {
            let size = try size(of: item, &sizes)
            if let canvas = try composed(item) {
                canvases += 1
                guard canvases <= Self.maxCanvases else {
                    throw .broken(
                        reason:
                            "more than \(Self.maxCanvases) of its pictures are made of others")
                }
                try check(canvas, parts: parts(of: item), &sizes)
            }
            for alpha in alphas(of: item) {
                let covered = try self.size(of: alpha, &sizes)
                guard covered == size else {
                    throw .broken(
                        reason:
                            "its transparency has \(covered.text) pixels, its colors \(size.text)")
                }
            }
            for next in parts(of: item) + alphas(of: item) where seen.insert(next).inserted {
                open.append(next)
            }
        }
    }

    /// Far above what cameras write: one for the colors, one for an alpha.
    private static let maxCanvases = 64

    private func check(
        _ canvas: Canvas, parts: [Int], _ sizes: inout [Int: PixelSize]
    ) throws(ImagingError) {
        switch canvas {
        case .grid(let size, let columns, let rows):
            guard parts.count == columns * rows, let first = parts.first else {
                throw .broken(
                    reason: "its grid has \(parts.count) of \(columns * rows) tiles")
            }
            let tile = try self.size(of: first, &sizes)
            for part in parts {
                guard try self.size(of: part, &sizes) == tile else {
                    throw .broken(reason: "the tiles of its grid differ in size")
                }
            }
            let covered = PixelSize(
                width: .clampedProduct(tile.width, columns),
                height: .clampedProduct(tile.height, rows))
            guard covered.width >= size.width, covered.height >= size.height else {
                throw .broken(
                    reason: "its tiles cover \(covered.text) of \(size.text) pixels")
            }
        case .overlay(let size, let places):
            guard parts.count == places.count else {
                throw .broken(
                    reason: "its overlay has \(places.count) places for \(parts.count) pictures")
            }
            for (part, place) in zip(parts, places) {
                let shown = try self.size(of: part, &sizes)
                guard place.x >= 0, place.y >= 0, place.x <= size.width - shown.width,
                    place.y <= size.height - shown.height
                else {
                    throw .broken(
                        reason: "its overlay puts \(shown.text) pixels at \(place.x), \(place.y)"
                            + " of a canvas of \(size.text)")
                }
            }
        }
    }

    /// Returns the size of an item after its own turns and crops.
    ///
    /// - Parameter known: those that were read before.
    private func size(
        of item: Int, _ known: inout [Int: PixelSize]
    ) throws(ImagingError) -> PixelSize {
        if let size = known[item] { return size }
        let said = Set(
            properties(of: item).filter { $0.name == "ispe" }.compactMap(HEIFProperty.size))
        guard said.count == 1, var size = said.first else {
            throw .broken(
                reason: said.isEmpty
                    ? "a part of it doesn't say how large it is"
                    : "a part of it says two sizes of itself")
        }
        if let canvas = try canvas(of: item) { size = canvas }
        for property in properties(of: item) {
            size = try HEIFProperty.applied(property, to: size)
        }
        known[item] = size
        return size
    }

    private func composed(_ item: Int) throws(ImagingError) -> Canvas? {
        let kind = kind(of: item)
        guard kind == "grid" || kind == "iovl" else { return nil }
        // Version, flags, eight bytes of a color and two numbers; then all places.
        let count = parts(of: item).count
        guard var reader = data(of: item, most: 18 + 8 * count), reader.skip(1),
            let flags = reader.byte(),
            let canvas = Self.canvas(&reader, kind == "grid", flags & 1 == 0 ? 2 : 4, count)
        else { throw .broken(reason: "it ends before it says how its parts are put together") }
        return canvas
    }

    /// - Parameters:
    ///   - bytes: of each number.
    ///   - count: of the pictures in an overlay.
    private static func canvas(
        _ reader: inout ByteReader, _ isGrid: Bool, _ bytes: Int, _ count: Int
    ) -> Canvas? {
        if isGrid {
            guard let rows = reader.byte(), let columns = reader.byte(),
                let size = size(&reader, bytes)
            else { return nil }
            return .grid(size, columns: columns + 1, rows: rows + 1)
        }
        guard reader.skip(8), let size = size(&reader, bytes) else { return nil }
        var places: [(x: Int, y: Int)] = []
        for _ in 0..<count {
            guard let x = reader.signed(bytes), let y = reader.signed(bytes) else { return nil }
            places.append((x, y))
        }
        return .overlay(size, places: places)
    }

    private static func size(_ reader: inout ByteReader, _ bytes: Int) -> PixelSize? {
        guard let width = reader.bigEndian(bytes), let height = reader.bigEndian(bytes) else {
            return nil
        }
        return PixelSize(width: width, height: height)
    }
}

/// Properties that decide the size of an item.
enum HEIFProperty {
    /// Returns the size that an `ispe` says.
    static func size(_ box: Box) -> PixelSize? {
        guard var reader = box.full?.content, let width = reader.bigEndian(4),
            let height = reader.bigEndian(4)
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// Returns the size of a picture after a property, which may turn or crop it. libheif does both itself.
    static func applied(_ property: Box, to size: PixelSize) throws(ImagingError) -> PixelSize {
        var reader = property.content
        switch property.name {
        case "irot":
            guard let turns = reader.byte(), turns & 1 == 1 else { return size }
            return PixelSize(width: size.height, height: size.width)
        case "clap":
            let fractions = (0..<4).map { _ in
                (over: reader.signed(4) ?? 0, under: reader.bigEndian(4) ?? 0)
            }
            return PixelSize(
                width: try cut(size.width, fractions[0], fractions[2]),
                height: try cut(size.height, fractions[1], fractions[3]))
        default: return size
        }
    }

    private typealias Fraction = (over: Int, under: Int)

    /// Returns the length of the area that stays of a side (ISO/IEC 14496-12, section 12.1.4), rounded.
    ///
    /// - Parameter shift: of the area's center from that of the side.
    private static func cut(
        _ side: Int, _ length: Fraction, _ shift: Fraction
    ) throws(ImagingError) -> Int {
        guard length.over > 0, length.under > 0, shift.under > 0 else {
            throw .broken(reason: "it is cropped to nothing")
        }
        let wanted = Double(length.over) / Double(length.under)
        let start = (Double(side) - wanted) / 2 + Double(shift.over) / Double(shift.under)
        // Less than a pixel is how encoders round.
        guard start > -1, start + wanted < Double(side) + 1 else {
            throw .broken(reason: "it is cropped to an area that reaches beyond the picture")
        }
        let rounded = (length.over + length.under / 2) / length.under
        return min(side, max(1, rounded))
    }
}

extension PixelSize {
    /// `640×480`.
    fileprivate var text: String { "\(width)×\(height)" }
}

extension ByteReader {
    /// Reads a number in two's complement; `count` is 1…7.
    fileprivate mutating func signed(_ count: Int) -> Int? {
        guard let value = bigEndian(count) else { return nil }
        let bits = 8 * count
        return value >> (bits - 1) == 1 ? value - 1 << bits : value
    }
}
