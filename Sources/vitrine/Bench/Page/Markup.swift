/// Elements of a page as text. Everything that comes from outside passes ``escape(_:)``.
enum Markup {
    /// Returns text that means itself in an element and in a quoted attribute.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(character)
            // Other control characters are not allowed in a page at all.
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{fffe}"..."\u{ffff}":
                escaped += "\u{fffd}"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// Returns an element around markup that is escaped already.
    static func element(
        _ name: String, _ attributes: [(String, String)] = [], _ content: String? = nil
    ) -> String {
        let written = attributes.map { " \($0.0)=\"\(escape($0.1))\"" }.joined()
        guard let content else { return "<\(name)\(written)/>" }
        return "<\(name)\(written)>\(content)</\(name)>"
    }

    /// Returns an element around text.
    static func text(
        _ name: String, _ text: String, _ attributes: [(String, String)] = []
    ) -> String {
        element(name, attributes, escape(text))
    }

    /// Returns a coordinate with at most one digit after the point.
    static func coordinate(_ value: Double) -> String {
        let text = BenchText.decimal(value, digits: 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

/// A drawing under construction: one element a line, so that people can read it.
struct Drawing {
    let width: Double
    let height: Double
    /// What it shows, for readers that don't see it.
    let title: String
    private var lines: [String] = []

    init(width: Double, height: Double, title: String) {
        self.width = width
        self.height = height
        self.title = title
    }

    mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String
    ) {
        add("line", [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)], style)
    }

    mutating func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String,
        hint: String? = nil
    ) {
        add(
            "rect", [("x", x), ("y", y), ("width", max(0, width)), ("height", height), ("rx", 2)],
            style, hint: hint)
    }

    mutating func circle(_ x: Double, _ y: Double, _ style: String, hint: String? = nil) {
        add("circle", [("cx", x), ("cy", y), ("r", 3.5)], style, hint: hint)
    }

    mutating func curve(_ points: [(x: Double, y: Double)], _ style: String) {
        let path = points.map { "\(Markup.coordinate($0.x)),\(Markup.coordinate($0.y))" }
        lines.append(
            Markup.element(
                "polyline", [("class", style), ("points", path.joined(separator: " "))]))
    }

    mutating func text(_ x: Double, _ y: Double, _ text: String, _ style: String) {
        lines.append(
            Markup.text(
                "text", text,
                [
                    ("class", style), ("x", Markup.coordinate(x)), ("y", Markup.coordinate(y)),
                ]))
    }

    private mutating func add(
        _ name: String, _ numbers: [(String, Double)], _ style: String, hint: String? = nil
    ) {
        let attributes = [("class", style)] + numbers.map { ($0.0, Markup.coordinate($0.1)) }
        lines.append(
            Markup.element(name, attributes, hint.map { Markup.text("title", $0) }))
    }

    /// The finished drawing.
    var svg: String {
        let box = "0 0 \(Markup.coordinate(width)) \(Markup.coordinate(height))"
        let body = lines.map { "  \($0)\n" }.joined()
        return Markup.element(
            "svg",
            [
                ("xmlns", "http://www.w3.org/2000/svg"), ("viewBox", box), ("role", "img"),
                ("aria-label", title),
            ], "\n\(body)")
    }
}
