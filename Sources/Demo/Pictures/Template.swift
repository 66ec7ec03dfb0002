/// A template that can't be read. Templates are part of the program, so tests meet it first.
struct TemplateError: Error, CustomStringConvertible {
    let description: String

    init(_ text: String, _ reason: String) {
        description = "A template has an error: “\(text)” \(reason)."
    }
}

/// An SVG file with instructions in attributes of the namespace `v`, compiled.
///
/// Without them it is a picture for a browser. Filled in, it is another picture each time:
///
/// | attribute | does |
/// | --- | --- |
/// | `v:let="a=r(1,9);b=a*2"` | gives names to numbers |
/// | `v:if=".4>r(0,1)"` | keeps the element, or not |
/// | `v:repeat="n(3,9)"` | repeats the element; `i` is the index, `t` goes from 0 to 1 |
/// | `v:one=""` | keeps one of the children |
/// | `v:x="{W/2}"` | sets `x`, with numbers in braces |
/// | `v:path="ridge(600,90,7,.5)"` | sets `d` by a ``Shape``; `v:times` and `v:each` repeat that |
/// | `v:text="title"` | sets text in `v:box` with `v:face` and up to `v:size` |
/// | `class="f35 la"` | fill in tone 35 of the palette, stroke in its accent; `c` is a stop's color |
struct Template: Sendable {
    let root: Element
    /// Of the view box: what the drawing is made for.
    let width: Double
    let height: Double
    /// Colors that suit it, from `v:palettes`.
    let palettes: [Palette]

    struct Element: Sendable {
        var name: [UInt8]
        var attributes: [Attribute] = []
        var children: [Node] = []
        var lets: [(String, Expression)] = []
        var condition: Expression?
        var count: Expression?
        var isChoice = false
        var shapes: [(Shape, [Expression])] = []
        var times: Expression?
        var each: [(String, Expression)] = []
        var text: TextBox?
    }

    enum Node: Sendable {
        case element(Element)
        case text([UInt8])
    }

    struct Attribute: Sendable {
        let name: [UInt8]
        let pieces: [Piece]
        var isClass: Bool { name == Array("class".utf8) }
    }

    enum Piece: Sendable {
        case text([UInt8])
        case number(Expression)
    }

    /// Where words go, and how they may look.
    struct TextBox: Sendable {
        let key: String
        let box: [Expression]
        let size: Expression
        let faces: [Typeface]
        /// `start`, `middle`, `end`, or as the whole picture is aligned.
        let anchor: String?
        let isAtBottom: Bool
    }

    init(_ bytes: [UInt8]) throws(TemplateError) {
        let tag = try TemplateTag.read(bytes)
        root = try Element(tag)
        let box = (tag.attributes["viewBox"] ?? "").split(separator: " ").compactMap { Double($0) }
        let names = (tag.attributes["v:palettes"] ?? "").split(separator: " ")
        palettes = names.compactMap { Palette.all[String($0)] }
        guard box.count == 4, !palettes.isEmpty, palettes.count == names.count else {
            throw TemplateError("viewBox or v:palettes", "is missing")
        }
        (width, height) = (box[2], box[3])
    }
}

extension Template.Element {
    init(_ tag: TemplateTag) throws(TemplateError) {
        name = Array(tag.name.utf8)
        let given = tag.attributes.sorted { $0.key < $1.key }
        var own: [String: String] = [:]
        for (name, value) in given where name.hasPrefix("v:") {
            own[String(name.dropFirst(2))] = value
        }
        func take(_ name: String) throws(TemplateError) -> Expression? {
            guard let text = own.removeValue(forKey: name) else { return nil }
            return try ExpressionReader.expression(text)
        }
        if let text = own.removeValue(forKey: "let") {
            lets = try ExpressionReader.assignments(text)
        }
        if let text = own.removeValue(forKey: "each") {
            each = try ExpressionReader.assignments(text)
        }
        condition = try take("if")
        count = try take("repeat")
        times = try take("times")
        own["palettes"] = nil
        isChoice = own.removeValue(forKey: "one") != nil
        var replaced: Set<String> = []
        if let text = own.removeValue(forKey: "path") {
            shapes = try ExpressionReader.shapes(text)
            replaced.insert("d")
        }
        if let key = own.removeValue(forKey: "text") {
            text = try Template.TextBox(key, &own)
            replaced.formUnion(["x", "y", "font-size", "font-family", "font-weight", "font-style"])
            replaced.insert("text-anchor")
        }
        replaced.formUnion(own.keys)
        for (name, value) in given {
            if name.hasPrefix("v:") {
                let name = String(name.dropFirst(2))
                guard let value = own[name] else { continue }
                attributes.append(.init(name: Array(name.utf8), pieces: try Self.pieces(value)))
            } else if !replaced.contains(name) {
                attributes.append(.init(name: Array(name.utf8), pieces: [.text(Array(value.utf8))]))
            }
        }
        for child in tag.children {
            switch child {
            // Colors and names for browsers; a filled-in picture has its own.
            case .tag(let tag) where ["style", "title"].contains(tag.name): continue
            case .tag(let tag): children.append(.element(try .init(tag)))
            case .text(let text): children.append(.text(Array(text.utf8)))
            }
        }
    }

    /// `translate({x} 4)` is text, number, text.
    private static func pieces(_ value: String) throws(TemplateError) -> [Template.Piece] {
        var pieces: [Template.Piece] = []
        var rest = Substring(value)
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw TemplateError(value, "has an open brace")
            }
            if open > rest.startIndex { pieces.append(.text(Array(rest[..<open].utf8))) }
            let inner = rest[rest.index(after: open)..<close]
            pieces.append(.number(try ExpressionReader.expression(String(inner))))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(Array(rest.utf8))) }
        return pieces
    }
}

extension Template.TextBox {
    init(_ key: String, _ own: inout [String: String]) throws(TemplateError) {
        self.key = key
        var box: [Expression] = []
        for part in (own.removeValue(forKey: "box") ?? "").split(separator: " ") {
            box.append(try ExpressionReader.expression(String(part)))
        }
        guard box.count == 4 else { throw TemplateError(key, "needs a box of four numbers") }
        self.box = box
        size = try ExpressionReader.expression(own.removeValue(forKey: "size") ?? "150")
        let names = (own.removeValue(forKey: "face") ?? "").split(separator: " ")
        faces = names.compactMap { Typeface.all[String($0)] }
        guard faces.count == names.count else { throw TemplateError(key, "has an unknown face") }
        anchor = own.removeValue(forKey: "anchor")
        isAtBottom = own.removeValue(forKey: "from") == "bottom"
    }
}
