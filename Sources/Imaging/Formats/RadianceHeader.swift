/// Reads the lines before the pixels of a Radiance picture (G. Ward, "Radiance File Formats", 1997).
struct RadianceHeader {
    var width = 0
    var height = 0
    var orientation = Orientation.upright
    /// CIE XYZ instead of red, green and blue.
    var isXYZ = false

    var header: Header {
        Header(format: .hdr, width: width, height: height, orientation: orientation)
    }

    /// Limit of a header, which is a few lines; endless comments are an attack.
    private static let maxBytes = 65_536

    static func read(_ original: [UInt8]) throws(ImagingError) -> RadianceHeader {
        var header = RadianceHeader()
        var position = 0
        while position < maxBytes, let line = nextLine(original, &position) {
            if line.isEmpty {
                guard let size = nextLine(original, &position), header.take(size: size) else {
                    throw .broken(reason: "the Radiance picture has no size")
                }
                return header
            }
            guard line.hasPrefix("FORMAT=") else { continue }
            switch line.dropFirst(7) {
            case "32-bit_rle_rgbe": header.isXYZ = false
            case "32-bit_rle_xyze": header.isXYZ = true
            default: throw .unsupported(format: "This kind of Radiance picture")
            }
        }
        throw .broken(reason: "the Radiance picture ends or goes wrong within its header")
    }

    /// Returns the next line without its end; nil if it is too long or unfinished.
    private static func nextLine(_ bytes: [UInt8], _ position: inout Int) -> String? {
        let rest = bytes[position..<min(bytes.count, position + 4_096)]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { position = end + 1 }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    /// Reads `-Y 480 +X 640`: the sides in the order of storage, each with its direction.
    private mutating func take(size line: String) -> Bool {
        let words = line.split(separator: " ")
        guard words.count == 4, let rows = Int(words[1]), let columns = Int(words[3]),
            rows > 0, columns > 0, rows <= Int32.max, columns <= Int32.max,
            let orientation = Self.orientations["\(words[0])\(words[2])"]
        else { return false }
        (width, height, self.orientation) = (columns, rows, orientation)
        return true
    }

    private static let orientations: [String: Orientation] = [
        "-Y+X": .upright, "-Y-X": .mirrored, "+Y-X": .turnedHalf, "+Y+X": .flipped,
        "+X-Y": .transposed, "-X-Y": .turnedRight, "-X+Y": .transversed, "+X+Y": .turnedLeft,
    ]
}
