import CEXR

/// The pixels of an OpenEXR picture, by the format's own library.
struct EXRRows: PixelRows {
    private let picture: EXRPicture
    let size: PixelSize
    let bands: Int
    private var halves: [UInt16]

    /// - Parameters:
    ///   - bytes: outlive the rows.
    ///   - header: what is allowed; a library that sees another size is not believed.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ header: EXRHeader) throws(ImagingError) {
        picture = try EXRPicture(bytes)
        size = header.header.size
        guard picture.size == size else {
            throw .broken(reason: "the OpenEXR picture says two sizes")
        }
        bands = picture.hasAlpha ? 4 : 3
        halves = [UInt16](repeating: 0, count: size.width * 4)
    }

    mutating func readRow(_ row: Int, to: UnsafeMutablePointer<UInt8>) throws(ImagingError) {
        try picture.read(row, &halves)
        for x in 0..<size.width {
            let alpha = bands == 4 ? min(1, max(0, Self.value(halves[4 * x + 3]))) : 1
            // Stored multiplied with alpha.
            let scale = alpha > 0 ? 1 / alpha : 0
            for band in 0..<3 {
                to[bands * x + band] = LinearLight.sRGB(Self.value(halves[4 * x + band]) * scale)
            }
            if bands == 4 { to[4 * x + 3] = UInt8((alpha * 255).rounded()) }
        }
    }

    /// binary16 to binary32; what is no number is 0.
    private static func value(_ half: UInt16) -> Float {
        let exponent = Int(half >> 10 & 0x1F)
        let fraction = Float(half & 0x3FF)
        let magnitude: Float
        switch exponent {
        case 0: magnitude = fraction * 0x1p-24
        case 0x1F: magnitude = fraction == 0 ? .greatestFiniteMagnitude : 0
        default:
            magnitude = Float(
                sign: .plus, exponent: exponent - 15, significand: 1 + fraction * 0x1p-10)
        }
        return half & 0x8000 == 0 ? magnitude : -magnitude
    }
}

/// Owner of what OpenEXR keeps for a picture; one thread at a time.
private final class EXRPicture {
    private let picture: OpaquePointer

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImagingError) {
        var opened: OpaquePointer?
        let words = Self.words { opened = exr_open(bytes.baseAddress, bytes.count, $0, $1) }
        guard let opened else { throw Self.broken(words) }
        picture = opened
    }

    deinit { exr_close(picture) }

    var size: PixelSize {
        PixelSize(width: Int(exr_width(picture)), height: Int(exr_height(picture)))
    }
    var hasAlpha: Bool { exr_has_alpha(picture) != 0 }

    func read(_ row: Int, _ halves: inout [UInt16]) throws(ImagingError) {
        var status: Int32 = 0
        let words = Self.words { status = exr_read_row(picture, Int32(row), &halves, $0, $1) }
        guard status == 0 else { throw Self.broken(words) }
    }

    private static func words(_ body: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            start.pointee = 0
            body(start, buffer.count)
            return String(cString: start)
        }
    }

    private static func broken(_ words: String) -> ImagingError {
        let line = words.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return .broken(reason: line.hasSuffix(".") ? String(line.dropLast()) : line)
    }
}
