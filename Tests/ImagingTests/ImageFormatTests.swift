import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct ImageFormatTests {
    private static let boxes: [UInt8] = [0, 0, 0, 24]

    private static let beginnings: [(ImageFormat, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)),
        (.webp, Array("RIFF1234WEBPVP8 ".utf8)),
        (.avif, boxes + Array("ftypavif\0\0\0\0mif1miaf".utf8)),
        (.avif, boxes + Array("ftypmif1\0\0\0\0miafavif".utf8)),
        (.heic, boxes + Array("ftypheic\0\0\0\0mif1heic".utf8)),
        (.heic, boxes + Array("ftypmif1\0\0\0\0mif1heic".utf8)),
        (.tiff, Array("II*\0".utf8)), (.tiff, Array("MM\0*".utf8)), (.tiff, Array("II+\0".utf8)),
        (.svg, Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)),
        (.svg, Array("\u{FEFF}\n<?xml version=\"1.0\"?>\n<!-- <html> -->\n<SVG>".utf8)),
        (.svg, Array("<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\">".utf8)),
        (.svg, Array("<svg:svg width='1'>".utf8)),
        (.bmp, Array("BM".utf8) + Array(repeating: 0, count: 12) + [40, 0, 0, 0]),
        (.jxl, [0xFF, 0x0A]),
        (.jxl, [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10]),
        (.jp2, [0xFF, 0x4F, 0xFF, 0x51]),
        (.jp2, [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 13, 10, 0x87, 10]),
    ]

    @Test(arguments: beginnings)
    func `a format is detected by its first bytes`(format: ImageFormat, bytes: [UInt8]) {
        #expect(ImageFormat.sniff(bytes) == format)
    }

    private static let others: [(String, [UInt8])] = [
        ("nothing (0 bytes)", []),
        ("an HTML page", FixtureImages.html),
        ("an HTML page", Array("\n <!-- moved -->\n<HTML><body>".utf8)),
        ("an HTML page", Array("<h1>Not found</h1>".utf8)),
        ("JSON", FixtureImages.json), ("JSON", Array("[ 1, 2 ]".utf8)),
        ("XML", Array("<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>".utf8)),
        ("XML", Array("<rss version='2.0'>".utf8)),
        ("a PDF document", Array("%PDF-1.7\n".utf8)), ("gzip data", [0x1F, 0x8B, 8]),
        ("text", Array("Not found, désolé".utf8)), ("text", Array("BMW, [really]".utf8)),
        ("text", Array("{{ template }}".utf8)),
        ("unknown data", [0, 1, 2, 3]), ("unknown data", [0xFF, 0xFE, 0xFD]),
        ("a video (Matroska or WebM)", [0x1A, 0x45, 0xDF, 0xA3]),
    ]

    @Test(arguments: others)
    func `content that is not a picture is named in the error`(name: String, bytes: [UInt8]) {
        #expect(ImageFormat.sniff(bytes) == nil)
        #expect(ContentGuess.name(bytes) == name)
    }

    @Test func `a text cut within a character is still text`() {
        let text = Array(String(repeating: "é", count: 300).utf8)
        #expect(ContentGuess.name([0x20] + text) == "text")
        #expect(ContentGuess.name(text) == "text")
    }
}

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
