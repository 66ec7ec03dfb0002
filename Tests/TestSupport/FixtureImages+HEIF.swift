extension FixtureImages {
    /// Pictures for the parts of a HEIF or AVIF that is put together here: their codec's settings, and the data of
    /// one of them.
    package struct HEIFPart: Sendable {
        /// `hvc1` or `av01`.
        package var kind: String
        /// The brand of a file of such pictures.
        package var brand: String
        /// The box of the settings.
        package var settings: [UInt8]
        package var data: [UInt8]
        package var width: Int
        package var height: Int

        /// 64×64 pixels of one color, as x265 encodes them: `vips heifsave --compression hevc`.
        package static let hevc = HEIFPart(
            kind: "hvc1", brand: "heic",
            settings: box("hvcC", decoded(hevcSettings)), data: decoded(hevcData), width: 64,
            height: 64)

        /// The picture of an AVIF, as its encoder writes it.
        package static func av1(of avif: [UInt8], width: Int, height: Int) -> HEIFPart {
            let settings = place("av1C", in: avif) - 8
            let count = number(avif, at: settings)
            // Version 0, sides of 4 bytes: …, item, reference, base, extents, then offset and length.
            let base = place("iloc", in: avif) + 4 + 4 + 2 + 2
            let location = base + 4 + 2
            let start = number(avif, at: base) + number(avif, at: location)
            return HEIFPart(
                kind: "av01", brand: "avif", settings: Array(avif[settings..<settings + count]),
                data: Array(avif[start..<start + number(avif, at: location + 4)]), width: width,
                height: height)
        }
    }

    /// How the parts of a HEIF or AVIF are put together.
    package enum HEIFCanvas: Sendable {
        /// Tiles in rows on a canvas.
        case grid(width: Int, height: Int, columns: Int, rows: Int)
        /// One part at each of these places of a canvas.
        case overlay(width: Int, height: Int, places: [(Int, Int)])
        /// One part, cropped by the four fractions of a `clap`.
        case crop([Int])
        /// One part, with an alpha that says this size of itself.
        case alpha(width: Int, height: Int)
    }

    /// Returns a file in which item 1 is the picture and the items behind it are its parts.
    ///
    /// - Parameter said: the size that the parts say of themselves; nil for theirs.
    package static func heif(
        _ part: HEIFPart, _ canvas: HEIFCanvas, said: (width: Int, height: Int)? = nil
    ) -> [UInt8] {
        let (width, height) = said ?? (part.width, part.height)
        func size(_ width: Int, _ height: Int) -> [UInt8] {
            box("ispe", full: 0, bigEndian(width) + bigEndian(height))
        }
        let bits = box("pixi", full: 0, [3, 8, 8, 8])
        // Properties 1 to 3 are those of a part.
        var properties = [size(width, height), part.settings, bits]
        // Of each item: its kind, its properties, its data, and whether that is in idat.
        var items: [(kind: String, properties: [UInt8], data: [UInt8], isInner: Bool)] = []
        var references: [UInt8] = []
        func short(_ value: Int) -> [UInt8] { Array(bigEndian(value).suffix(2)) }
        func reference(_ name: String, _ from: Int, _ to: [Int]) {
            references += box(name, short(from) + short(to.count) + to.flatMap(short))
        }
        let single = (part.kind, [1, 2, 3] as [UInt8], part.data, false)
        switch canvas {
        case .grid(let width, let height, let columns, let rows):
            properties.append(size(width, height))
            let grid =
                [0, 1, UInt8(rows - 1), UInt8(columns - 1)] + bigEndian(width) + bigEndian(height)
            items = [("grid", [4, 3], grid, true)] + (0..<columns * rows).map { _ in single }
            reference("dimg", 1, Array(2..<2 + columns * rows))
        case .overlay(let width, let height, let places):
            properties.append(size(width, height))
            let overlay =
                [0, 1] + [UInt8](repeating: 0, count: 8) + bigEndian(width) + bigEndian(height)
                + places.flatMap { bigEndian($0.0) + bigEndian($0.1) }
            items = [("iovl", [4, 3], overlay, true)] + places.map { _ in single }
            reference("dimg", 1, Array(2..<2 + places.count))
        case .crop(let fractions):
            properties.append(box("clap", fractions.flatMap(bigEndian)))
            items = [(part.kind, [1, 2, 3, 4], part.data, false)]
        case .alpha(let width, let height):
            properties += [
                size(width, height),
                box("auxC", full: 0, Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)),
            ]
            items = [single, (part.kind, [4, 2, 3, 5], part.data, false)]
            reference("auxl", 2, [1])
        }
        let kind = [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
        let inner = items.filter(\.isInner).flatMap(\.data)
        func meta(_ start: Int) -> [UInt8] {
            var (inside, outside) = (0, start)
            var places: [UInt8] = []
            for (index, item) in items.enumerated() {
                places += short(index + 1) + [0, item.isInner ? 1 : 0, 0, 0, 0, 1]
                places += bigEndian(item.isInner ? inside : outside) + bigEndian(item.data.count)
                if item.isInner { inside += item.data.count } else { outside += item.data.count }
            }
            let known = items.enumerated().flatMap { index, item in
                box("infe", full: 2, short(index + 1) + [0, 0] + Array(item.kind.utf8) + [0])
            }
            let linked = items.enumerated().flatMap { index, item in
                short(index + 1) + [UInt8(item.properties.count)] + item.properties
            }
            return box(
                "meta", full: 0,
                box("hdlr", full: 0, kind)
                    + box("pitm", full: 0, [0, 1])
                    + box("iloc", full: 1, [0x44, 0] + short(items.count) + places)
                    + box("iinf", full: 0, short(items.count) + known)
                    + box("iref", full: 0, references)
                    + box(
                        "iprp",
                        box("ipco", properties.flatMap { $0 })
                            + box("ipma", full: 0, bigEndian(items.count) + linked))
                    + box("idat", inner))
        }
        let type = box(
            "ftyp", Array(part.brand.utf8) + [0, 0, 0, 0] + Array("mif1\(part.brand)miaf".utf8))
        let start = type.count + meta(0).count + 8
        return type + meta(start) + box("mdat", items.filter { !$0.isInner }.flatMap(\.data))
    }

    /// JPEG 2000 of 64×64 pixels of one color: `vips jp2ksave`.
    package static let jpeg2000 = decoded(
        """
        AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAQAAAAEAAAwcHAAAAAAAPY29scgEA
        AAAAAAAAAACuanAyY/9P/1EALwAAAAAAQAAAAEAAAAAAAAAAAAAAAgAAAAIAAAAAAAAAAAAAAwcBAQcBAQcBAf9SAA0BAgAB
        AQAEBAAAiP9cAAVCQAD/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjD/kAAKAAAAAAA0AAH/k8D4CRQA
        XK//f76I38fAUBFQVK//f76I31THxigUAFyv/3/pg/9z/9k=
        """)

    private static let hevcSettings = """
        AQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAA
        AwAeoCCBBZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQA==
        """

    private static let hevcData = """
        AAAAGCgBrxOA5qhw07/xpR//bX54fJhQtJ5v3w==
        """
}
