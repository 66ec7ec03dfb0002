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
            let usual = letter.isUppercase && !isUppercase ? 1.2 : 1
            return sum + (Self.shares[letter] ?? usual) * breadth
        }
    }

    /// Widths of letters by that of a middling one. The last is the space between those of credits.
    private static let shares: [Character: Double] = [
        ("IijlJ’.,:", 0.5), ("ftrJs ", 0.72), ("MWmw", 1.4), ("\u{200A}", 0.2),
    ].reduce(into: [:]) { shares, row in for letter in row.0 { shares[letter] = row.1 } }

    /// Drawn widths by estimated ones, measured once for each typeface.
    private var stretch: Double {
        if let known = Self.stretches.withLock({ $0[self] }) { return known }
        let sample = isUppercase ? "HAMBURG AND THE ORCHESTRA" : "Hamburg and the Orchestra"
        let drawn = (try? measured(sample)) ?? estimate(sample) * 1.1
        let stretch = max(drawn / estimate(sample) * 1.04, 0.5)
        Self.stretches.withLock { $0[self] = stretch }
        return stretch
    }

    private static let stretches = Mutex<[Typeface: Double]>([:])

    /// How wide a line is drawn, in ems.
    private func measured(_ line: String) throws(ImagingError) -> Double {
        let (width, height, size) = (1_600, 56, 40)
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">
            <text y="\(size)" font-size="\(size)" font-family="\(family)" font-weight="\(weight)"
            font-style="\(style)">\(line)</text></svg>
            """
        return try Canvas(svg: Array(svg.utf8)).withPixels { pixels in
            let last = (0..<width).last { x in
                (0..<height).contains { pixels[($0 * width + x) * 3] < 128 }
            }
            return Double(last ?? 0) / Double(size)
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
    private(set) var lines: [String]
    private(set) var size: Double

    init(
        _ words: String, _ typeface: Typeface, largest: Double, width: Double, height: Double
    ) {
        let paragraphs = (typeface.isUppercase ? words.uppercased() : words).split(separator: "\n")
        (lines, size) = ([], largest)
        while true {
            lines = paragraphs.flatMap { Self.lines($0, typeface, ems: width / size) }
            let widest = lines.map { typeface.width(of: $0) }.max() ?? 0
            if size <= 8 || widest * size <= width && self.height <= height { break }
            size *= 0.93
        }
    }

    var height: Double { size * (1.08 + Double(lines.count - 1) * Self.leading) }

    /// From the top of the block.
    func baseline(_ line: Int) -> Double { size * (0.86 + Double(line) * Self.leading) }

    private static let leading = 1.1

    private static func lines(
        _ paragraph: Substring, _ typeface: Typeface, ems: Double
    ) -> [String] {
        guard typeface.wraps else { return [String(paragraph)] }
        let words = paragraph.split(separator: " ").map(String.init)
        return words.dropFirst().reduce(into: words.prefix(1).map(\.self)) { lines, word in
            let longer = "\(lines[lines.count - 1]) \(word)"
            if typeface.width(of: longer) > ems {
                lines.append(word)
            } else {
                lines[lines.count - 1] = longer
            }
        }
    }
}
