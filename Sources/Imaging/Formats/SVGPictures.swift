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
    static func check(_ document: [UInt8], _ limits: Limits) throws(ImagingError) {
        let pixels = pixels(in: document)
        guard Int.clampedProduct(pixels, bytesPerPixel) > limits.memory else { return }
        throw .overLimit(
            reason: "it embeds pictures of \(grouped(pixels)) pixels, and the"
                + " \(ImagingError.mebibytes(limits.memory)) of memory for an SVG of its size hold"
                + " \(grouped(limits.memory / bytesPerPixel))")
    }

    /// Returns the pixels of all embedded pictures. Looks at each byte once.
    static func pixels(in document: [UInt8]) -> Int {
        var (sum, at) = (0, 0)
        while let start = find("data:image/", document, from: at) {
            at = start + 11
            guard let data = find("base64,", document, from: at), data < start + 100 else {
                continue
            }
            at = data + 7
            sum = .clampedSum(sum, pixels(ofPicture: decoded(document, &at)))
        }
        return sum
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
    private static func decoded(_ document: [UInt8], _ at: inout Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        while at < document.count, bytes.count < headerBytes {
            if let value = value(document[at]) {
                bits = (bits << 6 | value) & 0xFFF
                count += 6
                if count >= 8 {
                    count -= 8
                    bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                }
            } else if !(document[at] == 0x20 || 0x09...0x0D ~= document[at]) {
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

    private static func find(_ mark: StaticString, _ document: [UInt8], from start: Int) -> Int? {
        let place = mark.withUTF8Buffer {
            vitrine_find(document, document.count, start, $0.baseAddress, $0.count)
        }
        return place < document.count ? place : nil
    }
}
