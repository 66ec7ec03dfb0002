/// Size of an SVG by its first element, as librsvg works it out at 72 dots an inch (SVG 2, section
/// 8.2).
enum SVGHeader {
    /// Where neither size nor box are given, what is drawn decides; until then it counts as this
    /// (CSS 2.2, section 10.3.2).
    private static let unsized = (width: 300.0, height: 150.0)

    /// - Parameter text: not compressed.
    static func read(_ text: [UInt8]) throws(ImagingError) -> Header {
        var reader = XMLReader(text)
        while let token = try reader.next() {
            guard case .open(_, let attributes) = token else { continue }
            let size = size(attributes)
            func pixels(_ length: Double) throws(ImagingError) -> Int {
                guard length <= 1e9 else {
                    throw .overLimit(reason: "an SVG with a side of more than 1,000,000,000 pixels")
                }
                return max(1, Int(length.rounded()))
            }
            return Header(
                format: .svg, width: try pixels(size.width), height: try pixels(size.height),
                hasAlpha: true)
        }
        throw .broken(reason: "the SVG ends before its first element")
    }

    private static func size(_ attributes: [XMLReader.Attribute]) -> (width: Double, height: Double)
    {
        func text(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
        let width = text("width").flatMap(length)
        let height = text("height").flatMap(length)
        let box = text("viewbox").flatMap(box)
        switch (width, height, box) {
        case (let width?, let height?, _): return (width, height)
        case (let width?, nil, let box?): return (width, width * box.height / box.width)
        case (nil, let height?, let box?): return (height * box.width / box.height, height)
        case (nil, nil, let box?): return box
        default: return (width ?? unsized.width, height ?? unsized.height)
        }
    }

    /// nil for what is relative to something outside, and for what is none.
    private static func length(_ text: String) -> Double? {
        let text = text.filter { !$0.isWhitespace }
        let digits = text.prefix { $0.isNumber || ".+-".contains($0) }
        var number = digits
        var unit = text.dropFirst(digits.count).lowercased()
        // An exponent is no unit of ems.
        if unit.hasPrefix("e"), let exponent = unit.dropFirst().first,
            exponent.isNumber || "+-".contains(exponent)
        {
            let more = unit.dropFirst().prefix { $0.isNumber || "+-".contains($0) }
            number = digits + "e" + more
            unit = String(unit.dropFirst(1 + more.count))
        }
        let units = [
            "": 1, "px": 1, "pt": 1, "pc": 12, "in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4,
            "em": 12, "ex": 6,
        ]
        guard let factor = units[unit], let value = Double(number), value.isFinite, value > 0 else {
            return nil
        }
        return value * factor
    }

    private static func box(_ text: String) -> (width: Double, height: Double)? {
        let numbers = SVGText.numbers(text)
        guard numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
        return (numbers[2], numbers[3])
    }
}
