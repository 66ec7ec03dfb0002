import Pipeline

/// The size of a IIIF image request. Pure.
struct IIIFSize: Sendable, Equatable {
    enum Form: Sendable, Equatable {
        case max
        case width(Int)
        case height(Int)
        case percent(Double)
        case exact(width: Int, height: Int)
        case within(width: Int, height: Int)
    }

    var form: Form
    let version: IIIFVersion
    /// Whether `^` asks to enlarge the region. Version 2 has no sign for it, and every size does.
    let mayEnlarge: Bool

    /// Limits of what is made.
    struct Limits: Sendable, Equatable {
        var maxPixels: Int
        /// How many times larger than its region a picture may become.
        var maxUpscale: Int

        init(maxPixels: Int, maxUpscale: Int) {
            self.maxPixels = maxPixels
            self.maxUpscale = maxUpscale
        }

        init(_ pipeline: MediaPipeline) {
            self.init(
                maxPixels: pipeline.zoom.maxPixels,
                maxUpscale: pipeline.configuration.zoom.maxUpscale)
        }

        /// Returns the size of a whole picture that is asked for as large as possible.
        func largest(of size: ZoomSize) -> ZoomSize { IIIFSize.largest(size, self, upscale: 1) }
    }

    private static let maxSide = 65_535

    init(_ text: String, _ version: IIIFVersion) throws(IIIFError) {
        self.version = version
        let hasSign = version == .three && text.hasPrefix("^")
        mayEnlarge = hasSign || version == .two
        guard let form = Self.form(text.dropFirst(hasSign ? 1 : 0), version) else {
            let forms = (version == .two ? "full, " : "") + "max; w, or ,h; pct:n; w,h or !w,h"
            throw .bad("“\(text)” is not a size. Use \(forms) with numbers above 0.")
        }
        self.form = form
    }

    private static func form(_ text: Substring, _ version: IIIFVersion) -> Form? {
        if text == "max" || (text == "full" && version == .two) { return .max }
        if text.hasPrefix("pct:") {
            return Double(iiif: text.dropFirst(4)).flatMap { $0 > 0 ? .percent($0) : nil }
        }
        let isWithin = text.hasPrefix("!")
        let halves = text.dropFirst(isWithin ? 1 : 0)
            .split(separator: ",", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        func number(_ text: Substring) -> Int? {
            Int(iiif: text).flatMap { $0 > 0 ? $0 : nil }
        }
        switch (halves[0].isEmpty, halves[1].isEmpty, isWithin) {
        case (false, true, false): return number(halves[0]).map(Form.width)
        case (true, false, false): return number(halves[1]).map(Form.height)
        case (false, false, _):
            guard let width = number(halves[0]), let height = number(halves[1]) else { return nil }
            return isWithin
                ? .within(width: width, height: height) : .exact(width: width, height: height)
        default: return nil
        }
    }

    /// Returns the size of the result for a region of that size.
    func resolved(
        for region: ZoomSize, _ limits: Limits
    ) throws(IIIFError) -> ZoomSize {
        let upscale = mayEnlarge ? limits.maxUpscale : 1
        let largest = Self.largest(region, limits, upscale: upscale)
        let wanted: ZoomSize
        switch form {
        case .max:
            // Version 2 never enlarges here.
            return version == .two ? Self.largest(region, limits, upscale: 1) : largest
        case .width(let width):
            wanted = ZoomSize(width: width, height: Self.other(width, region.width, region.height))
        case .height(let height):
            wanted = ZoomSize(
                width: Self.other(height, region.height, region.width), height: height)
        case .percent(let percent):
            let scale = min(percent / 100, 1e6)
            wanted = ZoomSize(
                width: Int((Double(region.width) * scale).rounded()),
                height: Int((Double(region.height) * scale).rounded()))
        case .exact(let width, let height): wanted = ZoomSize(width: width, height: height)
        case .within(let width, let height):
            // The specification says that this is the region's own size, its validator that it is an
            // error. Only a box that is larger on both sides makes the difference.
            if version == .three, !mayEnlarge, width > region.width, height > region.height {
                throw Self.tooLarge(width, height, region)
            }
            let scale = min(
                Double(width) / Double(region.width), Double(height) / Double(region.height),
                Double(upscale))
            let fitted = Self.scaled(region, scale)
            return fitted.width * fitted.height <= limits.maxPixels ? fitted : largest
        }
        guard wanted.width > 0, wanted.height > 0 else {
            throw .bad("The result would have no pixels; ask for a larger size.")
        }
        try check(wanted, region, limits)
        return wanted
    }

    private func check(
        _ wanted: ZoomSize, _ region: ZoomSize, _ limits: Limits
    ) throws(IIIFError) {
        let isLarger = wanted.width > region.width || wanted.height > region.height
        if isLarger, !mayEnlarge {
            throw Self.tooLarge(wanted.width, wanted.height, region)
        }
        if isLarger,
            wanted.width > region.width * limits.maxUpscale
                || wanted.height > region.height * limits.maxUpscale
        {
            throw .notOffered(
                limits.maxUpscale == 1
                    ? "This service enlarges no picture; ask for \(region.width)×\(region.height) "
                        + "pixels or fewer."
                    : "This service enlarges pictures up to \(limits.maxUpscale) times.")
        }
        guard wanted.width * wanted.height <= limits.maxPixels, wanted.width <= Self.maxSide,
            wanted.height <= Self.maxSide
        else {
            throw .bad(
                "The size \(wanted.width)×\(wanted.height) is over the limit of "
                    + "\(limits.maxPixels) pixels; ask for less, or for tiles.")
        }
    }

    private static func tooLarge(_ width: Int, _ height: Int, _ region: ZoomSize) -> IIIFError {
        .bad(
            "The size \(width)×\(height) is larger than the region, which has "
                + "\(region.width)×\(region.height) pixels. Write ^ in front of the size to enlarge "
                + "it.")
    }

    /// Returns the side that keeps the shape. A size that is that of a layer has the layer's other side,
    /// which is rounded up, so that it is a tile.
    static func other(_ side: Int, _ from: Int, _ to: Int) -> Int {
        var factor = 1
        while factor <= from {
            if (from + factor - 1) / factor == side { return (to + factor - 1) / factor }
            factor *= 2
        }
        return max(1, Int((Double(to) * Double(side) / Double(from)).rounded()))
    }

    private static func largest(
        _ region: ZoomSize, _ limits: Limits, upscale: Int
    ) -> ZoomSize {
        let area = Double(region.width) * Double(region.height)
        let scale = min(
            Double(upscale), (Double(limits.maxPixels) / area).squareRoot(),
            Double(maxSide) / Double(max(region.width, region.height)))
        if scale >= 1, upscale == 1 { return region }
        return ZoomSize(
            width: max(1, Int(Double(region.width) * scale)),
            height: max(1, Int(Double(region.height) * scale)))
    }

    private static func scaled(_ size: ZoomSize, _ scale: Double) -> ZoomSize {
        ZoomSize(
            width: max(1, Int((Double(size.width) * scale).rounded())),
            height: max(1, Int((Double(size.height) * scale).rounded())))
    }
}
