/// Lengths of an SVG in pixels, as CSS has them, and a size for one that has none.
///
/// libvips draws at 72 dots per inch, and librsvg's `em` begins with 12 pixels. In CSS an inch has 96 pixels and a
/// text 16 (CSS Values and Units 4, section 6.2; CSS Fonts 4, section 2.5).
struct SVGLengths {
    private let bytes: [UInt8]
    private let size: SVGDocument.Size
    /// What becomes of the bytes before `done`.
    private var result: [UInt8] = []
    private var done = 0
    /// Pixels of `1rem`.
    private var rootFont = SVGLengths.mediumFont
    private var isRoot = true

    private static let mediumFont = 16.0

    /// Returns a document with lengths in pixels. Looks at each byte a few times.
    static func inPixels(_ document: [UInt8], _ size: SVGDocument.Size) -> [UInt8] {
        var lengths = SVGLengths(bytes: document, size: size)
        lengths.readTags()
        guard lengths.done > 0 else { return document }
        return lengths.result + document[lengths.done...]
    }

    private init(bytes: [UInt8], size: SVGDocument.Size) {
        self.bytes = bytes
        self.size = size
    }

    /// Puts a text in the place of bytes behind all places before.
    private mutating func replace(_ place: Range<Int>, by text: String) {
        result += bytes[done..<place.lowerBound]
        result += text.utf8
        done = place.upperBound
    }
}

// MARK: - Tags

extension SVGLengths {
    private struct Attribute {
        var name: String
        /// Of the value, without quotes.
        var value: Range<Int>
        /// From the name to the closing quote.
        var whole: Range<Int>
    }

    private mutating func readTags() {
        var at = 0
        while let open = bytes[at...].firstIndex(of: UInt8(ascii: "<")) {
            if let end = skipped(at: open) {
                at = end
                continue
            }
            let name = nameEnd(open + 1)
            let (attributes, end, isEmpty) = attributes(from: name)
            if isRoot, Self.isName(bytes[open + 1..<name], "svg") {
                readRoot(attributes, nameEnd: name)
                isRoot = false
            } else {
                for attribute in attributes { rewrite(attribute) }
            }
            at = max(end, open + 1)
            if !isEmpty, Self.isName(bytes[open + 1..<name], "style") {
                let close = bytes.first("</", from: at) ?? bytes.count
                rewrite(at..<close, isStyle: true)
                at = close
            }
        }
    }

    /// Returns the place behind a comment, a declaration or the end of an element; nil for the beginning of one.
    private func skipped(at open: Int) -> Int? {
        func end(_ mark: StaticString) -> Int {
            bytes.first(mark, from: open + 2).map { $0 + mark.utf8CodeUnitCount } ?? bytes.count
        }
        func starts(_ text: String) -> Bool { bytes[open...].starts(with: text.utf8) }
        if starts("<!--") { return end("-->") }
        if starts("<![CDATA[") { return end("]]>") }
        if starts("<?") { return end("?>") }
        if starts("<!") || starts("</") { return end(">") }
        return nil
    }

    private func nameEnd(_ start: Int) -> Int {
        bytes[start...].firstIndex { ContentGuess.isSpace($0) || Self.nameEnds.contains($0) }
            ?? bytes.count
    }

    private static let nameEnds = Array("/>=\"'<".utf8)

    /// Returns the attributes of a tag, the place behind it, and whether the element ends there, too.
    private func attributes(from start: Int) -> (found: [Attribute], end: Int, isEmpty: Bool) {
        var found: [Attribute] = []
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: ">") {
                return (found, at + 1, at > 0 && bytes[at - 1] == UInt8(ascii: "/"))
            }
            if byte == UInt8(ascii: "<") { return (found, at, true) }
            guard !ContentGuess.isSpace(byte), !Self.nameEnds.contains(byte) else {
                at += 1
                continue
            }
            let end = nameEnd(at)
            guard let equals = afterSpace(end), bytes[equals] == UInt8(ascii: "="),
                let open = afterSpace(equals + 1), bytes[open] == 0x22 || bytes[open] == 0x27
            else {
                at = end
                continue
            }
            let close = bytes[(open + 1)...].firstIndex(of: bytes[open]) ?? bytes.count
            found.append(
                Attribute(
                    name: String(decoding: bytes[at..<end], as: UTF8.self), value: open + 1..<close,
                    whole: at..<min(bytes.count, close + 1)))
            at = close + 1
        }
        return (found, bytes.count, true)
    }

    private func afterSpace(_ place: Int) -> Int? {
        bytes[min(place, bytes.count)...].firstIndex { !ContentGuess.isSpace($0) }
    }

    /// Whether a tag has a name, with any prefix.
    private static func isName(_ tag: ArraySlice<UInt8>, _ name: String) -> Bool {
        let local = tag.lastIndex(of: UInt8(ascii: ":")).map { tag[($0 + 1)...] } ?? tag
        return local.elementsEqual(name.utf8)
    }

    private mutating func rewrite(_ attribute: Attribute) {
        if attribute.name == "style" {
            rewrite(attribute.value, isStyle: true)
        } else if Self.lengths.contains(attribute.name) {
            rewrite(attribute.value, isStyle: false)
        }
    }

    /// Attributes that have lengths (SVG 2, appendix on attributes and properties).
    private static let lengths: Set<String> = [
        "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "fx", "fy", "fr", "dx", "dy",
        "width", "height", "refX", "refY", "markerWidth", "markerHeight", "startOffset",
        "textLength", "font", "font-size", "line-height", "letter-spacing", "word-spacing",
        "baseline-shift", "kerning", "stroke-width", "stroke-dasharray", "stroke-dashoffset",
    ]
}

// MARK: - The root

extension SVGLengths {
    private mutating func readRoot(_ attributes: [Attribute], nameEnd: Int) {
        func value(_ name: String) -> ArraySlice<UInt8>? {
            attributes.first { $0.name == name }.map { bytes[$0.value] }
        }
        // A second attribute of a name is an error of XML, which librsvg finds.
        let styled = attributes.first { $0.name == "style" }?.value
        let style = styled.map { declarations(in: $0) } ?? []
        let font =
            (style.filter { $0.name == "font-size" }.map { bytes[$0.value] }
            + [value("font-size")].compactMap { $0 }).first
        rootFont = font.flatMap(pixels) ?? Self.mediumFont
        // A declaration counts before an attribute.
        let isSized = ["width", "height"].contains { side in
            let declared = style.last { $0.name == side }.map { bytes[$0.value] }
            return (declared ?? value(side)).map(isAbsolute) ?? false
        }
        let shape = isSized ? nil : value("viewBox").flatMap(shape)
        var added =
            value("font-size") == nil ? " font-size=\"\(Self.text(Self.mediumFont))px\"" : ""
        if let shape { added += " width=\"\(shape.width)\" height=\"\(shape.height)\"" }
        replace(nameEnd..<nameEnd, by: added)
        for attribute in attributes {
            switch attribute.name {
            case "width" where shape != nil, "height" where shape != nil:
                replace(attribute.whole, by: "")
            case "font-size": rewriteFont(attribute.value)
            case "style" where attribute.value == styled:
                for (name, place) in style {
                    switch name {
                    case "width" where shape != nil: replace(place, by: (shape?.width ?? "") + "px")
                    case "height" where shape != nil:
                        replace(place, by: (shape?.height ?? "") + "px")
                    case "font-size": rewriteFont(place)
                    default: rewrite(place, isStyle: true)
                    }
                }
            case "style": break
            default: rewrite(attribute)
            }
        }
    }

    /// Rewrites the root's font size, which is relative to what CSS begins with.
    private mutating func rewriteFont(_ place: Range<Int>) {
        if let font = pixels(ofFont: bytes[place]) { replace(place, by: "\(Self.text(font))px") }
    }

    /// Returns the names of declarations and the places of their values.
    private func declarations(in range: Range<Int>) -> [(name: String, value: Range<Int>)] {
        bytes[range].split(separator: UInt8(ascii: ";")).compactMap { declaration in
            guard let colon = declaration.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
                var text = text.drop(while: ContentGuess.isSpace)
                while let last = text.last, ContentGuess.isSpace(last) { text.removeLast() }
                return text
            }
            let name = trimmed(declaration[..<colon])
            let value = trimmed(declaration[(colon + 1)...])
            return (
                String(decoding: name, as: UTF8.self).lowercased(),
                value.startIndex..<value.endIndex
            )
        }
    }

    /// Whether a value is a length that doesn't depend on what is around the picture.
    private func isAbsolute(_ value: ArraySlice<UInt8>) -> Bool {
        let start = value.firstIndex { !ContentGuess.isSpace($0) } ?? value.endIndex
        guard let (_, end) = number(at: start, to: value.endIndex) else { return false }
        return end == value.endIndex || bytes[end] != UInt8(ascii: "%")
    }

    /// Returns pixels of the root's font size; nil for a keyword, which librsvg knows.
    private func pixels(ofFont value: ArraySlice<UInt8>) -> Double? {
        let start = value.firstIndex { !ContentGuess.isSpace($0) } ?? value.endIndex
        guard let (number, end) = number(at: start, to: value.endIndex), number >= 0 else {
            return nil
        }
        let unit = unit(at: end, to: value.endIndex)
        switch unit {
        case "em", "rem": return number * Self.mediumFont
        case "ex", "ch": return number * Self.mediumFont / 2
        case "":
            let isPercent = bytes[end..<value.endIndex].first == UInt8(ascii: "%")
            return isPercent ? number * Self.mediumFont / 100 : number
        case "px": return number
        default: return Self.units[unit].map { number * $0 }
        }
    }

    /// Returns the size of a picture that has the shape of a `viewBox`; nil for a broken one.
    private func shape(of viewBox: ArraySlice<UInt8>) -> (width: String, height: String)? {
        var numbers: [Double] = []
        var at = viewBox.startIndex
        while at < viewBox.endIndex {
            if ContentGuess.isSpace(bytes[at]) || bytes[at] == UInt8(ascii: ",") {
                at += 1
            } else {
                guard let (number, end) = number(at: at, to: viewBox.endIndex) else { return nil }
                numbers.append(number)
                at = end
            }
        }
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[2] > 0, numbers[3] > 0
        else { return nil }
        let longer = max(numbers[2], numbers[3])
        let scale =
            switch size {
            case .filling(let side): Double(side) / longer
            case .within(let side): min(1, Double(side) / longer)
            }
        let (width, height) = (numbers[2] * scale, numbers[3] * scale)
        guard width.isFinite, height.isFinite else { return nil }
        return (Self.text(max(1, width)), Self.text(max(1, height)))
    }
}

// MARK: - Numbers

extension SVGLengths {
    /// Pixels of the units that depend on nothing else.
    private static let units: [String: Double] = [
        "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72, "pc": 16,
    ]

    /// Rewrites numbers with such units.
    ///
    /// - Parameter isStyle: whether words, strings, comments and links of CSS are skipped.
    private mutating func rewrite(_ range: Range<Int>, isStyle: Bool) {
        var at = range.lowerBound
        while at < range.upperBound {
            if let (number, end) = number(at: at, to: range.upperBound) {
                let unit = unit(at: end, to: range.upperBound)
                let factor = unit == "rem" ? rootFont : Self.units[unit]
                if let factor {
                    replace(
                        at..<end + unit.utf8.count, by: "\(Self.text(number * factor))px")
                }
                at = end + unit.utf8.count
            } else {
                at = isStyle ? behindWord(at, range.upperBound) : behindName(at, range.upperBound)
            }
        }
    }

    /// Returns the place behind a string, comment, link or word of CSS, or behind a single byte.
    private func behindWord(_ start: Int, _ end: Int) -> Int {
        let byte = bytes[start]
        if byte == 0x22 || byte == 0x27 {
            return bytes[(start + 1)..<end].firstIndex(of: byte).map { $0 + 1 } ?? end
        }
        if byte == UInt8(ascii: "/"), start + 1 < end, bytes[start + 1] == UInt8(ascii: "*") {
            return bytes.first("*/", from: start + 2, to: end).map { $0 + 2 } ?? end
        }
        let name = behindName(start, end)
        guard name < end, bytes[name] == UInt8(ascii: "("),
            bytes[start..<name].elementsEqual("url".utf8)
        else { return name }
        return bytes[name..<end].firstIndex(of: UInt8(ascii: ")")).map { $0 + 1 } ?? end
    }

    /// Returns the place behind a name such as `w5mm` or `#a5in`, or behind a single byte.
    private func behindName(_ start: Int, _ end: Int) -> Int {
        let byte = bytes[start]
        guard Self.isName(byte) || byte == UInt8(ascii: "#") else { return start + 1 }
        return bytes[(start + 1)..<end].firstIndex { !Self.isName($0) } ?? end
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "\\"), 0x80...:
            true
        default: false
        }
    }

    /// Returns the number that begins at a place, and the place behind it; nil if none does.
    private func number(at start: Int, to end: Int) -> (value: Double, end: Int)? {
        func isDigit(_ place: Int) -> Bool { place < end && 0x30...0x39 ~= bytes[place] }
        func isSign(_ place: Int) -> Bool { place < end && [0x2B, 0x2D].contains(bytes[place]) }
        var at = isSign(start) ? start + 1 : start
        let digits = at
        while isDigit(at) { at += 1 }
        if at < end, bytes[at] == UInt8(ascii: "."), isDigit(at + 1) {
            at += 1
            while isDigit(at) { at += 1 }
        }
        guard at > digits, at - start <= Self.maxDigits else { return nil }
        if at < end, bytes[at] | 0x20 == UInt8(ascii: "e") {
            let exponent = isSign(at + 1) ? at + 2 : at + 1
            if isDigit(exponent) {
                at = exponent
                while isDigit(at) { at += 1 }
            }
        }
        guard at - start <= Self.maxDigits,
            let value = Double(String(decoding: bytes[start..<at], as: UTF8.self)), value.isFinite
        else { return nil }
        return (value, at)
    }

    /// Bytes of a number that is read.
    private static let maxDigits = 64

    /// Returns the letters at a place in lower case; none if they are more than a unit has.
    private func unit(at start: Int, to end: Int) -> String {
        let letters = bytes[start..<end].prefix(4).prefix(while: Self.isName)
        guard letters.count < 4 else { return "" }
        return String(decoding: letters, as: UTF8.self).lowercased()
    }

    /// Returns a number with six digits behind its point, if it isn't very small.
    private static func text(_ number: Double) -> String {
        let rounded = (number * 1e6).rounded() / 1e6
        let value = abs(number) < 0.001 || !rounded.isFinite ? number : rounded
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}
