/// Fills in a template: from a palette, words and a seed to an SVG document.
///
/// Equal arguments give equal documents. The shape decides how wide the view box is against the
/// template's own, so that pictures of all shapes show things of one size.
struct Filling {
    /// Words by the keys of `v:text`; what has none is left out. A line feed breaks a line.
    let words: [String: String]
    let palette: Palette
    private var context: Expression.Context
    private var svg = SVGText()
    /// Where this picture's words are aligned.
    private let anchor: String
    private var ridge = Ridge()

    /// - Parameters:
    ///   - shape: width and height of what is shown, in any unit.
    ///   - pixels: width and height of the document; the picture is pressed into it.
    static func svg(
        _ template: Template, palette: Palette, words: [String: String] = [:],
        shape: (width: Int, height: Int), pixels: (width: Int, height: Int),
        random: SeededRandom
    ) throws -> [UInt8] {
        let unit = min(
            Double(shape.width) / template.width, Double(shape.height) / template.height)
        // Stripes are drawn as if they were less thin: their loops would have no end.
        let width = min(Double(shape.width) / unit, template.width * 8)
        let height = min(Double(shape.height) / unit, template.height * 3)
        var filling = Filling(words: words, palette: palette, random: random)
        filling.context.values = [
            "W": width, "H": height, "titled": words["title"] == nil ? 0 : 1,
            "members": Double(words["members"] ?? "") ?? 1,
        ]
        var root = template.root
        root.attributes.removeAll {
            ["width", "height", "viewBox", "xmlns", "xmlns:v"].contains(
                String(decoding: $0.name, as: UTF8.self))
        }
        let frame = SVGText.make {
            $0.add(" xmlns=\"http://www.w3.org/2000/svg\"")
            $0.attribute("width", Double(pixels.width))
            $0.attribute("height", Double(pixels.height))
            $0.add(" preserveAspectRatio=\"none\" viewBox=\"0 0 ")
            $0.add(width)
            $0.add(" ")
            $0.add(height)
            $0.add("\"")
        }
        try filling.add(root, frame: frame)
        return filling.svg.bytes
    }

    private init(words: [String: String], palette: Palette, random: SeededRandom) {
        self.words = words
        self.palette = palette
        context = Expression.Context(random: random)
        anchor = context.random.chance(0.6) ? "middle" : "start"
    }

    private mutating func add(_ element: Template.Element, frame: [UInt8] = []) throws {
        let count = element.count.map { Int($0.value(&context).rounded()) } ?? 1
        guard count > 0 else { return }
        let outer = (context.values["i"], context.values["t"])
        defer { (context.values["i"], context.values["t"]) = outer }
        for index in 0..<count {
            if element.count != nil {
                context.values["i"] = Double(index)
                context.values["t"] = count > 1 ? Double(index) / Double(count - 1) : 0
            }
            assign(element.lets)
            if let condition = element.condition, condition.value(&context) < 0.5 { continue }
            if let box = element.text {
                try addText(element, box)
            } else {
                try addTag(element, frame)
            }
        }
    }

    private mutating func addTag(_ element: Template.Element, _ frame: [UInt8]) throws {
        svg.add("<")
        svg.add(element.name)
        svg.add(frame)
        addAttributes(element)
        if !element.shapes.isEmpty { addPath(element) }
        guard !element.children.isEmpty else { return svg.add("/>") }
        svg.add(">")
        let children =
            element.isChoice ? [context.random.pick(element.children)] : element.children
        for child in children {
            switch child {
            case .text(let text): svg.add(text)
            case .element(let child): try add(child)
            }
        }
        close(element)
    }

    private mutating func close(_ element: Template.Element) {
        svg.add("</")
        svg.add(element.name)
        svg.add(">")
    }

    private mutating func addAttributes(_ element: Template.Element) {
        for attribute in element.attributes {
            let value = SVGText.make { text in
                for piece in attribute.pieces {
                    switch piece {
                    case .text(let bytes): text.add(bytes)
                    case .number(let number):
                        let number = number.value(&context)
                        text.add(attribute.isClass ? number.rounded() : number)
                    }
                }
            }
            if attribute.isClass {
                addColors(String(decoding: value, as: UTF8.self))
            } else {
                svg.add(" ")
                svg.add(attribute.name)
                svg.add("=\"")
                svg.add(value)
                svg.add("\"")
            }
        }
    }

    /// `f35` fills in tone 35, `l70a20` strokes in tone 70 with a fifth of accent, `ca` is a stop in
    /// the accent.
    private mutating func addColors(_ classes: String) {
        for name in classes.split(separator: " ") {
            let tones = name.dropFirst().split(separator: "a", omittingEmptySubsequences: false)
            let tone = Double(tones[0]) ?? 0
            let share = tones.count < 2 ? 0 : tones[0].isEmpty ? 100 : Double(tones[1]) ?? 100
            let color = palette.tone(tone / 100).mixed(with: palette.accent, share / 100)
            switch name.first {
            case "f": svg.attribute("fill", color.hex)
            case "l": svg.attribute("stroke", color.hex)
            default: svg.attribute("stop-color", color.hex)
            }
        }
    }

    private mutating func addPath(_ element: Template.Element) {
        let times = element.times.map { Int($0.value(&context).rounded()) } ?? 1
        let outer = (context.values["i"], context.values["t"])
        defer { (context.values["i"], context.values["t"]) = outer }
        svg.add(" d=\"")
        for index in 0..<max(times, 0) {
            if times > 1 {
                context.values["i"] = Double(index)
                context.values["t"] = Double(index) / Double(times - 1)
            }
            assign(element.each)
            for (shape, arguments) in element.shapes {
                let numbers = arguments.map { $0.value(&context) }
                let size = (context.values["W"] ?? 0, context.values["H"] ?? 0)
                shape.draw(numbers, size, &ridge, &context.random, &svg)
            }
        }
        svg.add("\"")
    }

    private mutating func assign(_ assignments: [(String, Expression)]) {
        for (name, expression) in assignments {
            context.values[name] = expression.value(&context)
        }
    }

    private mutating func addText(_ element: Template.Element, _ box: Template.TextBox) throws {
        guard let words = words[box.key], !words.isEmpty else { return }
        let numbers = box.box.map { $0.value(&context) }
        let face = box.faces.isEmpty ? Typeface.titles : box.faces
        let typeface = context.random.pick(face)
        let lettering = Lettering(
            words, typeface, largest: min(box.size.value(&context), typeface.largest),
            width: numbers[2], height: numbers[3])
        let anchor = box.anchor ?? anchor
        let x = numbers[0] + numbers[2] * (anchor == "middle" ? 0.5 : anchor == "end" ? 1 : 0)
        let top = numbers[1] + (box.isAtBottom ? numbers[3] - lettering.height : 0)
        svg.add("<text")
        addAttributes(element)
        svg.attribute("font-size", lettering.size)
        svg.attribute("font-family", typeface.family)
        svg.attribute("font-weight", typeface.weight)
        svg.attribute("font-style", typeface.style)
        svg.attribute("text-anchor", anchor)
        svg.add(">")
        for (index, line) in lettering.lines.enumerated() {
            svg.add("<tspan")
            svg.attribute("x", x)
            svg.attribute("y", top + lettering.baseline(index))
            svg.add(">")
            svg.addEscaped(line)
            svg.add("</tspan>")
        }
        close(element)
    }
}

/// Bytes of a document as it is written.
struct SVGText {
    private(set) var bytes: [UInt8] = []

    static func make(_ write: (inout SVGText) -> Void) -> [UInt8] {
        var text = SVGText()
        write(&text)
        return text.bytes
    }

    mutating func add(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func add(_ more: [UInt8]) { bytes += more }

    /// With at most two decimals. What is not finite is 0.
    mutating func add(_ number: Double) {
        guard number.isFinite, abs(number) < 1e9 else { return add("0") }
        var hundredths = Int((number * 100).rounded())
        if hundredths < 0 {
            bytes.append(UInt8(ascii: "-"))
            hundredths = -hundredths
        }
        bytes += String(hundredths / 100).utf8
        let rest = hundredths % 100
        guard rest > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(0x30 + rest / 10))
        if rest % 10 > 0 { bytes.append(UInt8(0x30 + rest % 10)) }
    }

    mutating func attribute(_ name: StaticString, _ number: Double) {
        openAttribute(name)
        add(number)
        add("\"")
    }

    mutating func attribute(_ name: StaticString, _ value: String) {
        openAttribute(name)
        bytes += value.utf8
        add("\"")
    }

    mutating func addEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): add("&amp;")
            case UInt8(ascii: "<"): add("&lt;")
            case UInt8(ascii: ">"): add("&gt;")
            // Control characters have no place in XML.
            case 0..<0x20: add(" ")
            default: bytes.append(byte)
            }
        }
    }

    private mutating func openAttribute(_ name: StaticString) {
        add(" ")
        add(name)
        add("=\"")
    }
}
