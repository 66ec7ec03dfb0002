import CVips

/// A format and its encoder's settings: everything that decides the bytes besides the pixels.
enum Encoding: Hashable, Sendable {
    case jpeg(quality: Int, background: RGB)
    case webp(quality: Int, effort: Int)
    case avif(quality: Int, effort: Int)
    case png(compression: Int)

    /// Returns the bytes of a file without metadata, which libvips makes; equal pixels give equal bytes.
    func encode(_ picture: VipsPicture) throws(ImagingError) -> [UInt8] {
        switch self {
        case .jpeg(let quality, let background):
            let ground = picture.samples(of: background)
            return try Self.save(picture) {
                vitrine_vips_save_jpeg(
                    $0, Int32(quality), ground, Int32(ground.count), $1, $2)
            }
        case .webp(let quality, let effort):
            return Self.bare(
                try Self.save(picture) {
                    vitrine_vips_save_webp($0, Int32(quality), Int32(effort), $1, $2)
                })
        case .avif(let quality, let effort):
            return try Self.whole(
                try Self.save(picture) {
                    vitrine_vips_save_avif($0, Int32(quality), Int32(effort), $1, $2)
                }, width: picture.width, height: picture.height)
        case .png(let compression):
            return try Self.save(picture) { vitrine_vips_save_png($0, Int32(compression), $1, $2) }
        }
    }

    /// Returns an AVIF that has its picture. Where libaom finds no memory, libheif (1.15) returns a file
    /// without one.
    static func whole(_ avif: [UInt8], width: Int, height: Int) throws(ImagingError) -> [UInt8] {
        let header = Result { () throws(ImagingError) in try HeaderReader.heif(avif, .avif) }
        guard case .success(let header) = header, (header.width, header.height) == (width, height)
        else {
            throw .misconfigured(reason: "\(ImagingError.noMemory) for the encoder")
        }
        return avif
    }

    /// The same for pixels.
    func encode(_ pixels: PixelBuffer) throws(ImagingError) -> [UInt8] {
        try encode(try VipsPicture(borrowing: pixels))
    }

    /// Returns a PNG that is quick to make and to read.
    static func quickPNG(_ picture: VipsPicture) throws(ImagingError) -> [UInt8] {
        try save(picture) { vitrine_vips_save_png($0, 1, $1, $2) }
    }

    var format: ThumbnailFormat {
        switch self {
        case .jpeg: .jpeg
        case .webp: .webp
        case .avif: .avif
        case .png: .png
        }
    }

    /// Time to encode a pixel in that of a JPEG's, roughly: 2 ns.
    var effort: Int {
        switch self {
        case .jpeg: 1
        case .webp: 10
        case .png: 15
        case .avif: 40
        }
    }

    /// All settings as text, for the fingerprint.
    var text: String {
        switch self {
        case .jpeg(let quality, let background):
            "jpeg \(quality) \(background.red) \(background.green) \(background.blue)"
        case .webp(let quality, let effort): "webp \(quality) \(effort)"
        case .avif(let quality, let effort): "avif \(quality) \(effort)"
        case .png(let compression): "png \(compression)"
        }
    }

    /// Chunks of a WebP that doesn't move (RFC 9649, section 2).
    private static let pictureChunks: [StaticString] = ["ALPH", "VP8 ", "VP8L"]

    /// Returns a WebP without metadata: libvips 8.14 writes EXIF although it is told to write none.
    private static func bare(_ file: [UInt8]) -> [UInt8] {
        var reader = ByteReader(file)
        guard reader.take("RIFF"), reader.skip(4), reader.take("WEBP") else { return file }
        var extended: [UInt8]?
        var chunks: [[UInt8]] = []
        while reader.remaining >= 8 {
            let start = reader.position
            var head = reader
            guard head.skip(4), let length = head.littleEndian(4), reader.skip(8) else {
                return file
            }
            let isPicture = pictureChunks.contains { ByteReader(file).starts(with: $0, at: start) }
            let isExtended = ByteReader(file).starts(with: "VP8X", at: start)
            let padded = length + length % 2
            guard reader.skip(padded) else { return file }
            let chunk = Array(file[start..<start + 8 + padded])
            if isPicture { chunks.append(chunk) }
            if isExtended { extended = chunk }
        }
        // Besides a single chunk there is nothing to tell.
        if var extended, chunks.count > 1 {
            // Of the flags only that of an alpha.
            extended[8] &= 0x10
            chunks.insert(extended, at: 0)
        }
        let size = chunks.reduce(4) { $0 + $1.count }
        let length = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
        return Array("RIFF".utf8) + length + Array("WEBP".utf8) + chunks.joined()
    }

    private static func save(
        _ picture: VipsPicture,
        _ operation: (
            VipsPicture.Image, UnsafeMutablePointer<UnsafeMutableRawPointer?>,
            UnsafeMutablePointer<Int>
        ) -> Int32
    ) throws(ImagingError) -> [UInt8] {
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        let status = picture.with { operation($0, &bytes, &count) }
        defer { g_free(bytes) }
        guard status == 0, let bytes else {
            let text = Vips.errorText()
            throw .misconfigured(
                reason: DecoderMessage.isOfMemory(text)
                    ? "\(ImagingError.noMemory) for the encoder" : "the encoder failed: \(text)")
        }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// A thumbnail to make.
struct RenderPart: Sendable, Equatable {
    var rendition: Rendition
    var encoding: Encoding
    /// One of planes takes libvips' lane after all if the picture has none.
    var lane = Lane.libvips

    var level: Level { rendition.level }
}
