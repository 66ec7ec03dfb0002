import Imaging
import Synchronization

/// A font for titles, with others to stand in where it isn't installed.
struct Typeface: Sendable, Hashable {
    /// Families for fontconfig, the first that is installed.
    let family: String
    var weight = "normal"
    var style = "normal"
    var isUppercase = false
    /// Width of a middling letter in ems.
    let breadth: Double
    /// Largest size of a title in units of a poster 680 wide.
    var largest = 116.0
    /// Whether long lines are broken; others only shrink.
    var wraps = true

    /// Width in ems, as wide as the font that is installed really is.
    func width(of text: some StringProtocol) -> Double { estimate(text) * stretch }

    private func estimate(_ text: some StringProtocol) -> Double {
        text.reduce(0) { sum, letter in
            let share =
                switch letter {
                case "I", "i", "j", "l", "’", ".", ",", ":": 0.5
                case "f", "t", "r", "J", "s", " ": 0.72
                case "\u{200A}": 0.2
                case "M", "W", "m", "w": 1.4
                default: letter.isUppercase && !isUppercase ? 1.2 : 1
                }
            return sum + share * breadth
        }
    }

    /// Drawn widths by estimated ones, measured once for each typeface.
    private var stretch: Double {
        if let known = Self.stretches.withLock({ $0[self] }) { return known }
        let sample = isUppercase ? "HAMBURG AND THE ORCHESTRA" : "Hamburg and the Orchestra"
        let size = 40.0
        let drawn = (try? measured(sample, size: size)).map { $0 / size } ?? estimate(sample) * 1.1
        let stretch = max(drawn / estimate(sample) * 1.04, 0.5)
        Self.stretches.withLock { $0[self] = stretch }
        return stretch
    }

    private static let stretches = Mutex<[Typeface: Double]>([:])

    /// How wide a line is drawn, in pixels.
    private func measured(_ line: String, size: Double) throws(ImagingError) -> Double {
        let (width, height) = (1_600, Int(size * 1.4))
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">
            <text y="\(size)" font-size="\(size)" font-family="\(family)" font-weight="\(weight)"
            font-style="\(style)">\(line)</text></svg>
            """
        let canvas = try Canvas(svg: Array(svg.utf8))
        return canvas.withPixels { pixels in
            let last = (0..<width).last { x in
                (0..<height).contains { pixels[($0 * width + x) * 3] < 128 }
            }
            return Double(last ?? 0)
        }
    }

    /// By the names that templates use.
    static let all: [String: Typeface] = Words.rows("typefaces").reduce(into: [:]) { all, row in
        all[row[0]] = Typeface(
            family: row[1], weight: row[2], style: row[3], isUppercase: row[4] == "upper",
            breadth: Double(row[5]) ?? 0.7, largest: Double(row[6]) ?? 100,
            wraps: row[0] != "credits")
    }
    /// For titles of posters.
    static let titles = all.keys.sorted().filter { $0 != "credits" }.compactMap { all[$0] }
}

/// Words broken into lines, as large as their room allows.
struct Lettering: Sendable {
    let lines: [String]
    let size: Double

    init(
        _ words: String, _ typeface: Typeface, largest: Double, width: Double, height: Double
    ) {
        let paragraphs = (typeface.isUppercase ? words.uppercased() : words).split(separator: "\n")
        var size = largest
        var lines: [String] = []
        repeat {
            lines = paragraphs.flatMap {
                typeface.wraps ? Self.lines($0, typeface, ems: width / size) : [String($0)]
            }
            let widest = lines.map { typeface.width(of: $0) }.max() ?? 0
            if widest * size <= width, Self.height(lines.count, size) <= height { break }
            size *= 0.93
        } while size > 8
        self.lines = lines
        self.size = size
    }

    var height: Double { Self.height(lines.count, size) }

    /// From the top of the block.
    func baseline(_ line: Int) -> Double { size * (0.86 + Double(line) * Self.leading) }

    private static let leading = 1.1
    private static func height(_ lines: Int, _ size: Double) -> Double {
        size * (1.08 + Double(lines - 1) * leading)
    }

    private static func lines(
        _ paragraph: Substring, _ typeface: Typeface, ems: Double
    ) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in paragraph.split(separator: " ") {
            let longer = line.isEmpty ? String(word) : "\(line) \(word)"
            if !line.isEmpty, typeface.width(of: longer) > ems {
                lines.append(line)
                line = String(word)
            } else {
                line = longer
            }
        }
        return lines + [line]
    }
}
