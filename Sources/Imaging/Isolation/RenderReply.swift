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
                return RenderReply(number: number, result: .failure(error)).message
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
