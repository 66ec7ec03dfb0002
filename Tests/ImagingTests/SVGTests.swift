import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct SVGTests {
    private static func svg(
        _ content: String, _ attributes: String = "width=\"100\" height=\"50\""
    ) -> [UInt8] {
        Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
            \(attributes)>\(content)</svg>
            """.utf8)
    }

    private static let green = "<rect width=\"100%\" height=\"100%\" fill=\"#0f0\"/>"

    private func pixels(_ svg: [UInt8]) throws -> DecodedPixels {
        try DecodedPixels(svg) { _ in PixelSize(width: 20, height: 10) }
    }

    @Test func `an SVG is drawn at the size of a level, with alpha and sharp edges`() throws {
        let half = "<rect width=\"5000\" height=\"5000\" fill=\"#00f\"/>"
        let svg = Self.svg(half, "width=\"10000\" height=\"5000\" viewBox=\"0 0 10000 5000\"")
        let pixels = try pixels(svg)
        #expect(pixels.info.width == 10_000)
        #expect(pixels.rgba(9, 5) == [0, 0, 255, 255])
        #expect(pixels.rgba(10, 5)[3] == 0)
    }

    @Test func `an SVG smaller than the level keeps its own size`() async throws {
        let level = Level(name: "l", width: 640, height: 960)
        let rendering = try await rendered(
            Self.svg(Self.green),
            ThumbnailFormat.allCases.map { Rendition(level: level, format: $0) })
        #expect(rendering.thumbnails.allSatisfy { ($0.width, $0.height) == (100, 50) })
        #expect(rendering.info.height == 50)
    }

    @Test(arguments: [("65535", "3"), ("2", "9000")])
    func `very thin SVGs are drawn`(width: String, height: String) throws {
        let svg = Self.svg(Self.green, "width=\"\(width)\" height=\"\(height)\"")
        let level = Level(name: "m", width: 320, height: 480)
        let pixels = try DecodedPixels(svg) { $0.fitting(level) }
        #expect(pixels.rgba(0, 0)[1] == 255)
    }

    @Test(arguments: [
        (#"width="40" height="30""#, 40, 30), (#"width="40px" height="1in""#, 40, 96),
        (#"width="140" viewBox="0 0 70 20""#, 140, 40),
        (#"height="1e1" viewBox="0,0,70,20""#, 35, 10), (#"width="1pc" height="2em""#, 16, 32),
        (#"width="100mm" height="2.54cm""#, 378, 96), (#"width="75pt" height="40Q""#, 100, 38),
        (#"width="20em" height="10ex""#, 320, 80),
        (#"width="2rem" height="1em" font-size="10pt""#, 27, 13),
        (#"width="1em" height="1em" font-size="2em""#, 32, 32),
        (#"width="1em" height="1em" style="font-size: 150%; width: 3rem""#, 72, 24),
        (#"style="width:10cm;height:5cm""#, 378, 189), (#"width="10CM" height="5Cm""#, 378, 189),
        // Without a size it is as large as 2,048 pixels.
        (#"viewBox="0 0 70 20""#, 2_048, 585), (#"viewBox="0 0 1 1""#, 2_048, 2_048),
        (#"width="100%" height="100%" viewBox="0 0 64 32""#, 2_048, 1_024),
        (#"width="auto" viewBox="-5,-5 1e6 500000""#, 2_048, 1_024),
        (#"viewBox="0 0 1000000 500000""#, 2_048, 1_024),
        (#"viewBox="0 0 0.001 0.002""#, 1_024, 2_048),
        (#"style="width: 100%; height:auto" viewBox="0 0 64 32""#, 2_048, 1_024),
        (#"width="30" height="20" viewBox="0 0 1000000 500000""#, 30, 20),
        (#"width="50%" height="20" viewBox="0 0 64 32""#, 40, 20),
    ])
    func `the size of an SVG follows from its width, height and box`(
        attributes: String, width: Int, height: Int
    ) throws {
        let svg = Array(
            """
            <?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg" \(attributes)>
            <rect width="9999" height="9999" fill="#0f0"/></svg>
            """.utf8)
        let drawn = try DecodedPixels(svg) { $0 }
        #expect(drawn.info.width == width && drawn.info.height == height)
    }

    /// A gzip member with one stored block, and with a name where it has one.
    private static func gzip(_ plain: [UInt8], name: [UInt8] = []) -> [UInt8] {
        let size = [UInt8(plain.count & 0xFF), UInt8(plain.count >> 8)]
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in plain {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : 0xEDB8_8320 ^ (crc >> 1) }
        }
        return [0x1F, 0x8B, 8, name.isEmpty ? 0 : 8, 0, 0, 0, 0, 0, 3]
            + (name.isEmpty ? [] : name + [0]) + [1] + size + size.map { ~$0 } + plain
            + (0..<4).map { UInt8(truncatingIfNeeded: ~crc >> (8 * $0)) } + size + [0, 0]
    }

    /// A gzip member of so many stored blocks of spaces, without an end.
    private static func gzip(blocks: Int) -> [UInt8] {
        let block = [0, 0xFF, 0xFF, 0, 0] + [UInt8](repeating: 0x20, count: 65_535)
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        for _ in 0..<blocks { bytes += block }
        return bytes
    }

    @Test func `a compressed SVG is drawn`() throws {
        let packed = Self.gzip(Self.svg(Self.green))
        #expect(try pixels(packed).rgba(10, 5) == [0, 255, 0, 255])
        #expect(SVGDocument.isCompressed(Array(packed.prefix(60))) == true)
        #expect(SVGDocument.isCompressed(Array(packed.prefix(15))) == nil)
        #expect(throws: ImagingError.broken(reason: "the compressed SVG is cut or damaged")) {
            try SVGDocument.checked(Array(packed.dropLast(9)))
        }
    }

    /// Real names are short; an endless one would keep the reader busy.
    @Test(arguments: [(200, true), (9_000, false)])
    func `a compressed SVG is detected by its first kilobytes`(name: Int, isTold: Bool) {
        let packed = Self.gzip(
            Self.svg(Self.green), name: [UInt8](repeating: 0x61, count: name))
        #expect((SVGDocument.isCompressed(packed) == true) == isTold)
    }

    @Test func `an SVG is not parsed before it is drawn`() throws {
        let limits = Limits(ImagingConfiguration())
        let header = try limits.header(
            of: Array("<svg width=\"9999999999\"".utf8), .svg, Level.defaults)
        let largest = Level.defaults.map { $0.width * $0.height }.max()
        #expect(header.pixels == largest)
    }

    private static let picture: String = {
        let png = FixtureImages.png(width: 2, height: 2) { _, _, band in band == 0 ? 255 : 0 }
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let padded = png + Array(repeating: 0, count: (3 - png.count % 3) % 3)
        let text = stride(from: 0, to: padded.count, by: 3).flatMap { at -> [UInt8] in
            let bits = Int(padded[at]) << 16 | Int(padded[at + 1]) << 8 | Int(padded[at + 2])
            return [18, 12, 6, 0].map { letters[bits >> $0 & 63] }
        }
        return "data:image/png;base64," + String(decoding: text, as: UTF8.self)
    }()

    @Test(arguments: [
        "image/png;base64,", ";base64,", "image/jpeg;base64,", "application/octet-stream;base64,",
    ])
    func `an embedded picture is drawn whatever the link calls it`(name: String) throws {
        let link = Self.picture.replacing("image/png;base64,", with: name)
        let image = "<image width=\"100\" height=\"50\" preserveAspectRatio=\"none\" href=\""
        #expect(try pixels(Self.svg("\(image)\(link)\"/>")).rgba(10, 5)[0] > 250)
    }

    @Test func `an embedded GIF, WebP or SVG is drawn`() throws {
        let red = RGB(red: 255, green: 0, blue: 0)
        let gif = FixtureImages.gif(width: 4, height: 4, colors: (red, red))
        let webp = try Canvas(width: 16, height: 16, fill: red).encodeWebP()
        let nested = Self.svg("<rect width=\"100\" height=\"50\" fill=\"red\"/>")
        let links = [
            ("image/gif", gif), ("image/png", gif), ("image/webp", webp), ("", webp),
            ("image/svg+xml", nested),
        ]
        for (name, bytes) in links {
            let link = "data:\(name);base64,\(Data(bytes).base64EncodedString())"
            let image =
                "<image width=\"100\" height=\"50\" preserveAspectRatio=\"none\" href=\"\(link)\"/>"
            let pixel = try pixels(Self.svg(image)).rgba(10, 5)
            #expect(pixel[0] > 245 && pixel[1] < 10 && pixel[3] == 255, "\(name): \(pixel)")
        }
    }

    @Test func `an embedded picture that is broken is not drawn, and the rest is`() throws {
        let gif = Data(Array("GIF89a".utf8) + [4, 0, 4, 0, 0, 0, 0]).base64EncodedString()
        let image = "<image width=\"9\" height=\"9\" href=\"data:image/gif;base64,\(gif)\"/>"
        #expect(try pixels(Self.svg(Self.green + image)).rgba(10, 5) == [0, 255, 0, 255])
    }

    @Test func `no more than 64 embedded pictures are drawn before`() throws {
        let red = RGB(red: 255, green: 0, blue: 0)
        let gif = Data(FixtureImages.gif(width: 1, height: 1, colors: (red, red)))
            .base64EncodedString()
        let images = String(repeating: "<image href=\"data:image/gif;base64,\(gif)\"/>", count: 70)
        var drawn = 0
        _ = try SVGDocument.checked(Self.svg(images)) { _, format in
            #expect(format == .gif)
            drawn += 1
            return [1, 2, 3]
        }
        #expect(drawn == 64)
    }

    private static let outside = [
        "<image href=\"/etc/passwd\" width=\"9\" height=\"9\"/>",
        "<image xlink:href=\"http://127.0.0.1:9/x.png\" width=\"9\" height=\"9\"/>",
        "<use href=\"data:application/xml;base64,PHN2Zy8+#a\"/>",
        "<use xlink:href=\"other.svg#a\"/>",
        "<rect fill=\"url(other.svg#a)\" width=\"0\" height=\"0\"/>",
        "<style>@font-face { src: url( 'https://example.com/f.woff' ) }</style>",
        "<g xml:base=\"file:///etc/\"/>", "<?xml-stylesheet href=\"a.css\"?>",
        "<script>alert(1)</script>", "<a href=\"https://example.com/\"/>",
    ]

    @Test(arguments: outside)
    func `links out of an SVG are blanked and the rest is drawn`(content: String) throws {
        let svg = Self.svg(Self.green + content)
        #expect(try pixels(svg).rgba(10, 5) == [0, 255, 0, 255])
        let given = String(decoding: try SVGDocument.checked(svg), as: UTF8.self)
        // CSS begins with that size.
        #expect(given.utf8.count == svg.count + " font-size=\"16px\"".utf8.count)
        for word in ["passwd", "127.0", "base64", "other.svg", "woff", "etc", "a.css"] {
            #expect(!given.contains(word))
        }
    }

    /// librsvg has no base address for links that the search misses.
    @Test(arguments: [
        "<style>rect{fill:u\\72l(http://127.0.0.1:9/)}</style>",
        "<style>@imp<!-- -->ort \"a.css\";</style>",
        "<image h&#114;ef=\"/etc/passwd\"/>", "<use xlink:href=\" &#47;etc/passwd#a\"/>",
    ])
    func `a hidden link leads nowhere`(content: String) throws {
        let drawn = try? pixels(Self.svg(Self.green + content))
        #expect(drawn.map { $0.rgba(10, 5) } ?? [0, 255, 0, 255] == [0, 255, 0, 255])
    }

    private static func chain(_ element: (Int) -> String) -> String {
        (0..<8).map(element).joined()
    }

    private static let refused: [(String, [UInt8])] = [
        (
            "entities",
            Array("<!DOCTYPE svg [<!ENTITY a \"x\">]><svg width='1' height='1'>&a;</svg>".utf8)
        ),
        (
            "entities behind a quoted bracket",
            Array("<!DOCTYPE svg SYSTEM \">\" [<!ENTITY a \"x\">]><svg>&a;</svg>".utf8)
        ),
        ("an undeclared entity", svg("<text>&a;</text>")),
        (
            "XInclude",
            svg("<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"a.svg\"/>")
        ),
        ("an imported style sheet", svg("<style>@IMPORT \"a.css\";</style>")),
        ("another encoding", Array("<?xml version=\"1.0\" encoding=\"UTF-7\"?>".utf8) + svg(green)),
        ("its size", svg(green, "width=\"1000000\" height=\"1000000\"")),
        ("sides beyond libvips", svg(green, "width=\"1000000000\" height=\"1000000000\"")),
        ("one such side", svg(green, "width=\"20000000\" height=\"3\"")),
        ("no end", Array(svg(green).dropLast(6))), ("a tag cut", Array(svg(green).prefix(60))),
        ("no quotes", svg("<rect width=1/>")),
    ]

    @Test(arguments: refused)
    func `an unsafe or broken SVG is refused`(reason: String, svg: [UInt8]) {
        #expect(throws: ImagingError.self, "\(reason)") { try pixels(svg) }
    }

    @Test func `an SVG of more than 8 MiB is refused, compressed or not`() {
        let limit = ImagingError.overLimit(reason: "an SVG of more than 8 MiB")
        let long = Self.svg("") + [UInt8](repeating: 0x20, count: SVGDocument.maxBytes)
        #expect(throws: limit) { try SVGDocument.checked(long) }
        // A hundred blocks of 65,535 bytes would be less.
        #expect(throws: limit) { try SVGDocument.checked(Self.gzip(blocks: 200)) }
    }

    /// Small documents that would be drawn for hours.
    private static let endless: [(String, [UInt8])] = [
        (
            "use of use of use",
            svg(
                chain { index in
                    let uses = String(repeating: "<use href=\"#g\(index)\"/>", count: 8)
                    return "<g id=\"g\(index + 1)\">\(uses)</g>"
                } + "<g id=\"g0\">\(green)</g><use href=\"#g8\"/>")
        ),
        (
            "blurs",
            svg(
                "<filter id=\"f\"><feGaussianBlur stdDeviation=\"40\"/></filter>"
                    + String(repeating: "<g filter=\"url(#f)\">\(green)</g>", count: 3_000),
                "width=\"4000\" height=\"4000\"")
        ),
        (
            "noise",
            svg(
                "<filter id=\"f\"><feTurbulence numOctaves=\"500\"/></filter>"
                    + "<rect width=\"100%\" height=\"100%\" filter=\"url(#f)\"/>",
                "width=\"4000\" height=\"4000\"")
        ),
    ]

    @Test(arguments: endless)
    func `an SVG that would take hours is stopped at its deadline`(name: String, svg: [UInt8])
        async throws
    {
        var configuration = ImagingConfiguration.patient
        configuration.isolation.deadline = .milliseconds(100)
        configuration.isolation.deadlinePerMegapixel = .zero
        let renderer = try Renderer(configuration)
        let level = Level(name: "l", width: 640, height: 960)
        // A busy machine may not give the processor time in which the picture shows what it is.
        var error = ImagingError.overloaded
        while error == .overloaded {
            do throws(ImagingError) {
                _ = try await renderer.render(svg, [Rendition(level: level, format: .png)])
                Issue.record("drew \(name)")
                break
            } catch let thrown {
                error = thrown
            }
        }
        let isStopped =
            error == .tooSlow(seconds: 0.1) || "\(error)".contains("crashed its renderer")
        #expect(isStopped, "\(error)")
        await renderer.shutdown()
    }

    /// Each one is searched for its end.
    @Test(arguments: ["url(#", "url( ", "href=\"#", "href='#", "src = \"", "<?xml-stylesheet"])
    func `links without an end take time in proportion to the size of an SVG`(link: String) throws {
        func time(_ count: Int) throws -> Duration {
            let svg = Self.svg("<style>" + String(repeating: link, count: count))
            return try processorTime { _ = try SVGDocument.checked(svg) }
        }
        // Quadratic time would be 64 times as much.
        #expect(try time(16_000) < time(2_000) * 24)
    }

    /// A PNG of that size that ends behind its header, as a data link.
    private static func announced(_ width: Int, _ height: Int) -> String {
        func number(_ value: Int) -> [UInt8] {
            (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        let size = number(width) + number(height)
        let png = start + Array("IHDR".utf8) + size + [8, 6, 0, 0, 0, 0, 0, 0, 0]
        return "data:image/png;base64,\n  " + Data(png).base64EncodedString()
    }

    @Test func `the pictures that an SVG embeds are counted by their headers`() {
        let links = [Self.announced(300, 200), Self.announced(7, 3), "data:image/png;base64,AAAA"]
        let images = links.map { "<image href=\"\($0)\"/>" }.joined()
        #expect(SVGPictures.pixels(in: Self.svg(images)) == 60_021)
        #expect(SVGPictures.pixels(in: Self.svg("<image href=\"\(Self.picture)\"/>")) == 4)
        #expect(SVGPictures.pixels(in: Self.svg(Self.green)) == 0)
    }

    @Test func `an SVG whose pictures don't fit into its memory is refused, and not drawn without`()
        async throws
    {
        let image = "<image width=\"9\" height=\"9\" href=\"\(Self.announced(11_000, 10_727))\"/>"
        let error = await #expect(throws: ImagingError.self) {
            try await rendered(Self.svg(image))
        }
        #expect(error?.description.contains("it embeds pictures of 117,997,000 pixels") == true)
    }

    @Test func `an SVG is drawn in a child process, whatever the isolation`() async throws {
        try await withRenderer(.isolated(.inside)) { renderer in
            _ = try await renderer.render(Self.svg(Self.green), [.tiny])
            #expect(renderer.children.started == 1)
        }
    }

    private static let harmless = [
        "<defs><linearGradient id=\"a\"><stop stop-color=\"#0f0\"/></linearGradient></defs>"
            + "<style>/* plain */ .x { fill: url(#a) } </style>"
            + "<rect class=\"x\" width=\"100\" height=\"50\"/>",
        "<g id=\"a\">\(green)</g>" + String(repeating: "<use href=\"#a\"/>", count: 100),
        "<filter id=\"f\"><feGaussianBlur stdDeviation=\"1\"/></filter>\(green)"
            + "<g filter=\"url(#f)\"><circle r=\"1\"/></g>",
        "\(green)<path d=\"M0 0h10\" stroke-dasharray=\"2 3\"/>",
        "<title>a &amp; b &#x41; <![CDATA[<svg>]]></title><!-- <use> -->\(green)",
    ]

    @Test(arguments: harmless)
    func `common SVG features are drawn`(content: String) throws {
        let document = Array("<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x.dtd\">".utf8)
        #expect(try pixels(document + Self.svg(content)).rgba(10, 5) == [0, 255, 0, 255])
    }

    @Test func `mutated SVG bytes never crash the checks`() throws {
        let whole = Self.svg(Self.harmless.joined() + Self.outside.joined())
        for length in stride(from: 0, through: whole.count, by: 13) {
            check(Array(whole.prefix(length)))
        }
        for index in stride(from: 0, to: whole.count, by: 17) {
            for value in ["<", "&", "\"", ">", "/"].map({ Array($0.utf8)[0] }) {
                var changed = whole
                changed[index] = value
                check(changed)
            }
        }
    }

    private func check(_ bytes: [UInt8]) {
        do throws(ImagingError) {
            #expect(try SVGDocument.checked(bytes).count <= 4 * bytes.count + 100)
        } catch {
            #expect(error.description.hasSuffix("."))
        }
    }
}
