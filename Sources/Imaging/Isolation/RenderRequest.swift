/// A request to a child for renditions of an original or for a contact sheet, with everything that
/// decides their bytes.
///
/// The message has fixed parts. Shared memory holds the input, then the thumbnails of the reply.
struct RenderRequest {
    /// The content of shared memory.
    enum Input: Equatable {
        case original(ImageFormat)
        /// An original whose pyramid is wanted, which is the only rendition.
        case pyramid(ImageFormat)
        /// The bytes of a ``ContactSheet``. The only rendition is the sheet itself.
        case sheet
        /// The bytes of a ``PictureCut``. The only rendition is the cut itself.
        case cut
    }

    /// That of a level.
    struct Box: Equatable {
        var width: Int
        var height: Int
        var fit = Level.Fit.contain

        init(_ level: Level) {
            (width, height, fit) = (level.width, level.height, level.fit)
        }

        var level: Level { Level(name: "", width: width, height: height, fit: fit) }
    }

    struct Part: Equatable {
        var box: Box
        var encoding: Encoding
    }

    /// Repeated in the reply, so that a reply is never taken for another's.
    var number: Int
    var input: Input
    /// Bytes of the input.
    var count: Int
    var maxBytes: Int
    var maxPixels: Int
    var maxSide: Int
    /// Bytes of memory that rendering may take.
    var allowed = ImagingConfiguration().memory
    /// All configured levels.
    var levels: [Box]
    var parts: [Part]
    /// `imaging.lane`.
    var choice = Lane.Choice.auto
    /// Number of the first parts, which are sent in a reply of their own before the others are made.
    var early = 0

    static let maxLevels = 256
    static let maxParts = 256
    /// Limit of all thumbnails of a reply in bytes; the largest honest ones are a tenth of it.
    static let maxAnswer = 256 << 20

    /// Whether the planar lane can render it, which needs no libvips, unless the picture's content
    /// forbids that.
    var isPlanar: Bool {
        (input == .original(.jpeg) || input == .cut)
            && parts.allSatisfy { choice.lane($0.box.level, $0.encoding) == .planar }
    }

    /// The place of the reply's thumbnails.
    var thumbnails: Int { (count + 63) / 64 * 64 }

    /// Bytes of shared memory, enough for a PNG of noise. Memory that isn't written takes no room.
    var memory: Int {
        let most = parts.reduce(0) { $0 + 5 * $1.box.width * $1.box.height + 64 << 10 }
        return thumbnails + min(most, Self.maxAnswer) + SharedMemory.tail
    }

    var message: [UInt8] {
        var writer = ByteWriter()
        writer.put(number, 7)
        writer.put(input.number, 1)
        for value in [count, maxBytes, maxPixels, maxSide, allowed] { writer.put(value, 7) }
        writer.put(levels.count, 2)
        for level in levels { put(level, &writer) }
        writer.put(Lane.Choice.allCases.firstIndex(of: choice) ?? 0, 1)
        writer.put(early, 2)
        writer.put(parts.count, 2)
        for part in parts {
            put(part.box, &writer)
            for value in part.encoding.numbers { writer.put(value, 1) }
        }
        return writer.bytes
    }

    private func put(_ box: Box, _ writer: inout ByteWriter) {
        writer.put(box.width, 4)
        writer.put(box.height, 4)
        writer.put(box.fit.number, 1)
    }

    private static func box(_ reader: inout ByteReader) -> Box? {
        guard let width = reader.bigEndian(4), let height = reader.bigEndian(4),
            let fit = reader.byte().flatMap(Level.Fit.init(number:))
        else { return nil }
        return Box(Level(name: "", width: width, height: height, fit: fit))
    }

    /// Reads a message; nil if it is not a request.
    init?(message: [UInt8]) {
        var reader = ByteReader(message)
        guard let number = reader.bigEndian(7), let input = reader.byte().flatMap(Input.init),
            let count = reader.bigEndian(7), let maxBytes = reader.bigEndian(7),
            let maxPixels = reader.bigEndian(7), let maxSide = reader.bigEndian(7),
            let allowed = reader.bigEndian(7), let levels = reader.bigEndian(2),
            levels <= Self.maxLevels
        else { return nil }
        self.init(
            number: number, input: input, count: count, maxBytes: maxBytes, maxPixels: maxPixels,
            maxSide: maxSide, levels: [], parts: [])
        self.allowed = allowed
        for _ in 0..<levels {
            guard let box = Self.box(&reader) else { return nil }
            self.levels.append(box)
        }
        guard let choice = reader.byte(), Lane.Choice.allCases.indices.contains(choice),
            let early = reader.bigEndian(2), let parts = reader.bigEndian(2),
            parts <= Self.maxParts, early <= parts
        else { return nil }
        self.choice = Lane.Choice.allCases[choice]
        self.early = early
        for _ in 0..<parts {
            guard let box = Self.box(&reader) else { return nil }
            let numbers = (0..<Encoding.numberCount).compactMap { _ in reader.byte() }
            guard let encoding = Encoding(numbers: numbers) else { return nil }
            self.parts.append(Part(box: box, encoding: encoding))
        }
    }

    init(
        number: Int, input: Input, count: Int, maxBytes: Int, maxPixels: Int, maxSide: Int,
        levels: [Box], parts: [Part]
    ) {
        self.number = number
        self.input = input
        self.count = count
        self.maxBytes = maxBytes
        self.maxPixels = maxPixels
        self.maxSide = maxSide
        self.levels = levels
        self.parts = parts
    }
}

extension RenderRequest.Input {
    /// Whether the input comes as a file of its own, in a second message, and not in the memory for
    /// thumbnails.
    var isReadFromFile: Bool {
        switch self {
        case .original(let format), .pyramid(let format): format.isReadFromFile
        case .sheet, .cut: false
        }
    }

    /// Not the number of any format.
    private static let sheetNumber = 255
    private static let cutNumber = 254
    /// Added to the number of the format.
    private static let pyramidNumber = 100

    /// 0…255.
    fileprivate var number: Int {
        switch self {
        case .original(let format): Self.number(format)
        case .pyramid(let format): Self.pyramidNumber + Self.number(format)
        case .sheet: Self.sheetNumber
        case .cut: Self.cutNumber
        }
    }

    private static func number(_ format: ImageFormat) -> Int {
        ImageFormat.allCases.firstIndex(of: format) ?? 0
    }

    fileprivate init?(_ number: Int) {
        let pyramid = number - Self.pyramidNumber
        if number == Self.sheetNumber {
            self = .sheet
        } else if number == Self.cutNumber {
            self = .cut
        } else if ImageFormat.allCases.indices.contains(pyramid) {
            self = .pyramid(ImageFormat.allCases[pyramid])
        } else if ImageFormat.allCases.indices.contains(number) {
            self = .original(ImageFormat.allCases[number])
        } else {
            return nil
        }
    }
}

extension Encoding {
    /// The kind, two settings and a color.
    static let numberCount = 6

    /// Each 0…255.
    var numbers: [Int] {
        switch self {
        case .jpeg(let quality, let background):
            [0, quality, 0, Int(background.red), Int(background.green), Int(background.blue)]
        case .webp(let quality, let effort): [1, quality, effort, 0, 0, 0]
        case .avif(let quality, let effort): [2, quality, effort, 0, 0, 0]
        case .png(let compression): [3, compression, 0, 0, 0, 0]
        }
    }

    init?(numbers: [Int]) {
        guard numbers.count == Self.numberCount else { return nil }
        let (kind, one, other) = (numbers[0], numbers[1], numbers[2])
        switch kind {
        case 0:
            let color = numbers[3...].map { UInt8(clamping: $0) }
            self = .jpeg(
                quality: one,
                background: RGB(red: color[0], green: color[1], blue: color[2]))
        case 1: self = .webp(quality: one, effort: other)
        case 2: self = .avif(quality: one, effort: other)
        case 3: self = .png(compression: one)
        default: return nil
        }
    }
}

extension Level.Fit {
    /// 0…255.
    fileprivate var number: Int {
        switch self {
        case .contain: 0
        case .ground: 1
        case .cover(let gravity): 2 + (Level.Gravity.allCases.firstIndex(of: gravity) ?? 0)
        }
    }

    fileprivate init?(number: Int) {
        switch number {
        case 0: self = .contain
        case 1: self = .ground
        default:
            guard Level.Gravity.allCases.indices.contains(number - 2) else { return nil }
            self = .cover(Level.Gravity.allCases[number - 2])
        }
    }
}
