@testable import Imaging

// The readers and writers of messages before they had one list of fields.

/// The reply of a child: a message of fixed parts, and the thumbnails in shared memory one after
/// the other.
///
/// The parent trusts nothing in it, because a picture may have taken over the child.
struct OldRenderReply {
    var number: Int
    var result: Result<Rendering, ImagingError>
    /// Whether it has the first thumbnails only, and another reply follows.
    var isEarly = false
    /// Whether the decoder of planes warns of the picture, so that libvips must read it.
    var isDoubtful = false

    /// Stands for a rendering whose rest follows. Errors have lower codes.
    private static let earlyCode = 9
    /// Stands for a picture that the decoder of planes warns of.
    private static let doubtCode = 8
    /// Limit of an error in characters.
    private static let maxText = 300

    /// The message without thumbnails.
    var message: [UInt8] {
        var writer = ByteWriter()
        writer.put(number, 7)
        if isDoubtful {
            writer.put(Self.doubtCode, 1)
            return writer.bytes
        }
        switch result {
        case .failure(let error):
            let (code, text) = Self.code(error)
            writer.put(code, 1)
            writer.put(Array(text.utf8.prefix(2_000)))
        case .success(let rendering):
            writer.put(isEarly ? Self.earlyCode : 0, 1)
            put(rendering, &writer)
        }
        return writer.bytes
    }

    /// Writes the thumbnails one after the other from `offset` on; returns the message.
    func message(writingTo memory: SharedMemory, at offset: Int) -> [UInt8] {
        guard case .success(let rendering) = result else { return message }
        var offset = offset
        for thumbnail in rendering.thumbnails {
            guard memory.write(thumbnail.bytes, at: offset) else {
                let error = ImagingError.misconfigured(reason: "the thumbnails are too large")
                return OldRenderReply(number: number, result: .failure(error)).message
            }
            offset += thumbnail.bytes.count
        }
        return message
    }

    private func put(_ rendering: Rendering, _ writer: inout ByteWriter) {
        let info = rendering.info
        writer.put(info.width, 4)
        writer.put(info.height, 4)
        writer.put((info.hasAlpha ? 1 : 0) | (info.isProgressive ? 2 : 0), 1)
        let summary = rendering.summary
        writer.put([summary.color.red, summary.color.green, summary.color.blue])
        writer.put(summary.thumbHash.count, 1)
        writer.put(summary.thumbHash)
        for thumbnail in rendering.thumbnails {
            writer.put(thumbnail.bytes.count, 4)
            writer.put(Lane.allCases.firstIndex(of: thumbnail.lane) ?? 0, 1)
        }
    }

    /// Reads the reply to a request; nil if it is malformed or can't be true.
    ///
    /// - Parameter renditions: those of the request's parts.
    init?(
        message: [UInt8], memory: SharedMemory, for request: RenderRequest,
        _ renditions: [Rendition]
    ) {
        var reader = ByteReader(message)
        guard let number = reader.bigEndian(7), number == request.number, let code = reader.byte()
        else { return nil }
        self.number = number
        if code == Self.doubtCode {
            isDoubtful = true
            result = .failure(Self.doubt)
            return
        }
        isEarly = code == Self.earlyCode && request.early > 0
        if code != 0, !isEarly {
            guard let error = Self.error(code, text: Self.plain(&reader)) else { return nil }
            result = .failure(error)
            return
        }
        let expected = isEarly ? Array(renditions.prefix(request.early)) : renditions
        guard let rendering = Self.rendering(&reader, memory, request, expected) else {
            return nil
        }
        result = .success(rendering)
    }

    init(number: Int, result: Result<Rendering, ImagingError>, isEarly: Bool = false) {
        self.number = number
        self.result = result
        self.isEarly = isEarly
    }

    /// The reply to a picture that the decoder of planes warns of.
    init(doubtful number: Int) {
        self.init(number: number, result: .failure(Self.doubt))
        isDoubtful = true
    }

    private static let doubt = ImagingError.misconfigured(reason: "the renderer needs libvips")

    /// The first thumbnails of a picture that is seen in this size.
    init(early thumbnails: [Thumbnail], of seen: PixelSize, format: ImageFormat, number: Int) {
        let info = ImageInfo(
            format: format, width: seen.width, height: seen.height, hasAlpha: false,
            isProgressive: false)
        let summary = PictureSummary(
            thumbHash: [], color: RGB(red: 0, green: 0, blue: 0), width: seen.width,
            height: seen.height)
        self.init(
            number: number,
            result: .success(
                Rendering(
                    info: info, thumbnails: thumbnails, summary: summary, queued: .zero,
                    worked: .zero)),
            isEarly: true)
    }

    private static func rendering(
        _ reader: inout ByteReader, _ memory: SharedMemory, _ request: RenderRequest,
        _ renditions: [Rendition]
    ) -> Rendering? {
        guard let width = reader.bigEndian(4), let height = reader.bigEndian(4),
            let flags = reader.byte(), (1...request.maxSide).contains(width),
            (1...request.maxSide).contains(height),
            Int.clampedProduct(width, height) <= request.maxPixels,
            let color = reader.color(), let count = reader.byte(),
            let hash = reader.bytes(count)
        else { return nil }
        let seen = PixelSize(width: width, height: height)
        var thumbnails: [Thumbnail] = []
        var offset = 0
        for rendition in renditions {
            guard let count = reader.bigEndian(4), let lane = reader.byte(), count > 0,
                Lane.allCases.indices.contains(lane), offset + count <= RenderRequest.maxAnswer,
                let bytes = memory.read(request.thumbnails + offset, count),
                rendition.isPyramid
                    ? PyramidTable.isWhole(bytes, width: width, height: height)
                    : ImageFormat.sniff(bytes) == rendition.format.imageFormat
            else { return nil }
            let size = rendition.level.size(of: seen)
            thumbnails.append(
                Thumbnail(
                    rendition: rendition, width: size.width, height: size.height, bytes: bytes,
                    lane: Lane.allCases[lane]))
            offset += count
        }
        guard let format = request.input.format ?? renditions.first?.format.imageFormat else {
            return nil
        }
        let info = ImageInfo(
            format: format, width: width, height: height, hasAlpha: flags & 1 != 0,
            isProgressive: flags & 2 != 0)
        let summary = PictureSummary(
            thumbHash: hash, color: color, width: width, height: height)
        return Rendering(
            info: info, thumbnails: thumbnails, summary: summary, queued: .zero, worked: .zero)
    }

    // --- errors

    private static func code(_ error: ImagingError) -> (Int, String) {
        switch error {
        case .notAnImage(let text): (1, text)
        case .unsupported(let text): (2, text)
        case .broken(let text): (3, text)
        case .overLimit(let text): (4, text)
        case .misconfigured(let text): (5, text)
        case .overloaded, .canceled, .stopped, .crashed, .tooSlow, .quarantined:
            (5, error.description)
        }
    }

    private static func error(_ code: Int, text: String) -> ImagingError? {
        switch code {
        case 1: .notAnImage(looksLike: text)
        case 2: .unsupported(format: text)
        case 3: .broken(reason: text)
        case 4: .overLimit(reason: text)
        case 5: .misconfigured(reason: text)
        default: nil
        }
    }

    /// Reads the rest as text for a log: one line of limited length.
    private static func plain(_ reader: inout ByteReader) -> String {
        let text = String(decoding: reader.bytes(reader.remaining) ?? [], as: UTF8.self)
        return String(
            text.unicodeScalars.prefix(maxText).map {
                $0.properties.generalCategory == .control ? " " : Character($0)
            })
    }
}

extension ByteReader {
    fileprivate mutating func color() -> RGB? {
        guard let rgb = bytes(3) else { return nil }
        return RGB(red: rgb[0], green: rgb[1], blue: rgb[2])
    }
}

extension RenderRequest.Input {
    fileprivate var format: ImageFormat? {
        switch self {
        case .original(let format), .pyramid(let format): format
        case .sheet, .cut: nil
        }
    }
}

extension ThumbnailFormat {
    fileprivate var imageFormat: ImageFormat {
        switch self {
        case .webp: .webp
        case .jpeg: .jpeg
        case .avif: .avif
        case .png: .png
        }
    }
}

/// A reply of the process of a ``Nursery``.
enum OldNurseryReply: Equatable {
    /// The process number of a child. A descriptor that tells its memory comes with the message about a new
    /// one.
    case done(Int32)
    /// The signal that ended a child, 0 if it exited by itself; and the bytes that it took at most, besides
    /// those that a new child has.
    case ended(signal: Int32, peak: Int)
    case failed(String)

    var message: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .done(let number):
            writer.put(0, 1)
            writer.put(Int(number), 4)
        case .ended(let signal, let peak):
            writer.put(2, 1)
            writer.put(Int(signal), 4)
            writer.put(peak, 7)
        case .failed(let reason):
            writer.put(1, 1)
            writer.put(Array(reason.utf8.prefix(2_000)))
        }
        return writer.bytes
    }

    init?(message: [UInt8]) {
        var reader = ByteReader(message)
        switch reader.byte() {
        case 0:
            guard let number = reader.bigEndian(4) else { return nil }
            self = .done(Int32(truncatingIfNeeded: number))
        case 1: self = .failed(String(decoding: message.dropFirst(), as: UTF8.self))
        case 2:
            guard let signal = reader.bigEndian(4), let peak = reader.bigEndian(7) else {
                return nil
            }
            self = .ended(signal: Int32(truncatingIfNeeded: signal), peak: peak)
        default: return nil
        }
    }
}

/// A request of a ``Nursery`` to its process.
enum OldNurseryRequest: Equatable {
    /// Start a child that may take so many bytes besides those it begins with, with libvips or at once. Its
    /// channel comes with the message.
    case start(niceness: Int, memory: Int, withLibraries: Bool)
    /// End a child and report why it ended.
    case end(Int32)
    /// Let a child have so many bytes in all.
    case limit(Int32, memory: Int)

    var message: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .start(let niceness, let memory, let withLibraries):
            writer.put(withLibraries ? 3 : 1, 1)
            writer.put(niceness, 4)
            writer.put(memory, 7)
        case .end(let process):
            writer.put(2, 1)
            writer.put(Int(process), 4)
        case .limit(let process, let memory):
            writer.put(4, 1)
            writer.put(Int(process), 4)
            writer.put(memory, 7)
        }
        return writer.bytes
    }

    init?(message: [UInt8]) {
        var reader = ByteReader(message)
        guard let kind = reader.byte(), let number = reader.bigEndian(4) else { return nil }
        let process = Int32(truncatingIfNeeded: number)
        switch kind {
        case 1, 3:
            guard let memory = reader.bigEndian(7) else { return nil }
            self = .start(niceness: number, memory: memory, withLibraries: kind == 3)
        case 2: self = .end(process)
        case 4:
            guard let memory = reader.bigEndian(7) else { return nil }
            self = .limit(process, memory: memory)
        default: return nil
        }
    }
}

/// The bytes of a contact sheet for a child process: size, background, lengths and cells of all
/// tiles, then the thumbnails one after the other.
extension ContactSheet {
    var oldBytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(width, 4)
        writer.put(height, 4)
        writer.put([background.red, background.green, background.blue])
        writer.put(tiles.count, 4)
        for tile in tiles {
            let cell = tile.cell
            for value in [tile.thumbnail.count, cell.x, cell.y, cell.width, cell.height] {
                writer.put(value, 4)
            }
        }
        var bytes = writer.bytes
        bytes.reserveCapacity(tiles.reduce(bytes.count) { $0 + $1.thumbnail.count })
        for tile in tiles { bytes += tile.thumbnail }
        return bytes
    }

    /// Returns nil unless the bytes are exactly those of a sheet.
    static func old(_ bytes: [UInt8]) -> ContactSheet? {
        var sheet = ContactSheet(
            [], SheetLayout(count: 1, level: Level(name: "", width: 1, height: 1)),
            background: RGB(red: 0, green: 0, blue: 0))
        var reader = ByteReader(bytes)
        guard let width = reader.bigEndian(4), let height = reader.bigEndian(4),
            let rgb = reader.bytes(3), let count = reader.bigEndian(4),
            // Checked before memory is reserved for so many.
            count <= reader.remaining / Self.bytesOfTile
        else { return nil }
        sheet.width = width
        sheet.height = height
        sheet.background = RGB(red: rgb[0], green: rgb[1], blue: rgb[2])
        sheet.tiles = []
        var lengths: [Int] = []
        for _ in 0..<count {
            guard let length = reader.bigEndian(4), let x = reader.bigEndian(4),
                let y = reader.bigEndian(4), let width = reader.bigEndian(4),
                let height = reader.bigEndian(4)
            else { return nil }
            lengths.append(length)
            sheet.tiles.append(
                Tile(
                    thumbnail: [],
                    cell: SheetLayout.Frame(x: x, y: y, width: width, height: height)))
        }
        var start = reader.position
        for index in sheet.tiles.indices {
            guard lengths[index] <= bytes.count - start else { return nil }
            sheet.tiles[index].thumbnail = Array(bytes[start..<start + lengths[index]])
            start += lengths[index]
        }
        guard start == bytes.count else { return nil }
        return sheet
    }

    /// Five numbers of four bytes.
    private static let bytesOfTile = 20
}

/// The bytes of a cut for a child process: numbers, then the tiles one after the other.
extension PictureCut {
    /// Places are sent in parts of a pixel.
    private static let parts = 65_536.0
    private static let maxSide = 65_535
    /// Bytes of the numbers of a tile.
    private static let perTile = 4

    var oldBytes: [UInt8] {
        var writer = ByteWriter()
        for value in [x, y, width, height] {
            writer.put(Int(clamped: (value * Self.parts).rounded()), 6)
        }
        for value in [outWidth, outHeight] { writer.put(value, 4) }
        for value in [isMirrored ? 1 : 0, quarters, colors.rawValue] { writer.put(value, 1) }
        for sides in [columns, rows] {
            writer.put(sides.count, 2)
            for side in sides { writer.put(side, 4) }
        }
        for tile in tiles { writer.put(tile.count, Self.perTile) }
        var bytes = writer.bytes
        bytes.reserveCapacity(tiles.reduce(bytes.count) { $0 + $1.count })
        for tile in tiles { bytes += tile }
        return bytes
    }

    /// Returns nil unless the bytes are exactly those of a cut.
    static func old(_ bytes: [UInt8]) -> PictureCut? {
        var reader = ByteReader(bytes)
        let places = (0..<4).compactMap { _ in reader.bigEndian(6).map { Double($0) / Self.parts } }
        guard places.count == 4, let outWidth = reader.bigEndian(4),
            let outHeight = reader.bigEndian(4), (1...Self.maxSide).contains(outWidth),
            (1...Self.maxSide).contains(outHeight), let mirrored = reader.byte(),
            let quarters = reader.byte(), quarters < 4,
            let colors = reader.byte().flatMap(Colors.init(rawValue:)),
            let columns = Self.sides(&reader), let rows = Self.sides(&reader),
            columns.count * rows.count <= reader.remaining / Self.perTile
        else { return nil }
        var lengths: [Int] = []
        for _ in 0..<columns.count * rows.count {
            guard let length = reader.bigEndian(Self.perTile) else { return nil }
            lengths.append(length)
        }
        var start = reader.position
        var tiles: [[UInt8]] = []
        for length in lengths {
            guard length <= bytes.count - start else { return nil }
            tiles.append(Array(bytes[start..<start + length]))
            start += length
        }
        guard start == bytes.count else { return nil }
        let cut = PictureCut(
            tiles: tiles, columns: columns, rows: rows, x: places[0], y: places[1],
            width: places[2], height: places[3], outWidth: outWidth, outHeight: outHeight,
            isMirrored: mirrored == 1, quarters: quarters, colors: colors)
        // A part of a pixel more, because layers are rounded up.
        let (across, down) = (Double(columns.reduce(0, +)), Double(rows.reduce(0, +)))
        guard cut.width > 0, cut.height > 0, cut.x < across, cut.y < down,
            cut.x + cut.width <= across + 1,
            cut.y + cut.height <= down + 1
        else { return nil }
        return cut
    }

    private static func sides(_ reader: inout ByteReader) -> [Int]? {
        guard let count = reader.bigEndian(2), count > 0, count <= maxSide else { return nil }
        var sides: [Int] = []
        for _ in 0..<count {
            guard let side = reader.bigEndian(4), (1...maxSide).contains(side) else { return nil }
            sides.append(side)
        }
        // Tiles begin with whole color samples.
        guard sides.reduce(0, +) <= maxSide, sides.dropLast().allSatisfy({ $0 % 2 == 0 }) else {
            return nil
        }
        return sides
    }
}
