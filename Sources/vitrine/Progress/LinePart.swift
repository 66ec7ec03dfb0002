import Console

/// A part of a line that may be omitted. Pure.
struct LinePart: Sendable {
    var text: String
    /// Parts with a higher rank are omitted earlier.
    var rank = 0
    var color: TextColor?

    /// Joins the parts that fit into `width` columns, two spaces apart. The last one left is cut.
    static func line(_ parts: [LinePart], width: Int, hasColors: Bool = false) -> String {
        var parts = parts
        func length() -> Int { parts.reduce(-2) { $0 + $1.text.count + 2 } }
        while length() > width, parts.count > 1,
            let least = parts.indices.max(by: { parts[$0].rank < parts[$1].rank })
        {
            parts.remove(at: least)
        }
        if parts.count == 1 { parts[0].text = String(parts[0].text.prefix(width)) }
        return parts.map { part in
            part.color.map { $0.paint(part.text, if: hasColors) } ?? part.text
        }.joined(separator: "  ")
    }
}
