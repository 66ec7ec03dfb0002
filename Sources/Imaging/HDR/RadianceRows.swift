/// The pixels of a Radiance picture: three mantissas and an exponent they share, mostly in runs.
struct RadianceRows: PixelRows {
    private let header: RadianceHeader
    private let bytes: [UInt8]
    private var position: Int
    /// A row's mantissas and exponents, pixel by pixel.
    private var line: [UInt8]

    let bands = 3
    var size: PixelSize { header.header.size }

    init(_ original: [UInt8], _ header: RadianceHeader) {
        self.header = header
        bytes = original
        position = header.offset
        line = [UInt8](repeating: 0, count: header.width * 4)
    }

    private static let truncated = ImagingError.broken(
        reason: "the Radiance picture ends or goes wrong within its pixels")

    mutating func readRow(_ row: Int, to: UnsafeMutablePointer<UInt8>) throws(ImagingError) {
        guard bytes.count - position >= 4 else { throw Self.truncated }
        let isInRuns =
            (8...0x7FFF).contains(header.width) && bytes[position] == 2 && bytes[position + 1] == 2
            && Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]) == header.width
        if isInRuns { try readRuns() } else { try readPixels() }
        for x in 0..<header.width {
            // 2⁻¹²⁸ for the exponent's bias, 2⁻⁸ for mantissas that are fractions; 0 is black.
            let exponent = line[4 * x + 3]
            let scale =
                exponent == 0
                ? 0 : Float(sign: .plus, exponent: Int(exponent) - 136, significand: 1)
            let linear = SIMD3<Float>(
                Float(line[4 * x]) + 0.5, Float(line[4 * x + 1]) + 0.5, Float(line[4 * x + 2]) + 0.5
            )
            let colour = header.isXYZ ? Self.fromXYZ(linear * scale) : linear * scale
            for band in 0..<3 { to[3 * x + band] = LinearLight.sRGB(colour[band]) }
        }
    }

    /// Each of the four parts on its own: a count, then so many bytes, or one byte 128 less often.
    private mutating func readRuns() throws(ImagingError) {
        position += 4
        for part in 0..<4 {
            var x = 0
            while x < header.width {
                let code = Int(try next())
                let count = code > 128 ? code - 128 : code
                guard count > 0, count <= header.width - x else { throw Self.truncated }
                var value: UInt8 = 0
                if code > 128 { value = try next() }
                for _ in 0..<count {
                    if code <= 128 { value = try next() }
                    line[4 * x + part] = value
                    x += 1
                }
            }
        }
    }

    /// Whole pixels; (1, 1, 1, n) is the last one n times more, the next such counts 256-fold.
    private mutating func readPixels() throws(ImagingError) {
        var x = 0
        var shift = 0
        while x < header.width {
            guard bytes.count - position >= 4 else { throw Self.truncated }
            let pixel = bytes[position..<position + 4]
            position += 4
            guard pixel.prefix(3).elementsEqual([1, 1, 1]) else {
                line.replaceSubrange(4 * x..<4 * x + 4, with: pixel)
                x += 1
                shift = 0
                continue
            }
            let count = Int(bytes[position - 1]) << shift
            guard x > 0, shift <= 16, count <= header.width - x else { throw Self.truncated }
            for _ in 0..<count {
                for part in 0..<4 { line[4 * x + part] = line[4 * x + part - 4] }
                x += 1
            }
            shift += 8
        }
    }

    private mutating func next() throws(ImagingError) -> UInt8 {
        guard position < bytes.count else { throw Self.truncated }
        defer { position += 1 }
        return bytes[position]
    }

    /// To sRGB's primaries; equal X, Y and Z are white, as in Radiance.
    private static func fromXYZ(_ colour: SIMD3<Float>) -> SIMD3<Float> {
        SIMD3(
            2.68966 * colour.x - 1.27586 * colour.y - 0.41379 * colour.z,
            -1.02211 * colour.x + 1.97829 * colour.y + 0.04382 * colour.z,
            0.06122 * colour.x - 0.22449 * colour.y + 1.16327 * colour.z)
    }
}
