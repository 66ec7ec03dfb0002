import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct SVGLengthTests {
    private static func text(_ document: String, _ size: SVGDocument.Size = .filling(100)) -> String
    {
        String(decoding: SVGLengths.inPixels(Array(document.utf8), size), as: UTF8.self)
    }

    private static func svg(_ content: String, _ attributes: String = "") -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"100\" \(attributes)>\(content)</svg>"
    }

    /// Columns of red in a row of the middle, of a rectangle in blue.
    private func width(_ length: String, _ attributes: String = "") throws -> Int {
        let content =
            "<rect width=\"200\" height=\"100\" fill=\"blue\"/>"
            + "<rect width=\"\(length)\" height=\"100\" fill=\"red\"/>"
        let pixels = try DecodedPixels(Array(Self.svg(content, attributes).utf8))
        return (0..<200).filter { pixels.rgba($0, 50)[0] > 127 }.count
    }

    /// CSS Values and Units 4, section 6.
    @Test(arguments: [
        ("100", 100), ("100px", 100), ("75pt", 100), ("75PT", 100), ("6pc", 96), ("1in", 96),
        ("2.54cm", 96), ("25.4mm", 96), ("26.46mm", 100), ("101.6Q", 96), ("101.6q", 96),
        ("4em", 64),
        ("4rem", 64), ("4ex", 32), ("50%", 100), ("1e2", 100), ("7.5e1pt", 100), ("+75pt", 100),
        (" 75pt ", 100), (".5in", 48), ("0.75E2pt", 100),
    ])
    func `a length has the pixels of CSS`(length: String, pixels: Int) throws {
        #expect(try width(length) == pixels)
    }

    @Test(arguments: [
        ("4em", "font-size=\"10\"", 40), ("4em", "font-size=\"10px\"", 40),
        ("4em", "font-size=\"7.5pt\"", 40),
        ("2em", "font-size=\"2em\"", 64), ("2em", "font-size=\"200%\"", 64),
        ("2em", "style=\"font-size:2em\"", 64), ("4rem", "font-size=\"10\"", 40),
        ("4rem", "style=\"fill:red; FONT-SIZE: 10px\"", 40),
    ])
    func `a length in em follows the size of the root's text`(
        length: String, root: String, pixels: Int
    ) throws {
        #expect(try width(length, root) == pixels)
    }

    @Test(arguments: [
        (
            "<rect x=\"1mm\" style=\"stroke-width:1pt;x:2in\"/>",
            "<rect x=\"3.779528px\" style=\"stroke-width:1.333333px;x:192px\"/>"
        ),
        ("<line stroke-dasharray='1in,2in 3in'/>", "<line stroke-dasharray='96px,192px 288px'/>"),
        (
            "<style>.a5mm{font:bold 12pt/2pc a} #b1in{r:1cm}</style>",
            "<style>.a5mm{font:bold 16px/32px a} #b1in{r:37.795276px}</style>"
        ),
        ("<style><![CDATA[a{r:-1in}]]></style>", "<style><![CDATA[a{r:-96px}]]></style>"),
        (
            "<style>a{b:'1in' \"2in\" url(#3in) /* 4in */ 5in}</style>",
            "<style>a{b:'1in' \"2in\" url(#3in) /* 4in */ 480px}</style>"
        ),
        ("<s:style>a{r:1in}</s:style>", "<s:style>a{r:96px}</s:style>"),
        ("<rect width=\"1in\"", "<rect width=\"96px\""),
        ("<a x='1in' y=\"1in", "<a x='96px' y=\"96px"),
    ])
    func `lengths are rewritten in attributes and styles`(before: String, after: String) {
        #expect(Self.text(before) == after)
    }

    @Test(arguments: [
        "<text id=\"1in\" class=\"2cm\" font-family=\"3mm\">4pt 5in</text>",
        "<!-- <rect x=\"1in\"/> -->",
        "<path d=\"M1 2in\"/>", "<rect x=\"1inch\" y=\"2 in\" width=\"a3mm\" height=\"4mm5\"/>",
        "<title><![CDATA[<rect x=\"1in\"/>]]></title>", "<?a x=\"1in\"?>", "<image href=\"1in\"/>",
        "<!DOCTYPE svg \"1in\">", "</rect x=\"1in\">", "<a x=1in>", "<", "<a", "<a x", "<a x=", "",
        "1in",
        "<rect width=\"1e999in\"/>", "<rect width=\"\(String(repeating: "1", count: 99))in\"/>",
    ])
    func `what is not a length stays`(document: String) {
        #expect(Self.text(document) == document)
    }

    @Test(arguments: [
        (
            "<svg viewBox=\"0 0 4 2\">",
            "<svg font-size=\"16px\" width=\"100\" height=\"50\" viewBox=\"0 0 4 2\">"
        ),
        (
            "<svg width='100%' viewBox='0 0 2 4'/>",
            "<svg font-size=\"16px\" width=\"50\" height=\"100\"  viewBox='0 0 2 4'/>"
        ),
        (
            "<s:svg font-size='1em' viewBox='0,0,1,1'>",
            "<s:svg width=\"100\" height=\"100\" font-size='16px' viewBox='0,0,1,1'>"
        ),
        ("<svg font-size='large'>", "<svg font-size='large'>"),
        ("<svg viewBox='0 0 4'>", "<svg font-size=\"16px\" viewBox='0 0 4'>"),
        ("<svg viewBox='0 0 -4 4'>", "<svg font-size=\"16px\" viewBox='0 0 -4 4'>"),
        (
            "<svg viewBox='0 0 1e308 1e-308'>",
            "<svg font-size=\"16px\" width=\"100\" height=\"1\" viewBox='0 0 1e308 1e-308'>"
        ),
        (
            "<svg height='1in' viewBox='0 0 4 4'>",
            "<svg font-size=\"16px\" height='96px' viewBox='0 0 4 4'>"
        ),
        (
            "<svg style='width:auto' viewBox='0 0 4 4'>",
            "<svg font-size=\"16px\" width=\"100\" height=\"100\" style='width:100px' viewBox='0 0 4 4'>"
        ),
        (
            "<svg width='1in'><svg viewBox='0 0 1 1'>",
            "<svg font-size=\"16px\" width='96px'><svg viewBox='0 0 1 1'>"
        ),
    ])
    func `a root without a size gets one, and the text of CSS`(before: String, after: String) {
        #expect(Self.text(before) == after)
    }

    @Test(arguments: [("0 0 24 24", 24, 24), ("0 0 1000000 500000", 100, 50)])
    func `an embedded SVG without a size keeps that of its box`(
        box: String, width: Int, height: Int
    ) {
        let text = Self.text("<svg viewBox=\"\(box)\"/>", .within(100))
        #expect(text.contains("width=\"\(width)\" height=\"\(height)\""))
    }

    @Test(arguments: [
        ([], 2_048), ([480], 2_048), ([2_048], 2_048), ([2_049], 4_096), ([80, 16_383], 16_384),
    ])
    func `an SVG without a size fills every level`(sides: [Int], longer: Int) {
        let levels = sides.map { Level(name: "a", width: 1, height: $0) }
        #expect(SVGDocument.Size.longerSide(for: levels) == longer)
    }

    @Test func `an SVG without a size is drawn as large as each level`() async throws {
        let icon = Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h12v24H0z" \
            fill="#00f"/></svg>
            """.utf8)
        let renditions = Level.defaults.map { Rendition(level: $0, format: .png) }
        let rendering = try await rendered(icon, renditions)
        #expect(rendering.thumbnails.map(\.width) == [80, 160, 320, 640, 1_280])
        #expect((rendering.info.width, rendering.info.height) == (2_048, 2_048))
        // Whichever levels are wanted.
        let single = try await rendered(icon, [renditions[2]])
        #expect(single.thumbnails.first?.bytes == rendering.thumbnails[2].bytes)
        #expect(single.info == rendering.info)
        let pixels = try DecodedPixels(rendering.thumbnails[4].bytes)
        #expect(pixels.rgba(639, 600) == [0, 0, 255, 255])
        #expect(pixels.rgba(640, 600)[3] == 0)
    }

    private static let green = Array(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><title>é→😀</title>\
        <rect width="20" height="10" fill="#0f0"/></svg>
        """.utf8)

    private static func utf16(_ text: String, little: Bool, mark: Bool) -> [UInt8] {
        ((mark ? "\u{FEFF}" : "") + text).utf16.flatMap { unit in
            let (low, high) = (UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8))
            return little ? [low, high] : [high, low]
        }
    }

    private static let comment = "<!--" + String(repeating: " license > text", count: 5_000) + "-->"

    private static let hidden: [(String, [UInt8])] = {
        let svg = String(decoding: green, as: UTF8.self)
        let declared = "<?xml version=\"1.0\" encoding='UTF-16'?>" + svg
        return [
            ("little endian", utf16(svg, little: true, mark: true)),
            ("big endian", utf16(svg, little: false, mark: true)),
            ("little endian, declared", utf16(declared, little: true, mark: true)),
            ("big endian, declared", utf16(declared, little: false, mark: true)),
            ("little endian without mark", utf16(declared, little: true, mark: false)),
            ("big endian without mark", utf16(declared, little: false, mark: false)),
            ("UTF-16 behind a comment", utf16(comment + svg, little: true, mark: true)),
            ("a comment of 75 KB", Array((comment + svg).utf8)),
            (
                "declaration and comments",
                Array(("<?xml version=\"1.0\"?>\n" + comment + "\n" + comment + svg).utf8)
            ),
            ("a mark and a comment", [0xEF, 0xBB, 0xBF] + Array((comment + svg).utf8)),
            ("blanks", Array((String(repeating: "\n", count: 9_000) + svg).utf8)),
        ]
    }()

    @Test(arguments: hidden)
    func `an SVG is recognized behind comments and in UTF-16`(name: String, svg: [UInt8]) throws {
        #expect(try ImageFormat.detected(in: svg) == .svg)
        let pixels = try DecodedPixels(svg)
        #expect(pixels.rgba(10, 5) == [0, 255, 0, 255])
        #expect((pixels.info.width, pixels.info.height) == (20, 10))
        // A folder looks at the beginning first, and then at more.
        let head = Array(svg.prefix(ImageFormat.headBytes))
        let isTold = ImageFormat.ofFile(head: head) == .svg
        #expect(ImageFormat.needsMore(head: head) != isTold)
        #expect(ImageFormat.ofFile(head: Array(svg.prefix(ImageFormat.longHeadBytes))) == .svg)
    }

    @Test(arguments: [
        ("HTML", "<!-- a --><html><svg></svg></html>"), ("text", "svg"),
        ("XML", "<?xml?><a><svg/></a>"),
        ("a comment that doesn't end", "<!-- <svg>"), ("nothing", ""), ("a picture", "GIF89a"),
    ])
    func `a text that is not an SVG is not one behind a comment either`(name: String, text: String)
    {
        for bytes in [Array(text.utf8), Array((Self.comment + text).utf8)] {
            #expect(ImageFormat.sniff(bytes) != .svg)
        }
    }

    @Test func `a comment of more than a megabyte hides an SVG`() {
        let long = Array(("<!--" + String(repeating: " ", count: 1 << 20) + "-->").utf8)
        #expect(ImageFormat.sniff(long + Self.green) == nil)
        #expect(!ImageFormat.needsMore(head: Array(long.prefix(ImageFormat.longHeadBytes))))
    }

    @Test(
        arguments: [
            [0xFF, 0xFE, 0x3C, 0x00, 0x73, 0xD8, 0x73, 0x00], [0xFF, 0xFE, 0x3C, 0x00, 0x73],
        ] as [[UInt8]])
    func `half a character in UTF-16 is damage`(bytes: [UInt8]) {
        #expect(throws: ImagingError.broken(reason: "its UTF-16 text is damaged")) {
            try UTF16Text.utf8(of: bytes)
        }
    }

    /// What hides in bytes that the checks don't see would reach librsvg.
    @Test func `an entity in UTF-16 is refused as in UTF-8`() {
        let text =
            "<!DOCTYPE svg [<!ENTITY a \"x\">]>" + String(decoding: Self.green, as: UTF8.self)
        for little in [true, false] {
            #expect(throws: ImagingError.self) {
                try SVGDocument.checked(Self.utf16(text, little: little, mark: true))
            }
        }
    }

    @Test(arguments: ["style", "font-size", "viewBox", "width", "x"])
    func `an attribute that the root has twice changes nothing else`(name: String) {
        let value = name == "style" ? "width:1in;font-size:2pt" : "0 0 9 9"
        let twice = "<svg \(name)=\"\(value)\" y=\"1in\" \(name)=\"\(value)\"><g x=\"1in\"/></svg>"
        #expect(Self.text(twice).hasSuffix("><g x=\"96px\"/></svg>"))
        #expect(Self.text(twice).contains("y=\"96px\""))
    }

    /// Each byte is looked at a few times.
    @Test(arguments: [
        "<a x=\"1mm ", "<!-- ", "<a ", "1in ", "<style>a{b:1in", "'", "<svg x='", "\"", "1e", "+",
        "url(",
    ])
    func `lengths take time in proportion to the size of an SVG`(part: String) {
        func time(_ count: Int) -> Duration {
            let svg = Array(("<svg><style>" + String(repeating: part, count: count)).utf8)
            return processorTime { _ = SVGLengths.inPixels(svg, .filling(100)) }
        }
        // Quadratic time would be 64 times as much.
        #expect(time(16_000) < time(2_000) * 24)
    }
}
