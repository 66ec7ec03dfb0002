#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Recognizes ICC profiles that mean sRGB (ICC.1:2022; IEC 61966-2-1), so that colors need no
/// conversion.
enum SRGBProfile {
    /// Primaries adapted to D50, as the profiles of HP, Apple, Google, Adobe and Artifex have them.
    private static let primaries: [(tag: StaticString, values: [Double])] = [
        ("rXYZ", [0.4361, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]),
        ("bXYZ", [0.1431, 0.0606, 0.7141]),
    ]
    /// Rounding of the published primaries, far below a visible difference.
    private static let tolerance = 0.002

    /// Returns whether a profile's primaries and curves are those of sRGB.
    static func matches(_ profile: [UInt8]) -> Bool {
        let reader = ByteReader(profile)
        guard reader.starts(with: "RGB ", at: 16), reader.starts(with: "XYZ ", at: 20),
            let tags = tags(reader), tags["A2B0"] == nil, tags["A2B1"] == nil
        else { return false }
        for primary in primaries {
            guard let at = tags["\(primary.tag)"], let found = xyz(reader, at),
                zip(found, primary.values).allSatisfy({ abs($0 - $1) <= tolerance })
            else { return false }
        }
        return ["rTRC", "gTRC", "bTRC"].allSatisfy { name in
            tags[name].map { isCurve(reader, $0) } ?? false
        }
    }

    /// Offsets by name.
    private static func tags(_ profile: ByteReader) -> [String: Int]? {
        var reader = profile
        guard reader.skip(128), let count = reader.bigEndian(4), count <= 100 else { return nil }
        var tags: [String: Int] = [:]
        for _ in 0..<count {
            guard let name = reader.bytes(4), let offset = reader.bigEndian(4), reader.skip(4)
            else { return nil }
            tags[String(decoding: name, as: UTF8.self)] = offset
        }
        return tags
    }

    private static func fixed(_ reader: inout ByteReader) -> Double? {
        reader.bigEndian(4).map { Double(Int32(truncatingIfNeeded: $0)) / 65_536 }
    }

    private static func xyz(_ profile: ByteReader, _ at: Int) -> [Double]? {
        var reader = profile
        guard reader.skip(at), reader.take("XYZ "), reader.skip(4), let x = fixed(&reader),
            let y = fixed(&reader), let z = fixed(&reader)
        else { return nil }
        return [x, y, z]
    }

    /// Whether a curve is off by less than half of an 8-bit step in linear light, at each of 16 places.
    private static func isCurve(_ profile: ByteReader, _ at: Int) -> Bool {
        var reader = profile
        guard reader.skip(at) else { return false }
        let curve: ((Double) -> Double)?
        if reader.take("curv") {
            curve = table(&reader)
        } else if reader.take("para") {
            curve = formula(&reader)
        } else {
            curve = nil
        }
        guard let curve else { return false }
        return (0...16).allSatisfy { step in
            let value = Double(step) / 16
            return abs(curve(value) - linear(value)) < 0.002
        }
    }

    /// Returns the linear light of an encoded value.
    static func linear(_ value: Double) -> Double {
        value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func table(_ reader: inout ByteReader) -> ((Double) -> Double)? {
        guard reader.skip(4), let count = reader.bigEndian(4), 16...65_536 ~= count else {
            return nil
        }
        var values: [Double] = []
        for _ in 0..<count {
            guard let value = reader.bigEndian(2) else { return nil }
            values.append(Double(value) / 65_535)
        }
        return { value in
            let at = value * Double(count - 1)
            let index = min(count - 2, Int(at))
            return values[index] + (values[index + 1] - values[index]) * (at - Double(index))
        }
    }

    /// `(ax + b)^g` from `d` on, else `cx`.
    private static func formula(_ reader: inout ByteReader) -> ((Double) -> Double)? {
        guard reader.skip(4), reader.bigEndian(2) == 3, reader.skip(2), let g = fixed(&reader),
            let a = fixed(&reader), let b = fixed(&reader), let c = fixed(&reader),
            let d = fixed(&reader), g > 0
        else { return nil }
        return { $0 >= d ? pow(max(0, a * $0 + b), g) : c * $0 }
    }
}
