import Foundation
import Imaging

/// A color as SVG writes it, or a gradient.
typealias Paint = String

/// Draws one picture as an SVG document. All chance comes from one stream, so equal seeds draw equal
/// pictures.
struct Pen {
    /// The visible area: a motif's own, and more on one side if the picture has another shape.
    let width: Double
    let height: Double
    let words: [String: String]
    let palette: Palette
    var random: SeededRandom
    var svg = ""
    /// The last land and the last houses that were drawn, for outlines that stand on them.
    var ridge: [Point] = []
    var houses: [House] = []
    private var gradients: [String: Paint] = [:]
    /// The alignment of this picture's titles.
    let anchor: String

    // MARK: Chance

    mutating func any(_ least: Double, _ most: Double) -> Double {
        random.number(in: least...max(least, most))
    }

    mutating func whole(_ least: Int, _ most: Int) -> Int {
        random.integer(in: least...max(least, most))
    }

    mutating func pick<Element>(_ choices: Element...) -> Element { random.pick(choices) }
    mutating func chance(_ share: Double) -> Bool { random.chance(share) }
    /// 1 or -1.
    mutating func side() -> Double { random.chance(0.5) ? 1 : -1 }

    // MARK: Paint

    /// A tone of the palette, from the darkest (0) to the lightest (100), with a share of accent.
    func tone(_ tone: Double, accent: Double = 0) -> Paint {
        palette.tone(tone / 100).mixed(with: palette.accent, accent).hex
    }

    var accent: Paint { palette.accent.hex }

    /// A color that no palette has, from 0 to 255.
    func color(_ red: Double, _ green: Double, _ blue: Double) -> Paint {
        RGB(red: UInt8(red), green: UInt8(green), blue: UInt8(blue)).hex
    }

    enum Direction: String {
        case down, across
        /// Outward from the middle.
        case glow
        /// As light falls on a ball.
        case ball
    }

    /// A gradient with stops at even distances.
    mutating func gradient(_ direction: Direction, _ stops: [(paint: Paint, opacity: Double)])
        -> Paint
    {
        let stops = stops.enumerated().map { index, stop in
            let offset = Double(index) / Double(max(stops.count - 1, 1))
            return "<stop offset=\"\(offset.svg)\" stop-color=\"\(stop.paint)\" "
                + "stop-opacity=\"\(stop.opacity.svg)\"/>"
        }.joined()
        let (kind, place) =
            switch direction {
            case .down: ("linear", "x2=\"0\" y2=\"1\"")
            case .across: ("linear", "")
            case .glow: ("radial", "")
            case .ball: ("radial", "cx=\".33\" cy=\".29\" r=\".8\"")
            }
        if let known = gradients[place + stops] { return known }
        let id = "g\(gradients.count)"
        gradients[place + stops] = "url(#\(id))"
        svg += "<\(kind)Gradient id=\"\(id)\" \(place)>\(stops)</\(kind)Gradient>"
        return "url(#\(id))"
    }

    /// Tones from the top to the bottom.
    mutating func sky(_ tones: Double...) -> Paint {
        gradient(.down, tones.map { (tone($0), 1) })
    }

    /// Strongest in the middle, and nothing at the edge.
    mutating func glow(_ paint: Paint, _ opacity: Double) -> Paint {
        gradient(.glow, [(paint, opacity), (paint, opacity * 0.35), (paint, 0)])
    }

    /// One color, more and less of it.
    mutating func fade(
        _ paint: Paint, _ opacities: Double..., direction: Direction = .down
    ) -> Paint {
        gradient(direction, opacities.map { (paint, $0) })
    }

    // MARK: Elements

    /// Fills what `outline` draws.
    mutating func fill(
        _ paint: Paint, _ opacity: Double = 1, _ outline: (inout Pen) -> Void
    ) {
        svg += "<path fill=\"\(paint)\" fill-opacity=\"\(opacity.svg)\" d=\""
        outline(&self)
        svg += "\"/>"
    }

    /// Draws `outline` as a line.
    mutating func stroke(
        _ paint: Paint, _ width: Double, _ opacity: Double = 1, fill: Paint = "none",
        _ outline: (inout Pen) -> Void
    ) {
        svg += "<path fill=\"\(fill)\" stroke=\"\(paint)\" stroke-width=\"\(width.svg)\" "
        svg += "stroke-opacity=\"\(opacity.svg)\" stroke-linejoin=\"round\" d=\""
        outline(&self)
        svg += "\"/>"
    }

    /// Fills the whole width, by default all of the picture.
    mutating func cover(
        _ paint: Paint, _ opacity: Double = 1, from top: Double = 0, height: Double? = nil
    ) {
        fill(paint, opacity) { $0.rect(-1, top, $0.width + 2, height ?? $0.height - top + 1) }
    }

    mutating func disc(_ paint: Paint, _ x: Double, _ y: Double, _ r: Double, _ opacity: Double = 1)
    {
        fill(paint, opacity) { $0.circle(x, y, r) }
    }

    mutating func oval(
        _ paint: Paint, _ x: Double, _ y: Double, _ a: Double, _ b: Double, _ opacity: Double = 1
    ) {
        fill(paint, opacity) { $0.ellipse(x, y, a, b) }
    }

    /// Fills several outlines in one element; `outline` gets the index.
    mutating func fill(
        _ paint: Paint, _ opacity: Double = 1, times count: Int,
        _ outline: (inout Pen, Double) -> Void
    ) {
        fill(paint, opacity) { pen in
            for index in 0..<max(count, 0) { outline(&pen, Double(index)) }
        }
    }

    /// Draws `body` moved, then turned, then scaled. The width is scaled by `flip` besides, which mirrors
    /// it if it is negative.
    mutating func group(
        _ x: Double, _ y: Double, scale: Double = 1, flip: Double = 1, turn: Double = 0,
        _ body: (inout Pen) -> Void
    ) {
        svg += "<g transform=\"translate(\(x.svg) \(y.svg)) rotate(\(turn.svg)) "
        svg += "scale(\((scale * flip).svg) \(scale.svg))\">"
        body(&self)
        svg += "</g>"
    }

    /// Repeats `body`, which gets the index and a share from 0 to 1.
    mutating func times(_ count: Int, _ body: (inout Pen, Double, Double) -> Void) {
        for index in 0..<max(count, 0) {
            body(&self, Double(index), count > 1 ? Double(index) / Double(count - 1) : 0)
        }
    }

    /// Draws an outline from `figures.txt`; `given` are the paints that it leaves to the motif.
    mutating func figure(
        _ name: String, _ given: Paint..., at place: Point = (0, 0), scale: Double = 1,
        flip: Double = 1, turn: Double = 0
    ) {
        group(place.x, place.y, scale: scale, flip: flip, turn: turn) { pen in
            for row in Words.rows("figure \(name)") {
                let parts = row[0].split(separator: " ")
                let opacity = parts.first { $0.hasPrefix("@") }.flatMap { Double($0.dropFirst()) }
                let paint = pen.paint(parts[0], given)
                if let line = parts.firstIndex(of: "line"), let width = Double(parts[line + 1]) {
                    pen.stroke(paint, width, opacity ?? 1) { $0.svg += row[1] }
                } else {
                    pen.fill(paint, opacity ?? 1) { $0.svg += row[1] }
                }
            }
        }
    }

    /// `35`, `100a50`, `accent`, `#fff`, `given`, `given2` or a shade.
    private mutating func paint(_ name: Substring, _ given: [Paint]) -> Paint {
        if name.hasPrefix("#") { return String(name) }
        if name.hasPrefix("given") { return given[name == "given2" ? 1 : 0] }
        if name == "accent" { return accent }
        let tones = name.split(separator: "a").compactMap { Double($0) }
        if let first = tones.first {
            return tone(first, accent: (tones.dropFirst().first ?? 0) / 100)
        }
        guard let shade = Self.shades[String(name)], let direction = Direction(rawValue: shade[1])
        else { return accent }
        return gradient(
            direction,
            shade[2].split(separator: " ").map { stop in
                let parts = stop.split(separator: "@")
                return (paint(parts[0], given), parts.count > 1 ? Double(parts[1]) ?? 1 : 1)
            })
    }

    mutating func shade(_ name: String) -> Paint { paint(name[...], []) }

    private static let shades = Words.rows("shades").reduce(into: [:]) { $0[$1[0]] = $1 }

    // MARK: Words

    /// A title and the credits at the foot, as posters have them.
    mutating func title(
        _ top: Double, _ height: Double, _ paint: Paint? = nil, faces: String = "",
        largest: Double = 150, fromBottom: Bool = false
    ) {
        let paint = paint ?? tone(100)
        text(
            "title", 0.075, top, 0.85, height, paint, faces: faces, largest: largest,
            fromBottom: fromBottom)
        text(
            "credits", 0.075, 1 - 60 / self.height, 0.85, 44 / self.height, paint, faces: "credits")
    }

    /// Sets words in a box, as large as they fit. The box is given in shares of the picture's size.
    mutating func text(
        _ key: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ paint: Paint,
        faces: String = "", largest: Double = 150, anchor: String? = nil, fromBottom: Bool = false
    ) {
        let named = faces.split(separator: " ").compactMap { Typeface.all[String($0)] }
        let face = random.pick(named.isEmpty ? Typeface.titles : named)
        guard let words = words[key], !words.isEmpty else { return }
        let room = (width: width * self.width, height: height * self.height)
        let lettering = Lettering(
            words, face, largest: min(largest, face.largest), width: room.width,
            height: room.height)
        let anchor = anchor ?? self.anchor
        let left = x * self.width + room.width * (["middle": 0.5, "end": 1][anchor] ?? 0)
        let top = y * self.height + (fromBottom ? room.height - lettering.height : 0)
        svg += """
            <text fill="\(paint)" font-size="\(lettering.size.svg)" font-family="\(face.family)" \
            font-weight="\(face.weight)" font-style="\(face.style)" text-anchor="\(anchor)">
            """
        for (index, line) in lettering.lines.enumerated() {
            let y = top + lettering.baseline(index)
            svg += "<tspan x=\"\(left.svg)\" y=\"\(y.svg)\">\(line.escaped)</tspan>"
        }
        svg += "</text>"
    }
}

extension Double {
    /// The number with at most two decimals; 0 if it is not finite.
    var svg: String {
        let rounded = isFinite && abs(self) < 1e9 ? (self * 100).rounded() / 100 : 0
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}

extension String {
    fileprivate var escaped: String {
        let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return map { entities[$0] ?? String($0) }.joined()
    }
}
