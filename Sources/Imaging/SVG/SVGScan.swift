/// Proves an SVG harmless before librsvg sees it: what it costs to draw is bounded, and nothing
/// outside of it is read.
///
/// librsvg is called in this process, where nothing could stop it; pictures exist that it draws for
/// hours. What can't be proven here is refused, though it may well be innocent.
struct SVGScan {
    /// Bytes, after decompression.
    static let maxBytes = 8 << 20

    private static let maxElements = 20_000
    /// In units of a simple shape, of which librsvg draws about ten thousand a second.
    private static let maxCost = 10_000.0
    /// Dashes that a document may ask for; librsvg keeps 60 bytes for each.
    private static let maxDashes = 2_000_000.0

    private var bytes: [UInt8]
    private var cost = SVGCost()
    private var open: [(number: Int, name: String)] = []
    /// Of all coordinates; no line can be longer than a few times that.
    private var coordinates = 0.0
    private var shortestDash = Double.infinity
    /// A style sheet in several pieces could hide words at their ends.
    private var hasStyleText = false
    private var styleReferences: [String] = []
    /// Added to every element where a style sheet may make each a layer.
    private var styleCost = 0.0

    /// The document with everything blanked that leads out of it.
    static func checked(_ bytes: [UInt8]) throws(ImagingError) -> [UInt8] {
        guard bytes.count <= maxBytes else {
            throw .overLimit(reason: "an SVG of more than \(maxBytes >> 20) MiB")
        }
        var scan = SVGScan(bytes: bytes)
        try scan.read()
        try scan.judge()
        return scan.bytes
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func read() throws(ImagingError) {
        var reader = XMLReader(bytes)
        while let token = try reader.next() {
            switch token {
            case .open(let name, let attributes): try element(name, attributes)
            case .close:
                guard open.popLast() != nil else {
                    throw .broken(reason: "the SVG closes more than it opens")
                }
            case .text(let range):
                try text(range)
            case .instruction(let name, let range): try instruction(name, range)
            }
        }
        guard open.isEmpty else { throw .broken(reason: "the SVG ends too early") }
    }

    private func judge() throws(ImagingError) {
        for id in styleReferences where !isGradient(id) {
            throw .unsupported(format: "SVG whose style sheet uses more than gradients")
        }
        let total = try cost.total() + styleCost * Double(cost.elements)
        guard total <= Self.maxCost else {
            throw .unsupported(format: "SVG that takes so long to draw")
        }
        guard 4 * coordinates / shortestDash <= Self.maxDashes else {
            throw .unsupported(format: "SVG with lines of so many dashes")
        }
    }

    private func isGradient(_ id: String) -> Bool {
        cost.names(id).allSatisfy { $0.hasSuffix("gradient") }
    }

    /// A style sheet of another file is not for us, and another encoding could hide everything.
    private mutating func instruction(_ name: String, _ range: Range<Int>) throws(ImagingError) {
        if name == "xml" {
            let text = String(decoding: bytes[range], as: UTF8.self).lowercased()
            guard let start = text.firstRange(of: "encoding")?.upperBound else { return }
            let known = ["utf-8", "us-ascii", "iso-8859-1", "windows-1252"]
            guard known.contains(where: { text[start...].contains($0) }) else {
                throw .unsupported(format: "SVG that isn't in UTF-8")
            }
        } else {
            blank(range)
        }
    }

    private mutating func element(
        _ name: String, _ attributes: [XMLReader.Attribute]
    ) throws(ImagingError) {
        guard cost.elements < Self.maxElements, open.count < 100 else {
            throw .unsupported(format: "SVG of so many elements")
        }
        if name == "include" { throw .unsupported(format: "SVG with XInclude") }
        let number = cost.add(
            name: name, ids: attributes.filter { $0.name == "id" }.map(\.value),
            parent: open.last?.number, cost: try SVGElementCost.of(name))
        hasStyleText = false
        open.append((number, name))
        for attribute in attributes { try read(attribute, of: number, name, attributes) }
    }

    private mutating func read(
        _ attribute: XMLReader.Attribute, of element: Int, _ name: String,
        _ all: [XMLReader.Attribute]
    ) throws(ImagingError) {
        switch attribute.name {
        case "href", "src": try link(attribute, of: element, name)
        case "base": blank(attribute.range)
        case "d", "points": count(numbersOf: attribute.value, of: element)
        case "id", "class", "xmlns": break
        default:
            if attribute.value.utf8.contains(UInt8(ascii: "(")) {
                try paint(attribute, of: element, all)
            }
            try property(attribute, of: element)
        }
    }

    private mutating func link(
        _ attribute: XMLReader.Attribute, of element: Int, _ name: String
    ) throws(ImagingError) {
        let target = attribute.value.filter { !$0.isWhitespace }
        if name == "image" {
            guard let picture = SVGText.embeddedPicture(target),
                let format = ImageFormat.sniff(picture), format == .png || format == .jpeg,
                let header = try? Header.read(picture, format)
            else { return blank(attribute.range) }
            // Eight megapixels are a fifth of a second, and of what is allowed.
            cost.add(Double(header.width) * Double(header.height) / 2_000, to: element)
        } else if target.hasPrefix("#") {
            if name != "a" { cost.refer(from: element, to: String(target.dropFirst()), times: 1) }
        } else {
            blank(attribute.range)
        }
    }

    /// What is painted with, clipped by, masked with, marked with or filtered through.
    private mutating func paint(
        _ attribute: XMLReader.Attribute, of element: Int, _ all: [XMLReader.Attribute]
    ) throws(ImagingError) {
        let value = Array(attribute.value.utf8)
        let urls = SVGText.urls(value[...])
        let isMarked = attribute.value.lowercased().contains("marker")
        if value.contains(UInt8(ascii: "\\")) { throw Self.escapes }
        for (text, _) in urls {
            guard text.hasPrefix("#") else { return blank(attribute.range) }
            guard SVGText.isIdentifier(text) else { throw Self.escapes }
            let isMarker = isMarked || attribute.name.hasPrefix("marker")
            let shape = all.first { $0.name == "d" || $0.name == "points" }?.value
            let corners = shape.map { Double(SVGText.numbers($0).count) } ?? 1_000
            cost.refer(
                from: element, to: String(text.dropFirst()), times: isMarker ? max(1, corners) : 1)
        }
    }

    private mutating func property(
        _ attribute: XMLReader.Attribute, of element: Int
    ) throws(ImagingError) {
        let value =
            attribute.name == "style" ? attribute.value : "\(attribute.name):\(attribute.value)"
        if attribute.name == "style", value.utf8.contains(UInt8(ascii: "\\")) {
            throw Self.escapes
        }
        cost.add(SVGElementCost.ofStyle(value), to: element)
        shortestDash = min(shortestDash, SVGElementCost.shortestDash(value))
        if value.utf8.count < 200 { coordinates += SVGText.numbers(value).map(abs).reduce(0, +) }
    }

    private mutating func count(numbersOf value: String, of element: Int) {
        let found = SVGText.numbers(value)
        coordinates += found.map(abs).reduce(0, +)
        cost.add(Double(found.count) / 100, to: element)
    }

    private mutating func styleSheet(_ range: Range<Int>) throws(ImagingError) {
        for (text, place) in SVGText.urls(bytes[range]) {
            if text.hasPrefix("#") {
                guard SVGText.isIdentifier(text) else { throw Self.escapes }
                styleReferences.append(String(text.dropFirst()))
            } else {
                blank(place)
            }
        }
        let text = String(decoding: bytes[range], as: UTF8.self).lowercased()
        if ["\\", "&#"].contains(where: text.contains) { throw Self.escapes }
        if text.contains("filter") {
            throw .unsupported(format: "SVG with filters in a style sheet")
        }
        if text.contains("@import") { throw .unsupported(format: "SVG that imports style sheets") }
        styleCost += SVGElementCost.ofStyle(text)
        shortestDash = min(shortestDash, SVGElementCost.shortestDash(text))
    }

    private static let escapes = ImagingError.unsupported(format: "SVG with escapes in its styles")

    private mutating func text(_ range: Range<Int>) throws(ImagingError) {
        switch open.last?.name {
        case "style":
            if bytes[range].allSatisfy({ $0 <= 0x20 }) { return }
            if hasStyleText { throw .unsupported(format: "SVG with a style sheet in pieces") }
            hasStyleText = true
            try styleSheet(range)
        case "text", "tspan", "textpath", "a":
            // Whose letters are laid out and drawn.
            open.last.map { cost.add(Double(range.count) / 4, to: $0.number) }
        default: break
        }
    }

    private mutating func blank(_ range: Range<Int>) {
        for index in range { bytes[index] = 0x20 }
    }
}
