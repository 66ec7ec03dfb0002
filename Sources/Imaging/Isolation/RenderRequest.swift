/// A request to a child for renditions of an original or for a contact sheet, with everything that
/// decides their bytes.
///
/// The message has fixed parts. Shared memory holds the input, then the thumbnails of the reply.
struct RenderRequest: Message {
    /// What is wanted, and what is in shared memory for it.
    enum Input: CaseIterable {
        /// Thumbnails of an original.
        case original
        /// The header of an original alone.
        case header
        /// The pyramid of an original, which is the only part.
        case pyramid
        /// The bytes of a ``ContactSheet``. The only part is the sheet itself.
        case sheet
        /// The bytes of a ``PictureCut``. The only part is the cut itself.
        case cut
    }

    /// Repeated in the reply, so that a reply is never taken for another's.
    var number: Int
    var input: Input
    /// That of the original; any for a sheet and a cut.
    var format = ImageFormat.jpeg
    /// Bytes of the input.
    var count: Int
    var maxBytes: Int
    var maxPixels: Int
    var maxSide: Int
    /// Bytes of memory that rendering may take.
    var allowed = ImagingConfiguration().memory
    /// All configured levels.
    var levels: [Level]
    var parts: [RenderPart]
    /// What is known of the original; nil for a sheet and a cut.
    var header: Header?
    /// Number of the first parts, which are sent in a reply of their own before the others are made.
    var early = 0
    /// How many may encode its parts.
    var threads = 1

    static let maxLevels = 256
    static let maxParts = 256
    /// Limit of all thumbnails of a reply in bytes; the largest honest ones are a tenth of it.
    static let maxAnswer = 256 << 20

    /// Whether no part needs libvips, unless the decoder warns of the picture.
    var isPlanar: Bool {
        switch input {
        case .cut: parts.allSatisfy(\.encoding.format.takesPlanes)
        case .original: header?.givesPlanes == true && parts.allSatisfy { $0.lane == .planar }
        case .header, .pyramid, .sheet: false
        }
    }

    /// Whether the input comes as a file of its own, in a second message, and not in the memory for
    /// thumbnails.
    var isReadFromFile: Bool { (input == .original || input == .pyramid) && format.isReadFromFile }

    /// The place of the reply's thumbnails.
    var thumbnails: Int { (count + 63) / 64 * 64 }

    /// Bytes of shared memory, enough for a PNG of noise. Memory that isn't written takes no room.
    var memory: Int {
        let most = parts.reduce(0) { $0 + 5 * $1.level.width * $1.level.height + 64 << 10 }
        return thumbnails + min(most, Self.maxAnswer)
    }

    mutating func fields(_ message: inout MessageFields) {
        message.number(&number, 7)
        message.one(of: &input)
        message.one(of: &format)
        message.number(&count, 7)
        message.number(&maxBytes, 7)
        message.number(&maxPixels, 7)
        message.number(&maxSide, 7)
        message.number(&allowed, 7)
        message.optional(&header, of: Header(format: .jpeg, width: 0, height: 0)) {
            $0.fields(&$1)
        }
        message.list(&levels, in: 0...Self.maxLevels, of: Self.noLevel) { $0.fields(&$1) }
        message.list(&parts, in: 0...Self.maxParts, of: Self.noPart) { part, message in
            part.rendition.level.fields(&message)
            part.encoding.fields(&message)
            message.one(of: &part.lane)
        }
        message.number(&early, 2, in: 0...parts.count)
        message.number(&threads, 2, in: 1...Int(UInt16.max))
    }

    private static let noLevel = Level(name: "", width: 0, height: 0)
    private static let noPart = RenderPart(
        rendition: Rendition(level: noLevel, format: .jpeg), encoding: .png(compression: 0))

    static let blank = Self(
        number: 0, input: .sheet, count: 0, maxBytes: 0, maxPixels: 0, maxSide: 0, levels: [],
        parts: [])

    /// Returns the request for a job, and the bytes of its input.
    static func of(
        _ job: Job, number: Int, _ limits: Limits
    ) -> (RenderRequest, input: [UInt8]) {
        let (input, bytes): (Input, [UInt8]) =
            switch job {
            case .header(_, let original): (.header, original)
            case .original(let render): (.original, render.original)
            case .pyramid(let render): (.pyramid, render.original)
            case .cut(let cut, _): (.cut, cut.bytes)
            case .sheet(let sheet, _, _): (.sheet, sheet.bytes)
            }
        var request = RenderRequest(
            number: number, input: input, format: job.header?.format ?? .jpeg, count: bytes.count,
            maxBytes: limits.maxBytes,
            maxPixels: limits.maxPixels, maxSide: limits.maxSide, levels: [],
            parts: job.parts, header: job.header)
        switch job {
        case .original(let render), .pyramid(let render): request.levels = render.levels
        case .header, .cut, .sheet: break
        }
        if job.header == nil, let whole = job.parts.first?.level {
            // Limits of originals don't apply to what is made of tiles and thumbnails.
            request.maxPixels = max(request.maxPixels, job.pixels)
            request.maxSide = max(request.maxSide, whole.width, whole.height)
        }
        return (request, bytes)
    }
}

extension Level {
    /// All but the name.
    fileprivate mutating func fields(_ message: inout MessageFields) {
        message.number(&width, 4)
        message.number(&height, 4)
        message.coded(&fit, \.number, Level.Fit.init(number:))
    }
}

extension Header {
    mutating func fields(_ message: inout MessageFields) {
        message.one(of: &format)
        message.number(&width, 7)
        message.number(&height, 7)
        message.coded(&orientation, \.rawValue, Orientation.init(rawValue:))
        message.flag(&hasAlpha)
        message.flag(&isProgressive)
        // Halves at most.
        var doubled = Int(clamped: 2 * samples)
        message.number(&doubled, 4)
        samples = Double(doubled) / 2
        message.number(&depth, 4)
        message.number(&frames, 7)
        message.number(&rowsAtOnce, 7)
        message.number(&copied, 7)
        message.number(&page.number, 4)
        message.optional(&page.below, of: 0) { $1.number(&$0, 4) }
        message.optional(&planes, of: .gray) { $1.one(of: &$0) }
        message.flag(&planesNeedProfile)
        message.flag(&isInk)
        message.number(&halvings, 1)
        message.optional(&frame, of: Frame(left: 0, top: 0, width: 0, height: 0)) {
            (frame, message) in
            message.number(&frame.left, 4)
            message.number(&frame.top, 4)
            message.number(&frame.width, 4)
            message.number(&frame.height, 4)
        }
    }
}

extension Encoding {
    /// The kind, two settings and a color.
    fileprivate mutating func fields(_ message: inout MessageFields) {
        message.coded(&self, \.numbers, Encoding.init(numbers:))
    }

    /// Each 0…255.
    private var numbers: [Int] {
        switch self {
        case .jpeg(let quality, let background):
            [0, quality, 0, Int(background.red), Int(background.green), Int(background.blue)]
        case .webp(let quality, let effort): [1, quality, effort, 0, 0, 0]
        case .avif(let quality, let effort): [2, quality, effort, 0, 0, 0]
        case .png(let compression): [3, compression, 0, 0, 0, 0]
        }
    }

    private init?(numbers: [Int]) {
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
