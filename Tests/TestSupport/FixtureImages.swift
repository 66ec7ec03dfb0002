import Hashing
package import Imaging
import Synchronization

/// Pictures made by code, the same bytes for the same arguments and library versions.
///
/// A picture that can't be made stops the test run, because fixtures can't fail otherwise.
package enum FixtureImages {
    /// Something with skies, edges, text-like detail and grain, as photographs have them.
    package static func canvas(width: Int, height: Int, seed: UInt64 = 1) -> Canvas {
        let canvas = made { () throws(ImagingError) in try Canvas(width: width, height: height) }
        var random = SeededGenerator(seed: seed)
        let (w, h) = (Double(canvas.width), Double(canvas.height))
        let shorter = min(w, h)
        canvas.shade(from: random.color(), to: random.color())
        canvas.noise(seed: seed, scale: max(2, shorter / 3), strength: 0.4, octaves: 6)
        for _ in 0..<12 {
            canvas.rectangle(
                x: random.number(in: 0...w), y: random.number(in: 0...h),
                width: shorter * random.number(in: 0.05...0.4),
                height: shorter * random.number(in: 0.05...0.4), color: random.color(),
                alpha: random.number(in: 0.3...1))
        }
        for index in 0..<24 {
            canvas.rectangle(
                x: w * 0.1, y: h * (0.5 + 0.02 * Double(index)),
                width: w * random.number(in: 0.1...0.8), height: max(1, h * 0.006),
                color: random.color())
        }
        canvas.grain(seed: seed, strength: 0.02)
        return canvas
    }

    /// Drawn once for all tests of a run.
    private static let jpegs = Mutex<[String: [UInt8]]>([:])

    /// A baseline JPEG, 4:2:0.
    package static func jpeg(
        width: Int, height: Int, seed: UInt64 = 1, quality: Int = 88
    ) -> [UInt8] {
        let name = "\(width)×\(height) \(seed) \(quality)"
        if let drawn = jpegs.withLock({ $0[name] }) { return drawn }
        let canvas = canvas(width: width, height: height, seed: seed)
        let jpeg = made { () throws(ImagingError) in try canvas.encodeJPEG(quality: quality) }
        jpegs.withLock { $0[name] = jpeg }
        return jpeg
    }

    package static func webp(width: Int, height: Int, seed: UInt64 = 1) -> [UInt8] {
        let canvas = canvas(width: width, height: height, seed: seed)
        return made { () throws(ImagingError) in try canvas.encodeWebP() }
    }

    /// A JPEG that says how it is to be turned (1…8).
    ///
    /// - Parameter type: of the number: 3 for SHORT, 4 for LONG, 9 for SLONG.
    package static func jpeg(_ jpeg: [UInt8], orientation: Int, type: UInt8 = 3) -> [UInt8] {
        // Big-endian TIFF with one entry in IFD 0: tag 0x0112, 1 value, left-justified.
        let value = [0, UInt8(clamping: orientation), 0, 0]
        let tiff: [UInt8] =
            Array("MM".utf8) + [0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, type, 0, 0, 0, 1]
            + (type == 3 ? value : value.suffix(2) + value.prefix(2)) + [0, 0, 0, 0]
        let payload = Array("Exif\0\0".utf8) + tiff
        let length = payload.count + 2
        let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
        return Array(jpeg.prefix(2)) + segment + jpeg.dropFirst(2)
    }

    /// The first `part` (0…1) of the bytes, as after a broken transfer.
    package static func truncated(_ bytes: [UInt8], part: Double = 0.5) -> [UInt8] {
        Array(bytes.prefix(Int(Double(bytes.count) * part)))
    }

    /// An error page as origins send it with status 200.
    package static let html = Array(
        """
        <!DOCTYPE html>
        <html lang="en"><head><title>403 Forbidden</title></head>
        <body><h1>403 Forbidden</h1><p>You don't have permission.</p></body></html>

        """.utf8)

    package static let json = Array(#"{"error":"not found","status":404}"#.utf8)

    static func made<Value>(_ make: () throws(ImagingError) -> Value) -> Value {
        do throws(ImagingError) {
            return try make()
        } catch {
            fatalError("A fixture can't be made: \(error)")
        }
    }
}

/// ``SplitMix`` with what tests draw.
package struct SeededGenerator: RandomNumberGenerator {
    private var numbers: SplitMix

    package init(seed: UInt64) { numbers = SplitMix(seed: seed) }

    package mutating func next() -> UInt64 { numbers.next() }

    mutating func number(in range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &self)
    }

    mutating func color() -> RGB {
        RGB(
            red: UInt8.random(in: 0...255, using: &self),
            green: UInt8.random(in: 0...255, using: &self),
            blue: UInt8.random(in: 0...255, using: &self))
    }
}
