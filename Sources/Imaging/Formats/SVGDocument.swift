import CVips
import FoundationEssentials

/// Checks an SVG, plain or compressed as `.svgz`, before librsvg reads it.
///
/// An SVG is only ever drawn in a child process with bounded time and memory, no files but fonts
/// and no network. These checks are a second fence, and name the reason.
struct SVGDocument {
    /// Bytes after decompression.
    static let maxBytes = 8 << 20
    /// Embedded pictures that are drawn before, at most.
    private static let mostForeign = 64

    /// The text, searched as bytes. A match in a comment counts as well, which at worst refuses an odd
    /// document.
    private var bytes: [UInt8]
    private let draw: ([UInt8], ImageFormat) -> [UInt8]?
    private var foreign = 0
    /// Parts of data links, and what takes their places.
    private var replaced: [(place: Range<Int>, text: [UInt8])] = []

    /// The text with embedded pictures as librsvg draws them.
    var replacing: [UInt8] {
        if replaced.isEmpty { return bytes }
        var result: [UInt8] = []
        var at = 0
        for (place, text) in replaced.sorted(by: { $0.place.lowerBound < $1.place.lowerBound })
        where place.lowerBound >= at {
            result += bytes[at..<place.lowerBound]
            result += text
            at = place.upperBound
        }
        return result + bytes[at...]
    }

    private init(_ bytes: [UInt8], _ draw: @escaping ([UInt8], ImageFormat) -> [UInt8]?) {
        self.bytes = bytes
        self.draw = draw
    }

    /// How large an SVG is drawn that doesn't say how large it is.
    enum Size: Equatable {
        /// So many pixels on its longer side.
        case filling(Int)
        /// As its `viewBox` says, with at most that number of pixels on its longer side.
        case within(Int)

        /// Returns the longer side that fills each level, a power of two.
        static func longerSide(for levels: [Level]) -> Int {
            let wanted = levels.map { max($0.width, $0.height) }.max() ?? 0
            var side = 2_048
            while side < wanted { side *= 2 }
            return side
        }
    }

    /// Returns whether these are gzip data that begin like an SVG; nil if more of them have to be seen. Looks at
    /// 8 KB and inflates 4 KB, but more if these are comments.
    static func isCompressed(_ original: [UInt8]) -> Bool? {
        guard original.starts(with: [0x1F, 0x8B]) else { return false }
        guard let beginning = inflated(original, upTo: 8_192, atMost: 4_096) else { return false }
        if beginning.bytes.isEmpty { return original.count < 8_192 ? nil : false }
        if let isSVG = ContentGuess.isSVG(beginning.bytes) { return isSVG }
        let more = inflated(original, upTo: original.count, atMost: ContentGuess.maxPrologue)
        return ContentGuess.isSVG(more?.bytes ?? [])
    }

    /// Returns a guess of the bytes after decompression, without decompressing.
    static func likelySize(_ original: [UInt8]) -> Int {
        min(maxBytes, original.starts(with: [0x1F, 0x8B]) ? 10 * original.count : original.count)
    }

    /// Returns the document for librsvg: inflated, in UTF-8, with every link blanked that leads out of it, and with
    /// lengths in pixels.
    ///
    /// - Throws: ``ImagingError/overLimit(reason:)`` over ``maxBytes``, ``ImagingError/broken(reason:)``
    ///   for damaged compression, ``ImagingError/unsupported(format:)`` for entities, XInclude, imported
    ///   style sheets and encodings in which the rest could hide.
    ///
    /// - Parameters:
    ///   - size: of a document that has none.
    ///   - draw: returns a PNG of an embedded picture; nil if it can't be drawn.
    static func checked(
        _ original: [UInt8], as size: Size = .filling(Size.longerSide(for: [])),
        drawing draw: ([UInt8], ImageFormat) -> [UInt8]? = { _, _ in nil }
    ) throws(ImagingError) -> [UInt8] {
        let inflated = try UTF16Text.utf8(of: try inflated(original))
        guard inflated.count <= maxBytes else { throw tooLarge }
        return try withoutActuallyEscaping(draw) { (draw) throws(ImagingError) in
            var document = SVGDocument(inflated, draw)
            try document.refuseWhatHides()
            document.blankLinks()
            return SVGLengths.inPixels(document.replacing, size)
        }
    }

    private static func inflated(_ original: [UInt8]) throws(ImagingError) -> [UInt8] {
        guard original.starts(with: [0x1F, 0x8B]) else {
            guard original.count <= maxBytes else { throw tooLarge }
            return original
        }
        let inflated = inflated(original, upTo: original.count, atMost: maxBytes)
        guard let inflated, inflated.end != VITRINE_GUNZIP_CUT else {
            throw .broken(reason: "the compressed SVG is cut or damaged")
        }
        if inflated.end == VITRINE_GUNZIP_MORE { throw tooLarge }
        return inflated.bytes
    }

    private static var tooLarge: ImagingError {
        .overLimit(reason: "an SVG of more than \(maxBytes >> 20) MiB")
    }

    /// Returns what the first `length` bytes inflate to, and why that ends; nil for damaged data.
    private static func inflated(
        _ bytes: [UInt8], upTo length: Int, atMost room: Int
    ) -> (bytes: [UInt8], end: vitrine_gunzip_end)? {
        var end = VITRINE_GUNZIP_DAMAGED
        let result = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            count = vitrine_gunzip(bytes, min(length, bytes.count), buffer.baseAddress, room, &end)
        }
        return end == VITRINE_GUNZIP_DAMAGED ? nil : (result, end)
    }
}

extension SVGDocument {
    private func refuseWhatHides() throws(ImagingError) {
        if let start = bytes.first("<?xml ", from: 0), let end = bytes.first("?>", from: start) {
            let declaration = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
            let known = ["utf-8", "us-ascii", "iso-8859-1", "windows-1252"]
            if let encoding = declaration.firstRange(of: "encoding")?.upperBound,
                !known.contains(where: { declaration[encoding...].contains($0) })
            {
                throw .unsupported(format: "SVG in an encoding other than UTF-8")
            }
        }
        if let start = bytes.first("<!DOCTYPE", from: 0) {
            let end = bytes.first(">", from: start) ?? bytes.count
            if bytes[start..<end].contains(UInt8(ascii: "[")) { throw Self.declarations }
        }
        if bytes.first("<!ENTITY", from: 0) != nil { throw Self.declarations }
        if bytes.first("XInclude", from: 0) != nil {
            throw .unsupported(format: "SVG with XInclude")
        }
        if bytes.first("@import", from: 0) != nil {
            throw .unsupported(format: "SVG that imports style sheets")
        }
    }

    private static let declarations = ImagingError.unsupported(
        format: "SVG with declarations in its document type")

    private mutating func blankLinks() {
        for attribute in ["href", "src", "xml:base"] as [StaticString] {
            forEach(attribute) { document, place in document.blankValue(at: place) }
        }
        // One end may serve many beginnings, and is searched once for all of them.
        var end = 0
        forEach("url(") { document, start in
            if end < start {
                let close = document.bytes[start...].firstIndex(of: UInt8(ascii: ")"))
                end = close ?? document.bytes.count
            }
            document.blank(start..<end, unless: ["#"])
        }
        forEach("<?xml-stylesheet") { document, start in
            document.blank(
                start..<(document.bytes.first("?>", from: start) ?? document.bytes.count))
        }
    }

    /// Blanks the quoted value of an attribute whose name ends at `place`, unless it stays inside.
    private mutating func blankValue(at place: Int) {
        guard let equals = afterSpace(place), bytes[equals] == UInt8(ascii: "="),
            let open = afterSpace(equals + 1), bytes[open] == 0x22 || bytes[open] == 0x27
        else { return }
        let end = bytes[(open + 1)...].firstIndex(of: bytes[open]) ?? bytes.count
        if keepsPicture(in: open + 1..<end) { return }
        blank(open + 1..<end, unless: ["#"])
    }

    /// Returns whether a value is a picture that is drawn. librsvg has no decoders but those for PNG and JPEG, and
    /// draws nothing for a picture under another name or none: it gets its own, and others become PNG.
    private mutating func keepsPicture(in range: Range<Int>) -> Bool {
        guard let start = bytes[range].firstIndex(where: { !ContentGuess.isSpace($0) }),
            let data = SVGPictures.data(of: start..<range.upperBound, in: bytes),
            let format = SVGPictures.format(at: data, in: bytes)
        else { return false }
        if format == .png && isAt(start, "data:image/png") { return true }
        if format == .jpeg && (isAt(start, "data:image/jpeg") || isAt(start, "data:image/jpg")) {
            return true
        }
        // librsvg takes other links to SVGs for parts of the document.
        if format == .svg && !isAt(start, "data:image/svg+xml") { return false }
        if format == .png || format == .jpeg {
            let name = format == .png ? "png" : "jpeg"
            replaced.append((start..<data, Array("data:image/\(name);base64,".utf8)))
            return true
        }
        guard foreign < Self.mostForeign else { return false }
        foreign += 1
        guard let png = draw(SVGPictures.picture(at: data, in: bytes), format) else { return false }
        replaced.append(
            (
                start..<range.upperBound,
                Array("data:image/png;base64,".utf8) + Array(Data(png).base64EncodedString().utf8)
            ))
        return true
    }

    private func afterSpace(_ place: Int) -> Int? {
        bytes[min(place, bytes.count)...].firstIndex { !ContentGuess.isSpace($0) }
    }

    private mutating func blank(_ range: Range<Int>, unless inside: [StaticString] = []) {
        let start = bytes[range].firstIndex {
            !ContentGuess.isSpace($0) && $0 != 0x22 && $0 != 0x27
        }
        if let start, inside.contains(where: { isAt(start, $0) }) { return }
        for index in range { bytes[index] = 0x20 }
    }

    /// Calls `body` with the place behind each match.
    private mutating func forEach(
        _ mark: StaticString, _ body: (inout SVGDocument, Int) -> Void
    ) {
        var at = 0
        while let start = bytes.first(mark, from: at) {
            at = start + mark.utf8CodeUnitCount
            body(&self, at)
        }
    }

    private func isAt(_ place: Int, _ mark: StaticString) -> Bool {
        let end = min(bytes.count, place + mark.utf8CodeUnitCount)
        return place < end && bytes.first(mark, from: place, to: end) == place
    }
}
