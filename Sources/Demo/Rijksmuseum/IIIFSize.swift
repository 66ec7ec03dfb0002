/// The size segment of the IIIF Image API 3: `max`, `!400,400`, `400,`, `,400`, `400,300`,
/// `pct:25`, each with a caret where enlarging is allowed.
///
/// <https://iiif.io/api/image/3.0/#42-size>
struct IIIFSize: Sendable, Equatable {
    /// Pixels of the answer.
    var width: Int
    var height: Int
    /// Whether both sides were given, so that the shape may change.
    var isFree = false

    /// Returns `nil` if the segment is not a size, enlarges without a caret, or exceeds `maxArea`.
    init?(_ segment: some StringProtocol, width: Int, height: Int, maxArea: Int) {
        let enlarges = segment.hasPrefix("^")
        let text = enlarges ? String(segment.dropFirst()) : String(segment)
        if text == "max" {
            // Served whole, whatever its area: the real server does up to 42 megapixels.
            self.init(width: width, height: height)
            return
        }
        guard let size = Self.wanted(text, width: width, height: height, enlarges: enlarges),
            size.width > 0, size.height > 0, size.width <= 16_383, size.height <= 16_383,
            enlarges || size.width <= width && size.height <= height,
            size.width * size.height <= maxArea
        else { return nil }
        self = size
    }

    private init(width: Int, height: Int, isFree: Bool = false) {
        self.width = width
        self.height = height
        self.isFree = isFree
    }

    private static func wanted(
        _ text: String, width: Int, height: Int, enlarges: Bool
    ) -> IIIFSize? {
        func scaled(_ scale: Double) -> IIIFSize? {
            guard scale > 0, scale < 100 else { return nil }
            return IIIFSize(
                width: max(1, Int((Double(width) * scale).rounded())),
                height: max(1, Int((Double(height) * scale).rounded())))
        }
        if text.hasPrefix("pct:") {
            return Double(text.dropFirst(4)).flatMap { scaled($0 / 100) }
        }
        let isBox = text.hasPrefix("!")
        let sides = text.dropFirst(isBox ? 1 : 0)
            .split(separator: ",", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.allSatisfy(\.isNumber) }) else { return nil }
        let (wide, high) = (Int(sides[0]), Int(sides[1]))
        let (byWidth, byHeight) = (
            wide.map { Double($0) / Double(width) }, high.map { Double($0) / Double(height) }
        )
        switch (wide, high) {
        case (let wide?, let high?):
            guard isBox else {
                return IIIFSize(width: wide, height: high, isFree: true)
            }
            // A box never enlarges by itself, so it can't be too large either.
            let scale = min(byWidth ?? 1, byHeight ?? 1)
            return scaled(enlarges ? scale : min(scale, 1))
        case (let wide?, nil) where !isBox:
            return byWidth.flatMap(scaled).map { IIIFSize(width: wide, height: $0.height) }
        case (nil, let high?) where !isBox:
            return byHeight.flatMap(scaled).map { IIIFSize(width: $0.width, height: high) }
        default: return nil
        }
    }
}
