import Pipeline

/// The region of a IIIF image request. Pure.
enum IIIFRegion: Sendable, Equatable {
    case full, square
    case pixels(x: Int, y: Int, width: Int, height: Int)
    case percent(x: Double, y: Double, width: Double, height: Double)

    init(_ text: String) throws(IIIFError) {
        switch text {
        case "full": self = .full
        case "square": self = .square
        case _ where text.hasPrefix("pct:"):
            let values = text.dropFirst(4).split(separator: ",", omittingEmptySubsequences: false)
                .map { Double(iiif: $0) }
            guard values.count == 4, let x = values[0], let y = values[1], let width = values[2],
                let height = values[3], width > 0, height > 0
            else { throw Self.malformed(text) }
            self = .percent(x: x, y: y, width: width, height: height)
        default:
            let values = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { Int(iiif: $0) }
            guard values.count == 4, let x = values[0], let y = values[1], let width = values[2],
                let height = values[3], width > 0, height > 0
            else { throw Self.malformed(text) }
            self = .pixels(x: x, y: y, width: width, height: height)
        }
    }

    private static func malformed(_ text: String) -> IIIFError {
        .bad(
            "“\(text)” is not a region. Use full, square, x,y,w,h or pct:x,y,w,h with a width and "
                + "height above 0.")
    }

    /// Returns the pixels of the region that are in a picture of that size.
    func resolved(in size: ZoomSize) throws(IIIFError) -> (x: Int, y: Int, width: Int, height: Int)
    {
        let wanted: (x: Int, y: Int, width: Int, height: Int)
        switch self {
        case .full: wanted = (0, 0, size.width, size.height)
        case .square:
            let side = min(size.width, size.height)
            wanted = ((size.width - side) / 2, (size.height - side) / 2, side, side)
        case .pixels(let x, let y, let width, let height): wanted = (x, y, width, height)
        case .percent(let x, let y, let width, let height):
            let (w, h) = (Double(size.width) / 100, Double(size.height) / 100)
            wanted = (
                Self.pixels(x * w), Self.pixels(y * h), max(1, Self.pixels(width * w)),
                max(1, Self.pixels(height * h))
            )
        }
        guard wanted.x < size.width, wanted.y < size.height else {
            throw .bad(
                "The region begins outside of the picture, which has \(size.width)×\(size.height) "
                    + "pixels.")
        }
        return (
            wanted.x, wanted.y, min(wanted.width, size.width - wanted.x),
            min(wanted.height, size.height - wanted.y)
        )
    }

    private static func pixels(_ value: Double) -> Int { Int(min(value.rounded(), 1e9)) }
}

// Numbers in a IIIF path are ASCII digits without a sign or an exponent.

extension Int {
    init?(iiif text: Substring) {
        guard !text.isEmpty, text.utf8.count <= 9,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        self.init(text)
    }
}

extension Double {
    init?(iiif text: Substring) {
        let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.utf8.count <= 18, !text.isEmpty, text != ".",
            halves.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        self.init("0\(halves[0]).\(halves.count > 1 ? halves[1] : "")0")
    }
}
