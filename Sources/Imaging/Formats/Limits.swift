/// The limits on originals and the message for each, which names the setting.
struct Limits: Sendable {
    let maxBytes: Int
    let maxPixels: Int
    let maxSide: Int
    let maxFrames: Int
    /// Bytes of memory that rendering may take.
    let memory: Int

    init(_ configuration: ImagingConfiguration) {
        maxBytes = configuration.maxBytes
        maxPixels = configuration.maxPixels
        maxSide = configuration.maxSide
        maxFrames = configuration.maxFrames
        memory = configuration.memory
    }

    func check(bytes: Int) throws(ImagingError) {
        guard bytes <= maxBytes else {
            throw .overLimit(
                reason: "\(grouped(bytes)) bytes are over the limit of \(grouped(maxBytes))"
                    + " (imaging.maxBytes)")
        }
    }

    func check(_ header: Header) throws(ImagingError) {
        try check(width: header.width, height: header.height)
        guard header.frames <= maxFrames else {
            throw .overLimit(
                reason: "\(grouped(header.frames)) frames are over the limit of"
                    + " \(grouped(maxFrames)) (imaging.maxFrames)")
        }
    }

    func check(width: Int, height: Int) throws(ImagingError) {
        guard Int.clampedProduct(width, height) <= maxPixels else {
            throw .overLimit(
                reason: "\(width)×\(height) pixels are over the limit of \(grouped(maxPixels))"
                    + " (imaging.maxPixels)")
        }
        guard max(width, height) <= maxSide else {
            throw .overLimit(
                reason: "a side of \(grouped(max(width, height))) pixels is over the limit of"
                    + " \(grouped(maxSide))")
        }
    }

    /// Returns the header of an original within the limits. An SVG is not read.
    ///
    /// - Parameter levels: the wanted levels.
    /// - Throws: ``ImagingError/overLimit(reason:)``, ``ImagingError/broken(reason:)`` or
    ///   ``ImagingError/unsupported(format:)``
    func header(
        of original: [UInt8], _ format: ImageFormat, _ levels: [Level]
    ) throws(ImagingError) -> Header {
        if format == .svg {
            var header = HeaderReader.undrawn(levels)
            header.copied = SVGDocument.likelySize(original)
            return header
        }
        let header = try HeaderReader.read(original, format)
        try check(header)
        return header
    }
}

/// `100000000` → `100,000,000`.
func grouped(_ number: Int) -> String {
    let digits = String(number)
    return digits.enumerated().reduce(into: "") { text, digit in
        let left = digits.count - digit.offset
        if digit.offset > 0, left % 3 == 0 { text += "," }
        text.append(digit.element)
    }
}
