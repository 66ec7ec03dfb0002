/// Names the content that came instead of a picture. Origins often answer with error pages, and
/// "not an image" alone hides the cause.
enum ContentGuess {
    /// Returns a name with its article: `an HTML page`, `JSON`, `nothing (0 bytes)`.
    static func name(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "nothing (0 bytes)" }
        for (magic, name) in signatures where bytes.starts(with: magic) { return name }
        let text = beginning(bytes)
        if isHTML(text) { return "an HTML page" }
        if text.starts(with: Array("<?xml".utf8)) || isTag(text) { return "XML" }
        guard isText(bytes) else { return "unknown data" }
        return isJSON(text) ? "JSON" : "text"
    }

    /// Bytes in front of the first element of an SVG, at most. Licenses have 35 KB.
    static let maxPrologue = 1 << 20

    /// Returns whether the first element is `<svg>`, after an XML declaration, a document type and
    /// comments; nil if the bytes end before that.
    static func isSVG(_ bytes: [UInt8]) -> Bool? {
        if let order = UTF16Text.order(of: bytes) {
            return isSVG(UTF16Text.letters(of: bytes.prefix(2 * maxPrologue), order))
        }
        var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while at < maxPrologue {
            guard let start = bytes[at...].firstIndex(where: { !isSpace($0) }) else { return nil }
            guard bytes[start] == UInt8(ascii: "<") else { return false }
            let text = lowercased(bytes[start...].prefix(4_096))
            let isDeclaration = ["<!", "<?"].contains { text.starts(with: Array($0.utf8)) }
            if !isDeclaration {
                if isElement(text, "svg") { return true }
                // The name may continue behind the last byte.
                return text.count < 64 && start + text.count == bytes.count ? nil : false
            }
            if text.starts(with: Array("<!doctype svg".utf8)) { return true }
            let mark: StaticString =
                text.starts(with: Array("<!--".utf8))
                ? "-->" : text.dropFirst().first == 0x3F ? "?>" : ">"
            guard let end = bytes.first(mark, from: start + 2) else { return nil }
            at = end + mark.utf8CodeUnitCount
        }
        return false
    }

    /// Returns the name of an unsupported picture format, with its article.
    static func otherPicture(_ bytes: [UInt8]) -> String? {
        pictures.first { bytes.starts(with: $0.0) }?.1
    }

    private static let signatures: [([UInt8], String)] = [
        (Array("%PDF-".utf8), "a PDF document"), ([0x1F, 0x8B], "gzip data"),
        (Array("PK\u{03}\u{04}".utf8), "a ZIP archive"),
        ([0x1A, 0x45, 0xDF, 0xA3], "a video (Matroska or WebM)"),
    ]

    private static let pictures: [([UInt8], String)] = [
        (Array("8BPS".utf8), "A Photoshop file"), ([0, 0, 1, 0], "An icon (ICO)"),
        (Array("qoif".utf8), "QOI"),
    ]

    /// Returns the first bytes in lower case, without byte order mark and leading white space.
    private static func beginning(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.prefix(4096).dropFirst(bytes.starts(with: mark) ? 3 : 0)
        return lowercased(text.drop(while: isSpace))
    }

    private static func lowercased(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        ArraySlice(text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 })
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private static func isHTML(_ text: ArraySlice<UInt8>) -> Bool {
        var text = text
        while text.first == UInt8(ascii: "<") {
            if text.starts(with: Array("<!doctype html".utf8)) { return true }
            for name in ["html", "head", "body", "title", "script", "meta", "div", "p", "h1"]
            where isElement(text, name) { return true }
            guard let close = closing(of: text) else { return false }
            text = text[close...].drop(while: isSpace)
            guard text.first == UInt8(ascii: "<") else { return false }
        }
        return false
    }

    /// `<svg` or a namespace's `<x:svg`, followed by the end of the name.
    private static func isElement(_ text: ArraySlice<UInt8>, _ name: String) -> Bool {
        let end = text.dropFirst().firstIndex { isSpace($0) || $0 == 0x3E || $0 == 0x2F }
        guard let end else { return false }
        let tag = text[text.startIndex + 1..<end]
        return tag.elementsEqual(name.utf8)
            || (name == "svg" && tag.suffix(4).elementsEqual(":svg".utf8))
    }

    private static func isTag(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "<"), let next = text.dropFirst().first else {
            return false
        }
        return 0x61...0x7A ~= next || next == UInt8(ascii: "!")
    }

    /// Returns the place behind a declaration, processing instruction or comment; nil for anything
    /// else and if it doesn't end.
    private static func closing(of text: ArraySlice<UInt8>) -> Int? {
        if text.starts(with: Array("<!--".utf8)) { return index(after: "-->", in: text) }
        if text.starts(with: Array("<?".utf8)) { return index(after: "?>", in: text) }
        if text.starts(with: Array("<!".utf8)) { return index(after: ">", in: text) }
        return nil
    }

    private static func index(after mark: String, in text: ArraySlice<UInt8>) -> Int? {
        let mark = Array(mark.utf8)
        var at = text.startIndex
        while at + mark.count <= text.endIndex {
            if text[at..<at + mark.count].elementsEqual(mark) { return at + mark.count }
            at += 1
        }
        return nil
    }

    private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, first == 0x7B || first == 0x5B else { return false }
        let second = text.dropFirst().drop(while: isSpace).first
        guard let second else { return false }
        let begins = Array(first == 0x7B ? "\"}".utf8 : "\"{[]-0123456789tfn".utf8)
        return begins.contains(second)
    }

    /// Returns whether the first 512 bytes are UTF-8 without control characters.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        let sample = bytes.prefix(512)
        guard !sample.contains(where: { $0 < 0x20 && !isSpace($0) || $0 == 0x7F }) else {
            return false
        }
        // The sample may end within a character of up to four bytes.
        return (0..<4).contains { cut in
            String(validating: sample.dropLast(bytes.count > 512 ? cut : 0), as: UTF8.self) != nil
        }
    }
}
