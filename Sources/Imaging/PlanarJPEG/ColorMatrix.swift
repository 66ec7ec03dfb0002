import CLCMS
import CPixels

/// What most profiles of red, green and blue are: three curves and a matrix. Its numbers are those that little
/// CMS reads; the arithmetic takes a fifth of its time, and differs by a rounding at most.
final class ColorMatrix {
    private let tables: UnsafeMutablePointer<pixels_color_matrix>

    private static let colorants = [
        cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag,
    ]
    private static let curves = [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag]
    /// Tables that come before a matrix, if a profile has them.
    private static let lookups = [cmsSigAToB0Tag, cmsSigAToB1Tag, cmsSigDToB0Tag, cmsSigDToB1Tag]
    /// Of values in tables: three of them can't exceed 32 bits.
    private static let one = Double(1 << 20)
    private static let most = Double(1 << 28)

    /// Returns nil if the profile is of another kind.
    ///
    /// - Parameter output: sRGB.
    init?(from input: cmsHPROFILE, to output: cmsHPROFILE) {
        guard cmsIsMatrixShaper(input) != 0,
            !Self.lookups.contains(where: { cmsIsTag(input, $0) != 0 }),
            let from = Self.matrix(input), let to = Self.matrix(output), let back = Self.inverse(to)
        else { return nil }
        tables = .allocate(capacity: 1)
        tables.initialize(to: pixels_color_matrix())
        withUnsafeMutableBytes(of: &tables.pointee.parts) { bytes in
            let parts = bytes.bindMemory(to: Int32.self)
            for (band, curve) in Self.curves.enumerated() {
                guard let read = cmsReadTag(input, curve) else { continue }
                for value in 0..<256 {
                    let light = cmsEvalToneCurveFloat(OpaquePointer(read), Float(value) / 255)
                    for color in 0..<3 {
                        let factor = (0..<3).reduce(0.0) { $0 + back[color][$1] * from[$1][band] }
                        parts[(band * 256 + value) * 4 + color] = Self.fixed(factor * Double(light))
                    }
                }
            }
        }
        let (encoded, steps) = (pixels_encoded(tables), Int(PIXELS_LINEAR_STEPS))
        for step in 0...steps {
            encoded[step] = LinearLight.encoded(Double(step) / Double(steps))
        }
    }

    deinit { tables.deallocate() }

    /// Converts red, green and blue in place.
    func convert(_ pixels: PixelBuffer) {
        pixels_apply_color_matrix(tables, pixels.bytes, pixels.size.area, Int32(pixels.bands))
    }

    private static func fixed(_ value: Double) -> Int32 {
        // Neither NaN nor what a broken profile may claim.
        value.isFinite ? Int32(max(-most, min(most, (value * one).rounded()))) : 0
    }

    /// Returns three rows: X, Y and Z of red, green and blue.
    private static func matrix(_ profile: cmsHPROFILE) -> [[Double]]? {
        var columns: [[Double]] = []
        for colorant in colorants {
            guard let read = cmsReadTag(profile, colorant) else { return nil }
            let color = read.assumingMemoryBound(to: cmsCIEXYZ.self).pointee
            columns.append([color.X, color.Y, color.Z])
        }
        return (0..<3).map { row in columns.map { $0[row] } }
    }

    private static func inverse(_ m: [[Double]]) -> [[Double]]? {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (r, s, c, d) = ((row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3)
            return m[r][c] * m[s][d] - m[r][d] * m[s][c]
        }
        let determinant = (0..<3).reduce(0.0) { $0 + m[0][$1] * minor(0, $1) }
        guard determinant != 0 else { return nil }
        return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
    }
}
