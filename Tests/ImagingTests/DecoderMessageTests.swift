import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct DecoderMessageTests {
    @Test(arguments: [
        ("VipsJpeg: premature end\nVipsJpeg: premature end\n", "premature end"),
        ("bad name 'a\u{FFFD}b\u{7}c\u{202E}d'.", "bad name 'abcd'"),
    ])
    func `says once, in what people can read, what decoders say`(said: String, words: String) {
        #expect(DecoderMessage.oneLine(said) == words)
    }

    @Test(arguments: [
        ("tiff2vips: subsampled images not supported", "This variant of PNG is not supported."),
        ("TIFFFillStrip: Sorry, can not handle images with 64-bit samples", "This variant of PNG"),
        ("VipsJpeg: Premature end of input file", "The picture is broken: it ends too early."),
        ("gifload_buffer: Unexpected end of GIF source data", "it ends too early."),
        ("pngload_buffer: libpng read error", "The picture is broken: its data is damaged."),
        ("", "The picture is broken: its data is damaged."),
        ("Cannot read image file \"/proc/self/fd/5\".", "its data is damaged."),
        ("svgload: SVG rendering failed; XML parse error: xmlParseEntityRef", "well-formed XML."),
        ("svgload: exceeded more than 500000 referenced elements", "too many times."),
        ("Error creating thread: Resource temporarily unavailable", "there is no memory for its"),
        ("vips_tracked: out of memory --- size == 354MB", "there is no memory for its decoder."),
    ])
    func `a decoder's message becomes a sentence for people`(message: String, words: String) {
        let error = DecoderMessage.named(DecoderMessage.error(message), [], .png)
        #expect("\(error)".contains(words), "\(error)")
    }

    @Test func `a decoder that has one message for all doesn't say that a sound picture is broken`()
    {
        let error = DecoderMessage.named(
            DecoderMessage.error("jxlload_buffer: error JxlDecoderProcessInput"), [], .jxl)
        #expect(
            "\(error)"
                == "This JPEG XL, which is damaged or of a variant that is not known, is not supported."
                + " Save the picture as PNG or JPEG.")
    }

    /// A TIFF of one pixel with these entries.
    private static func tiff(_ entries: [(tag: UInt8, value: UInt16, page: UInt8)]) -> [UInt8] {
        let rows = entries.flatMap { tag, value, page -> [UInt8] in
            [tag, page, 3, 0, 1, 0, 0, 0, UInt8(value & 0xFF), UInt8(value >> 8), 0, 0]
        }
        return [0x49, 0x49, 42, 0, 8, 0, 0, 0, UInt8(entries.count), 0] + rows + [0, 0, 0, 0]
    }

    @Test(
        arguments: [
            (64, 3, 1, 2, "TIFF with 64-bit floats"),
            (32, 2, 1, 1, "TIFF with 32-bit signed integers"),
            (8, 1, 34_887, 2, "TIFF with 8-bit samples compressed with LERC"),
            (8, 1, 7, 6, "TIFF with YCbCr colors compressed with JPEG"),
            (12, 1, 1, 32_803, "TIFF with the data of a camera's sensor as 12-bit samples"),
        ] as [(UInt16, UInt16, UInt16, UInt16, String)])
    func `a TIFF that isn't supported is named by what it stores`(
        bits: UInt16, kind: UInt16, compression: UInt16, photometric: UInt16, name: String
    ) {
        // The second byte of the tag makes 256 of 0.
        let tiff = Self.tiff([
            (0, 1, 1), (1, 1, 1), (2, bits, 1), (3, compression, 1), (6, photometric, 1),
            (83, kind, 1),
        ])
        #expect(PictureVariant.name(tiff, .tiff) == name)
    }
}
