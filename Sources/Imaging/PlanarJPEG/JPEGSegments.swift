/// The segments of a JPEG before its first scan that decide whether its planes can be used as they are
/// (ITU-T T.81, annex B; ICC.1, annex B.4).
struct JPEGSegments {
    struct Frame {
        var width: Int
        var height: Int
        var isProgressive: Bool
        /// Samples of each component per block of the frame.
        var factors: [(across: Int, down: Int)]

        /// Nil for one that planes are not made for.
        var sampling: ChromaSampling? {
            if factors.count == 1 { return factors[0] == (1, 1) ? .gray : nil }
            guard factors.count == 3, factors[1] == (1, 1), factors[2] == (1, 1) else { return nil }
            return ChromaSampling.allCases.first {
                $0 != .gray && $0.factors == factors[0]
            }
        }
    }

    private(set) var frame: Frame?
    /// The embedded ICC profile, put together; nil without one.
    private(set) var profile: [UInt8]?
    /// Whether parts of a profile are missing or twice there.
    private(set) var hasBadProfile = false
    /// Components of the first scan.
    private(set) var scanComponents = 0

    /// Returns nil if the segments can't be followed to the first scan.
    init?(_ original: [UInt8]) {
        var reader = ByteReader(original)
        guard reader.bigEndian(2) == 0xFFD8 else { return nil }
        var parts: [ProfilePart] = []
        for _ in 0..<Header.maxParts {
            guard reader.byte() == 0xFF, var marker = reader.byte() else { return nil }
            // Fill bytes.
            while marker == 0xFF {
                guard let next = reader.byte() else { return nil }
                marker = next
            }
            guard let length = reader.bigEndian(2), length >= 2 else { return nil }
            var segment = reader.part(length - 2)
            switch marker {
            case 0xC0...0xC2:
                guard frame == nil, let read = Self.frame(&segment, marker) else { return nil }
                frame = read
            // Lossless, hierarchical or with arithmetic coding.
            case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: return nil
            case 0xE2:
                if segment.take("ICC_PROFILE\0"), let number = segment.byte(),
                    let count = segment.byte()
                {
                    if parts.count < Self.maxProfileParts {
                        parts.append(ProfilePart(number: number, count: count, content: segment))
                    } else {
                        hasBadProfile = true
                    }
                }
            case 0xDA:
                scanComponents = segment.byte() ?? 0
                join(parts)
                return
            // Without a length; not before a scan.
            case 0, 1, 0xD0...0xD9: return nil
            default: break
            }
            guard reader.skip(length - 2) else { return nil }
        }
        return nil
    }

    /// A part of a profile, which is not copied before all of them are checked.
    private struct ProfilePart {
        var number: Int
        /// How many parts it says there are.
        var count: Int
        var content: ByteReader
    }

    /// A byte has the number of a part, from 1 on (ICC.1, annex B.4).
    private static let maxProfileParts = 255

    private static func frame(_ segment: inout ByteReader, _ marker: Int) -> Frame? {
        guard segment.byte() == 8, let height = segment.bigEndian(2),
            let width = segment.bigEndian(2), let count = segment.byte()
        else { return nil }
        var factors: [(across: Int, down: Int)] = []
        for _ in 0..<count {
            guard segment.skip(1), let factor = segment.byte(), segment.skip(1) else { return nil }
            factors.append((factor >> 4, factor & 15))
        }
        return Frame(
            width: width, height: height, isProgressive: marker == 0xC2, factors: factors)
    }

    private mutating func join(_ parts: [ProfilePart]) {
        guard let first = parts.first, !hasBadProfile else { return }
        let sorted = parts.sorted { $0.number < $1.number }
        hasBadProfile =
            sorted.map(\.number) != Array(1...parts.count)
            || !parts.allSatisfy { $0.count == first.count } || first.count != parts.count
        if hasBadProfile { return }
        profile = sorted.flatMap { part in
            var content = part.content
            return content.bytes(content.remaining) ?? []
        }
    }

    /// Returns the number of markers that begin a scan, or look so.
    static func scans(_ original: [UInt8]) -> Int {
        original.withUnsafeBufferPointer { bytes in
            var count = 0
            for index in bytes.indices.dropLast() where bytes[index] == 0xFF {
                if bytes[index + 1] == 0xDA { count += 1 }
            }
            return count
        }
    }
}
