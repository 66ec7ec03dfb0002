/// The reply of a child: a message of fixed parts, and the thumbnails in shared memory one after
/// the other.
///
/// The parent trusts nothing in it, because a picture may have taken over the child.
struct RenderReply {
    var number: Int
    var result: Result<Rendering, ImagingError>
    /// Whether it has the first thumbnails only, and another reply follows.
    var isEarly = false
    /// Whether the decoder of planes warns of the picture, so that libvips must read it.
    var isDoubtful = false

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

    /// The message without thumbnails.
    var message: [UInt8] {
        var fields = Fields(self)
        return MessageFields.bytes { fields.fields(&$0, all: 0, early: 0) }
    }

    /// Writes the thumbnails one after the other from `offset` on; returns the message.
    func message(writingTo memory: SharedMemory, at offset: Int) -> [UInt8] {
        guard case .success(let rendering) = result else { return message }
        var offset = offset
        for thumbnail in rendering.thumbnails {
            guard memory.write(thumbnail.bytes, at: offset) else {
                let error = ImagingError.misconfigured(reason: "the thumbnails are too large")
                return RenderReply(number: number, result: .failure(error)).message
            }
            offset += thumbnail.bytes.count
        }
        return message
    }

    /// Reads the reply to a request; nil if it is malformed or can't be true.
    init?(message: [UInt8], memory: SharedMemory, for request: RenderRequest) {
        var fields = Fields()
        let isRead = MessageFields.read(message) {
            fields.fields(&$0, all: request.parts.count, early: request.early)
        }
        guard isRead, fields.number == request.number else { return nil }
        self.init(doubtful: fields.number)
        isDoubtful = fields.kind == .doubt
        isEarly = fields.kind == .early
        if let error = fields.error {
            result = .failure(error)
        } else if !isDoubtful {
            guard let rendering = fields.rendering(memory, request) else { return nil }
            result = .success(rendering)
        }
    }
}

/// What the message says.
private struct Fields {
    /// The first byte.
    enum Kind: Int {
        case whole, notAnImage, unsupported, broken, overLimit, misconfigured
        /// Stands for a picture that the decoder of planes warns of.
        case doubt = 8
        /// Stands for a rendering whose rest follows.
        case early = 9
        /// Stands for the header of the picture, if only that is wanted.
        case header = 10
    }

    var number = 0
    var kind = Kind.whole
    /// Of an error.
    var text = ""
    var width = 0
    var height = 0
    var hasAlpha = false
    var isProgressive = false
    var color = RGB(red: 0, green: 0, blue: 0)
    var thumbHash: [UInt8] = []
    var thumbnails: [(count: Int, lane: Lane)] = []
    var header = Header(format: .jpeg, width: 0, height: 0)

    /// Limit of an error in characters.
    private static let maxText = 300

    /// - Parameters:
    ///   - all: the thumbnails of the request.
    ///   - early: number of thumbnails in the early reply; 0 without one.
    mutating func fields(_ message: inout MessageFields, all: Int, early: Int) {
        message.number(&number, 7)
        message.coded(&kind, \.rawValue, Kind.init(rawValue:))
        switch kind {
        case .doubt: break
        case .notAnImage, .unsupported, .broken, .overLimit, .misconfigured: message.text(&text)
        case .early:
            message.require(early > 0)
            rendering(&message, early)
        case .whole: rendering(&message, all)
        case .header: header.fields(&message)
        }
    }

    private mutating func rendering(_ message: inout MessageFields, _ count: Int) {
        message.number(&width, 4)
        message.number(&height, 4)
        var flags = (hasAlpha ? 1 : 0) | (isProgressive ? 2 : 0)
        message.number(&flags, 1, in: 0...3)
        (hasAlpha, isProgressive) = (flags & 1 != 0, flags & 2 != 0)
        message.color(&color)
        var length = thumbHash.count
        message.number(&length, 1)
        message.bytes(&thumbHash, length)
        message.elements(&thumbnails, count, of: (count: 0, lane: .planar)) { part, message in
            message.number(&part.count, 4, in: 1...RenderRequest.maxAnswer)
            message.one(of: &part.lane)
        }
    }

    init() {}

    init(_ reply: RenderReply) {
        number = reply.number
        switch reply.result {
        case _ where reply.isDoubtful: kind = .doubt
        case .failure(let error): (kind, text) = Self.code(error)
        case .success(let rendering) where rendering.header != nil:
            kind = .header
            header = rendering.header ?? header
        case .success(let rendering):
            kind = reply.isEarly ? .early : .whole
            (width, height) = (rendering.info.width, rendering.info.height)
            (hasAlpha, isProgressive) = (rendering.info.hasAlpha, rendering.info.isProgressive)
            (color, thumbHash) = (rendering.summary.color, rendering.summary.thumbHash)
            thumbnails = rendering.thumbnails.map { ($0.bytes.count, $0.lane) }
        }
    }

    private static func code(_ error: ImagingError) -> (Kind, String) {
        switch error {
        case .notAnImage(let text): (.notAnImage, text)
        case .unsupported(let text): (.unsupported, text)
        case .broken(let text): (.broken, text)
        case .overLimit(let text): (.overLimit, text)
        case .misconfigured(let text): (.misconfigured, text)
        case .overloaded, .canceled, .stopped, .crashed, .tooSlow, .quarantined:
            (.misconfigured, error.description)
        }
    }

    /// Nil if it is not a reply of an error.
    var error: ImagingError? {
        switch kind {
        case .whole, .early, .header, .doubt: nil
        case .notAnImage: .notAnImage(looksLike: line)
        case .unsupported: .unsupported(format: line)
        case .broken: .broken(reason: line)
        case .overLimit: .overLimit(reason: line)
        case .misconfigured: .misconfigured(reason: line)
        }
    }

    /// The text for a log: one line of limited length.
    private var line: String {
        String(
            text.unicodeScalars.prefix(Self.maxText).map {
                $0.properties.generalCategory == .control ? " " : Character($0)
            })
    }

    /// Returns the rendering with the thumbnails in memory; nil if it can't be true.
    func rendering(_ memory: SharedMemory, _ request: RenderRequest) -> Rendering? {
        if request.input == .header { return header(of: request.format) }
        guard kind != .header, (1...request.maxSide).contains(width),
            (1...request.maxSide).contains(height),
            Int.clampedProduct(width, height) <= request.maxPixels,
            let format = request.shown
        else { return nil }
        let seen = PixelSize(width: width, height: height)
        var made: [Thumbnail] = []
        var offset = 0
        for (rendition, part) in zip(request.parts.map(\.rendition), thumbnails) {
            guard offset + part.count <= RenderRequest.maxAnswer,
                let bytes = memory.read(request.thumbnails + offset, part.count),
                rendition.isPyramid
                    ? PyramidTable.isWhole(bytes, width: width, height: height)
                    : ImageFormat.sniff(bytes) == rendition.format.imageFormat
            else { return nil }
            let size = rendition.level.size(of: seen)
            made.append(
                Thumbnail(
                    rendition: rendition, width: size.width, height: size.height, bytes: bytes,
                    lane: part.lane))
            offset += part.count
        }
        let info = ImageInfo(
            format: format, width: width, height: height, hasAlpha: hasAlpha,
            isProgressive: isProgressive)
        let summary = PictureSummary(
            thumbHash: thumbHash, color: color, width: width, height: height)
        return Rendering(
            info: info, thumbnails: made, summary: summary, queued: .zero, worked: .zero)
    }
}

extension Fields {
    /// Returns the header of a picture in that format; nil if it can't be true. The limits are checked later.
    fileprivate func header(of format: ImageFormat) -> Rendering? {
        guard kind == .header, header.format == format, header.width > 0, header.height > 0,
            header.planes == nil || format == .jpeg,
            header.planes != nil || !header.planesNeedProfile,
            !header.isInk || format == .jpeg, header.halvings == 0 || format == .tiff
        else { return nil }
        return Rendering(header)
    }
}

extension RenderRequest {
    /// The format of what the reply tells the size of.
    fileprivate var shown: ImageFormat? {
        switch input {
        case .original, .pyramid, .header: format
        case .sheet, .cut: parts.first?.rendition.format.imageFormat
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
