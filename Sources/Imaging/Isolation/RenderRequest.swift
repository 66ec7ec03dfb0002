/// A request to a child for renditions of an original or for a contact sheet, with everything that
/// decides their bytes.
///
/// The message has fixed parts. Shared memory holds the input, then the thumbnails of the reply.
struct RenderRequest: Message {
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
        var lane = Lane.libvips
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
    /// What the parent has read of the original; nil if only a child may read it.
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
        case .cut: parts.allSatisfy(\.encoding.takesPlanes)
        case .original: header?.planes != nil && parts.allSatisfy { $0.lane == .planar }
        case .pyramid, .sheet: false
        }
    }

    /// Lets libvips make all parts.
    mutating func takeLibvips() {
        for index in parts.indices { parts[index].lane = .libvips }
    }

    /// The place of the reply's thumbnails.
    var thumbnails: Int { (count + 63) / 64 * 64 }

    /// Bytes of shared memory, enough for a PNG of noise. Memory that isn't written takes no room.
    var memory: Int {
        let most = parts.reduce(0) { $0 + 5 * $1.box.width * $1.box.height + 64 << 10 }
        return thumbnails + min(most, Self.maxAnswer)
    }

    mutating func fields(_ message: inout MessageFields) {
        message.number(&number, 7)
        message.coded(&input, \.number, Input.init)
        message.number(&count, 7)
        message.number(&maxBytes, 7)
        message.number(&maxPixels, 7)
        message.number(&maxSide, 7)
        message.number(&allowed, 7)
        message.optional(&header, of: Header(format: .jpeg, width: 0, height: 0)) {
            $0.fields(&$1)
        }
        message.list(&levels, in: 0...Self.maxLevels, of: Self.noBox) { $0.fields(&$1) }
        message.list(&parts, in: 0...Self.maxParts, of: Self.noPart) { part, message in
            part.box.fields(&message)
            part.encoding.fields(&message)
            message.one(of: &part.lane)
        }
        message.number(&early, 2, in: 0...parts.count)
        message.number(&threads, 2, in: 1...Int(UInt16.max))
    }

    private static let noBox = Box(Level(name: "", width: 0, height: 0))
    private static let noPart = Part(box: noBox, encoding: .png(compression: 0))

    static let blank = Self(
        number: 0, input: .sheet, count: 0, maxBytes: 0, maxPixels: 0, maxSide: 0, levels: [],
        parts: [])

    /// Returns the request for a job, and the bytes of its input.
    ///
    /// - Parameter isRead: whether the header is that of the original; otherwise the child reads it.
    static func of(
        _ job: Job, number: Int, _ limits: Limits, isRead: Bool
    ) -> (RenderRequest, input: [UInt8]) {
        let (input, bytes): (Input, [UInt8]) =
            switch job {
            case .original(let render): (.original(render.header.format), render.original)
            case .pyramid(let render): (.pyramid(render.header.format), render.original)
            case .cut(let cut, _, _): (.cut, cut.bytes)
            case .sheet(let sheet, _, _, _): (.sheet, sheet.bytes)
            }
        var request = RenderRequest(
            number: number, input: input, count: bytes.count, maxBytes: limits.maxBytes,
            maxPixels: limits.maxPixels, maxSide: limits.maxSide, levels: [],
            parts: zip(job.renditions, job.encodings).map {
                Part(box: Box($0.level), encoding: $1)
            })
        request.header = isRead ? job.header : nil
        if case .original(let render) = job {
            request.levels = render.levels.map { Box($0) }
            for (index, lane) in render.lanes.enumerated() { request.parts[index].lane = lane }
        }
        if job.header == nil, let whole = job.renditions.first?.level {
            // Limits of originals don't apply to what is made of tiles and thumbnails.
            request.maxPixels = max(request.maxPixels, job.pixels)
            request.maxSide = max(request.maxSide, whole.width, whole.height)
        }
        return (request, bytes)
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

extension RenderRequest.Box {
    fileprivate mutating func fields(_ message: inout MessageFields) {
        message.number(&width, 4)
        message.number(&height, 4)
        message.coded(&fit, \.number, Level.Fit.init(number:))
    }
}

extension Header {
    /// What decoding needs of it.
    fileprivate mutating func fields(_ message: inout MessageFields) {
        message.one(of: &format)
        message.number(&width, 7)
        message.number(&height, 7)
        message.coded(&orientation, \.rawValue, Orientation.init(rawValue:))
        message.flag(&hasAlpha)
        message.flag(&isProgressive)
        message.optional(&planes, of: .gray) { $1.one(of: &$0) }
        message.optional(&frame, of: Frame(left: 0, top: 0, width: 0, height: 0)) {
            (frame, message) in
            message.number(&frame.left, 4)
            message.number(&frame.top, 4)
            message.number(&frame.width, 4)
            message.number(&frame.height, 4)
        }
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
