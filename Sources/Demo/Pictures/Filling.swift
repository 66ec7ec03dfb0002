/// Fills in a template: from a palette, words and a seed to an SVG document.
///
/// Equal arguments give equal documents. The shape decides how wide the view box is against the
/// template's own, so that pictures of all shapes show things of one size.
struct Filling {
    /// Words by the keys of `v:text`. A text without words is left out. A line feed breaks a line.
    private let words: [String: String]
    private let palette: Palette
    /// The alignment of this picture's words.
    private let anchor: String
    private var pen: Pen

    /// - Parameter pixels: width and height of the document; the picture is pressed into it.
    static func svg(_ picture: Picture, pixels: (width: Int, height: Int)) throws -> [UInt8] {
        let template = try picture.motif.template
        var filling = Filling(picture, template)
        var root = template.root
        let (width, height) = filling.pen.size
        root.attributes += [
            ("xmlns", [.text("http://www.w3.org/2000/svg")]),
            ("preserveAspectRatio", [.text("none")]),
            ("width", [.text("\(pixels.width)")]), ("height", [.text("\(pixels.height)")]),
            (
                "viewBox",
                [.text("0 0 "), .number(.number(width)), .text(" "), .number(.number(height))]
            ),
        ]
        filling.add(root)
        return Array(filling.pen.svg.utf8)
    }

    private init(_ picture: Picture, _ template: Template) {
        let shape = (width: Double(picture.shape.width), height: Double(picture.shape.height))
        let unit = min(shape.width / template.width, shape.height / template.height)
        // Very thin pictures are drawn less thin, because the loops of their templates would never
        // end.
        let size = (
            width: min(shape.width / unit, template.width * 8),
            height: min(shape.height / unit, template.height * 3)
        )
        words = picture.words
        palette = picture.palette
        var context = Expression.Context(random: picture.random)
        anchor = context.random.chance(0.6) ? "middle" : "start"
        context.values = [
            "W": size.width, "H": size.height, "titled": words["title"] == nil ? 0 : 1,
            "members": Double(words["members"] ?? "") ?? 1,
        ]
        pen = Pen(size: size, context)
    }

    private mutating func add(_ element: Template.Element) {
        let count = element.count.map { Int($0.value(&pen.context).rounded()) }
        repeated(count ?? 1, counts: count != nil) { filling in
            filling.assign(element.lets)
            guard element.condition?.value(&filling.pen.context) ?? 1 >= 0.5 else { return }
            if let box = element.text {
                filling.addText(element, box)
            } else {
                filling.addTag(element)
            }
        }
    }

    /// Repeats `body`. Sets `i` and `t` if it `counts`.
    private mutating func repeated(
        _ count: Int, counts: Bool, _ body: (inout Filling) -> Void
    ) {
        let outer = (pen.context.values["i"], pen.context.values["t"])
        defer { (pen.context.values["i"], pen.context.values["t"]) = outer }
        for index in 0..<max(count, 0) {
            if counts {
                pen.context.values["i"] = Double(index)
                pen.context.values["t"] = count > 1 ? Double(index) / Double(count - 1) : 0
            }
            body(&self)
        }
    }

    private mutating func addTag(_ element: Template.Element) {
        pen.svg += "<\(element.name)"
        addAttributes(element)
        if !element.shapes.isEmpty { addPath(element) }
        guard !element.children.isEmpty else { return pen.svg += "/>" }
        pen.svg += ">"
        let children =
            element.isChoice ? [pen.context.random.pick(element.children)] : element.children
        for child in children { add(child) }
        pen.svg += "</\(element.name)>"
    }

    private mutating func addAttributes(_ element: Template.Element) {
        for attribute in element.attributes {
            if attribute.name == "class" {
                addColors(attribute.pieces)
                continue
            }
            pen.svg += " \(attribute.name)=\""
            for piece in attribute.pieces {
                switch piece {
                case .text(let text): pen.svg += text
                case .number(let number): pen.svg += number.value(&pen.context).svg
                }
            }
            pen.svg += "\""
        }
    }

    /// `f35` fills in tone 35, `l70a20` strokes in tone 70 with a fifth of accent, `ca` is a stop
    /// in the accent.
    private mutating func addColors(_ pieces: [Template.Piece]) {
        let classes = pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .number(let number): "\(Int(number.value(&pen.context).rounded()))"
            }
        }.joined()
        for name in classes.split(separator: " ") {
            let tones = name.dropFirst().split(separator: "a", omittingEmptySubsequences: false)
            let tone = Double(tones[0]) ?? 0
            let share = tones.count < 2 ? 0 : tones[0].isEmpty ? 100 : Double(tones[1]) ?? 100
            let color = palette.tone(tone / 100).mixed(with: palette.accent, share / 100)
            let attributes: [Character: String] = ["f": "fill", "l": "stroke", "c": "stop-color"]
            if let name = attributes[name[name.startIndex]] {
                pen.svg += " \(name)=\"\(color.hex)\""
            }
        }
    }

    private mutating func addPath(_ element: Template.Element) {
        let times = element.times.map { Int($0.value(&pen.context).rounded()) } ?? 1
        pen.svg += " d=\""
        repeated(times, counts: times > 1) { filling in
            filling.assign(element.each)
            for (shape, arguments) in element.shapes {
                shape(&filling.pen, arguments.map { $0.value(&filling.pen.context) } + Pen.missing)
            }
        }
        pen.svg += "\""
    }

    private mutating func assign(_ assignments: [(String, Expression)]) {
        for (name, expression) in assignments {
            pen.context.values[name] = expression.value(&pen.context)
        }
    }

    private mutating func addText(_ element: Template.Element, _ box: Template.TextBox) {
        guard let words = words[box.key], !words.isEmpty else { return }
        let numbers = box.box.map { $0.value(&pen.context) }
        let typeface = pen.context.random.pick(box.faces.isEmpty ? Typeface.titles : box.faces)
        let lettering = Lettering(
            words, typeface, largest: min(box.size.value(&pen.context), typeface.largest),
            width: numbers[2], height: numbers[3])
        let anchor = box.anchor ?? anchor
        let x = numbers[0] + numbers[2] * (anchor == "middle" ? 0.5 : anchor == "end" ? 1 : 0)
        let top = numbers[1] + (box.isAtBottom ? numbers[3] - lettering.height : 0)
        pen.svg += "<text"
        addAttributes(element)
        pen.svg += """
             font-size="\(lettering.size.svg)" font-family="\(typeface.family)" \
            font-weight="\(typeface.weight)" font-style="\(typeface.style)" \
            text-anchor="\(anchor)">
            """
        for (index, line) in lettering.lines.enumerated() {
            let y = top + lettering.baseline(index)
            pen.svg += "<tspan x=\"\(x.svg)\" y=\"\(y.svg)\">\(line.escaped)</tspan>"
        }
        pen.svg += "</text>"
    }
}

extension String {
    fileprivate var escaped: String {
        let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return map { entities[$0] ?? String($0) }.joined()
    }
}
