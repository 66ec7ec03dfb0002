import CVips

/// The pictures that an SVG embeds in data links, by their headers. librsvg draws an SVG without those that
/// don't fit into its memory, so that they are looked at before.
enum SVGPictures {
    /// Bytes of memory that each pixel takes: as it is decoded, and as it is drawn.
    private static let bytesPerPixel = 8
    /// Bytes of an embedded picture that are read for its size.
    private static let headerBytes = 1 << 20

    /// Refuses a document whose embedded pictures don't fit into the memory for rendering.
    ///
    /// - Throws: ``ImagingError/overLimit(reason:)``
    static func check(_ document: [UInt8], memory: Int) throws(ImagingError) {
        let pixels = pixels(in: document)
        guard Int.clampedProduct(pixels, bytesPerPixel) > memory else { return }
        throw .overLimit(
            reason: "it embeds pictures of \(grouped(pixels)) pixels, and the"
                + " \(ImagingError.mebibytes(memory)) of memory for an SVG of its size hold"
                + " \(grouped(memory / bytesPerPixel))")
    }

    /// Returns the pixels of all embedded pictures. Looks at each byte once.
    static func pixels(in document: [UInt8]) -> Int {
        var (sum, at) = (0, 0)
        while let start = document.first("data:", from: at) {
            at = start + 5
            guard let data = data(of: start..<document.count, in: document) else { continue }
            at = data
            sum = .clampedSum(sum, pixels(ofPicture: decoded(document, &at)))
        }
        return sum
    }

    /// Returns where the base64 of a data link begins; nil for another link.
    static func data(of link: Range<Int>, in document: [UInt8]) -> Int? {
        // A media type with parameters is shorter.
        let end = min(link.upperBound, link.lowerBound + 200)
        return document.first("base64,", from: link.lowerBound, to: end).map { $0 + 7 }
    }

    /// Returns the bytes of a picture in base64.
    static func picture(at data: Int, in document: [UInt8]) -> [UInt8] {
        var at = data
        return decoded(document, &at, upTo: document.count)
    }

    /// Returns the format of a picture in base64; nil if it is none.
    static func format(at data: Int, in document: [UInt8]) -> ImageFormat? {
        var at = data
        let start = decoded(document, &at, upTo: 4_096)
        guard
            case .success(let format) = Result(catching: { () throws(ImagingError) in
                try ImageFormat.detected(in: start)
            })
        else { return nil }
        return format
    }

    private static func pixels(ofPicture bytes: [UInt8]) -> Int {
        do throws(ImagingError) {
            let format = try ImageFormat.detected(in: bytes)
            guard format != .png else { return pixels(ofPNG: bytes) }
            return try HeaderReader.read(bytes, format).pixels
        } catch {
            // It is broken, and not drawn.
            return 0
        }
    }

    /// The whole header can't be read of a beginning: it says where the pixels begin.
    private static func pixels(ofPNG bytes: [UInt8]) -> Int {
        var reader = ByteReader(bytes)
        guard reader.skip(16), let width = reader.bigEndian(4), let height = reader.bigEndian(4)
        else {
            return 0
        }
        return .clampedProduct(width, height)
    }

    /// Decodes base64 from a place on, which moves to the end of what is read.
    private static func decoded(
        _ document: [UInt8], _ at: inout Int, upTo limit: Int = headerBytes
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        while at < document.count, bytes.count < limit {
            if let value = value(document[at]) {
                bits = (bits << 6 | value) & 0xFFF
                count += 6
                if count >= 8 {
                    count -= 8
                    bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                }
            } else if !ContentGuess.isSpace(document[at]) {
                break
            }
            at += 1
        }
        return bytes
    }

    private static func value(_ letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(letter) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(letter) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(letter) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

extension [UInt8] {
    /// Returns where a text begins for the first time from `start` up to `end`; nil if it isn't there.
    /// Letters match in either case.
    func first(_ mark: StaticString, from start: Int, to end: Int? = nil) -> Int? {
        let end = end ?? count
        let place = mark.withUTF8Buffer { vitrine_find(self, end, start, $0.baseAddress, $0.count) }
        return place < end ? place : nil
    }
}
