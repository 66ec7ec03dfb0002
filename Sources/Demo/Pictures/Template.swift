import Foundation
import FoundationXML

/// An SVG file with instructions in attributes of the namespace `v`, compiled.
///
/// Without them it is a picture for a browser. Filled in, it is another picture each time:
///
/// | attribute | does | | --- | --- | | `v:let="a=r(1,9);b=a*2"` | gives names to numbers | |
/// `v:if=".4>r(0,1)"` | keeps the element, or not | | `v:repeat="n(3,9)"` | repeats the element;
/// `i` is the index, `t` goes from 0 to 1 | | `v:one=""` | keeps one of the children | |
/// `v:x="{W/2}"` | sets `x`, with numbers in braces | | `v:path="ridge(600,90,7,.5)"` | sets `d` by
/// a ``Shape``; `v:times` and `v:each` repeat that | | `v:text="title"` | sets text in `v:box` with
/// `v:face` and up to `v:size` | | `class="f35 la"` | fill in tone 35 of the palette, stroke in its
/// accent; `c` is a stop's color |
struct Template: Sendable {
    let root: Element
    /// Of the view box: what the drawing is made for.
    let width: Double
    let height: Double
    /// Colors that suit it, from `v:palettes`.
    let palettes: [Palette]

    struct Element: Sendable {
        var name: String
        var attributes: [(name: String, pieces: [Piece])] = []
        var children: [Element] = []
        var lets: [(String, Expression)] = []
        var condition: Expression?
        var count: Expression?
        var isChoice = false
        var shapes: [(Shape, [Expression])] = []
        var times: Expression?
        var each: [(String, Expression)] = []
        var text: TextBox?
    }

    enum Piece: Sendable {
        case text(String)
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

    init(_ bytes: [UInt8]) throws {
        let document = try XMLDocument(data: Data(bytes), options: [])
        guard let tag = document.rootElement() else {
            throw TemplateError(String(decoding: bytes.prefix(80), as: UTF8.self), "is not SVG")
        }
        func words(_ name: String) -> [String] {
            Template.words(tag.attributes?.first { $0.name == name }?.stringValue)
        }
        let (box, names) = (words("viewBox").compactMap { Double($0) }, words("v:palettes"))
        var root = try Element(tag)
        // A picture has its own size.
        root.attributes.removeAll { ["width", "height", "viewBox"].contains($0.name) }
        self.root = root
        palettes = names.compactMap { Palette.all[$0] }
        guard box.count == 4, !palettes.isEmpty, palettes.count == names.count else {
            throw TemplateError("viewBox or v:palettes", "is missing")
        }
        (width, height) = (box[2], box[3])
    }

    fileprivate static func words(_ text: String?) -> [String] {
        (text ?? "").split(separator: " ").map(String.init)
    }
}

extension Template.Element {
    /// Attributes that describe how a browser sees text.
    private static let looks: Set = [
        "x", "y", "font-size", "font-family", "font-weight", "font-style", "text-anchor",
    ]

    fileprivate init(_ tag: XMLElement) throws(TemplateError) {
        name = tag.name ?? ""
        var (plain, own): ([String: String], [String: String]) = ([:], [:])
        for attribute in tag.attributes ?? [] {
            let (name, value) = (attribute.name ?? "", attribute.stringValue)
            if name.hasPrefix("v:") {
                own[String(name.dropFirst(2))] = value
            } else {
                plain[name] = value
            }
        }
        func take(_ name: String) throws(TemplateError) -> Expression? {
            guard let text = own.removeValue(forKey: name) else { return nil }
            return try ExpressionReader.expression(text)
        }
        lets = try ExpressionReader.assignments(own.removeValue(forKey: "let") ?? "")
        each = try ExpressionReader.assignments(own.removeValue(forKey: "each") ?? "")
        condition = try take("if")
        count = try take("repeat")
        times = try take("times")
        own["palettes"] = nil
        isChoice = own.removeValue(forKey: "one") != nil
        shapes = try ExpressionReader.shapes(own.removeValue(forKey: "path") ?? "")
        if let key = own.removeValue(forKey: "text") { text = try Template.TextBox(key, &own) }
        // What an instruction sets is not also written as it is for browsers.
        if !shapes.isEmpty { plain["d"] = nil }
        if text != nil { for name in Self.looks { plain[name] = nil } }
        attributes = plain.keys.sorted().filter { own[$0] == nil }
            .map { ($0, [.text(plain[$0] ?? "")]) }
        for name in own.keys.sorted() { attributes.append((name, try Self.pieces(own[name]))) }
        // Colors, names and words for browsers are left out; a filled-in picture has its own.
        for case let tag as XMLElement in tag.children ?? []
        where tag.name != "style" && tag.name != "title" {
            children.append(try .init(tag))
        }
    }

    /// `translate({x} 4)` is text, number, text.
    private static func pieces(_ value: String?) throws(TemplateError) -> [Template.Piece] {
        let parts = (value ?? "").split(omittingEmptySubsequences: false) { "{}".contains($0) }
        guard parts.count % 2 == 1 else { throw TemplateError(value ?? "", "has an open brace") }
        var pieces: [Template.Piece] = []
        for (index, part) in parts.enumerated() {
            let text = String(part)
            pieces.append(
                index % 2 == 0 ? .text(text) : .number(try ExpressionReader.expression(text)))
        }
        return pieces
    }
}

extension Template.TextBox {
    fileprivate init(_ key: String, _ own: inout [String: String]) throws(TemplateError) {
        self.key = key
        var box: [Expression] = []
        for part in Template.words(own.removeValue(forKey: "box")) {
            box.append(try ExpressionReader.expression(part))
        }
        self.box = box
        size = try ExpressionReader.expression(own.removeValue(forKey: "size") ?? "150")
        let names = Template.words(own.removeValue(forKey: "face"))
        faces = names.compactMap { Typeface.all[$0] }
        guard box.count == 4, faces.count == names.count else {
            throw TemplateError(key, "needs a box of four numbers and known faces")
        }
        anchor = own.removeValue(forKey: "anchor")
        isAtBottom = own.removeValue(forKey: "from") == "bottom"
    }
}
