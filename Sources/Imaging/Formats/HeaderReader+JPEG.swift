extension HeaderReader {
    /// Reads the segments of a JPEG up to its first scan (ITU-T T.81, annex B): size, kind, orientation, and
    /// whether its planes can be used as they are.
    static func jpeg(_ original: [UInt8]) throws(ImagingError) -> Header {
        var reader = ByteReader(original)
        var orientation: Orientation?
        var found: (header: Header, marker: Int, factors: [(across: Int, down: Int)])?
        var planes = JPEGPlanes()
        _ = reader.skip(2)
        var room = maxStray + 2 * Header.maxParts
        for _ in 0..<Header.maxParts {
            let before = reader
            guard let marker = nextMarker(&reader, &room) else { break }
            if !before.starts(with: 0xFF) { planes.isUsual = false }
            switch marker {
            case 0x01, 0xD0...0xD8:
                planes.isUsual = false
                continue
            case 0xD9, 0xDA:
                guard found != nil else {
                    throw .broken(reason: "the JPEG has no frame header before its data")
                }
            default: break
            }
            guard let length = reader.bigEndian(2), length >= 2 else {
                if found != nil { break }
                throw .broken(reason: "the JPEG ends or goes wrong within its header")
            }
            var segment = reader.part(length - 2)
            if marker == 0xDA {
                guard var found else { break }
                planes.scanComponents = segment.byte() ?? 0
                let usable = planes.sampling(
                    of: original, found.header, found.marker, found.factors)
                found.header.planes = usable?.sampling
                found.header.planesNeedProfile = usable?.needsProfile ?? false
                return found.header
            }
            if isFrame(marker) {
                if found == nil {
                    let (header, factors) = try frame(
                        segment, marker, orientation ?? .upright)
                    found = (header, marker, factors)
                } else {
                    planes.isUsual = false
                }
            }
            if marker == 0xE1, orientation == nil {
                orientation = exif(segment)
                // It may follow the frame.
                if let orientation { found?.header.orientation = orientation }
            }
            if marker == 0xE2 { planes.addProfilePart(segment) }
            guard reader.skip(length - 2) else { break }
        }
        guard let found else { throw .broken(reason: "the JPEG ends within its header") }
        return found.header
    }

    /// Returns the profile of a JPEG whose header was read; nil without one.
    static func jpegProfile(_ original: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(original)
        var planes = JPEGPlanes()
        _ = reader.skip(2)
        var room = maxStray + 2 * Header.maxParts
        for _ in 0..<Header.maxParts {
            guard let marker = nextMarker(&reader, &room), marker != 0xDA else { break }
            guard let length = reader.bigEndian(2), length >= 2 else { break }
            if marker == 0xE2 { planes.addProfilePart(reader.part(length - 2)) }
            guard reader.skip(length - 2) else { break }
        }
        return planes.profile
    }

    /// Limit of stray bytes between segments.
    private static let maxStray = 65_536

    /// Returns the next marker; like libjpeg, skips stray bytes between segments.
    ///
    /// - Parameter room: bytes that may still be read.
    private static func nextMarker(_ reader: inout ByteReader, _ room: inout Int) -> Int? {
        var isMarked = false
        while room > 0, let byte = reader.byte() {
            room -= 1
            if byte == 0xFF {
                isMarked = true
                continue
            }
            if isMarked, byte != 0 { return byte }
            isMarked = false
        }
        return nil
    }

    /// Whether a marker is one of SOF0…SOF15; DHT, JPG and DAC lie among them.
    private static func isFrame(_ marker: Int) -> Bool {
        0xC0...0xCF ~= marker && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    private static func frame(
        _ segment: ByteReader, _ marker: Int, _ orientation: Orientation
    ) throws(ImagingError) -> (Header, factors: [(across: Int, down: Int)]) {
        var segment = segment
        guard
            let precision = segment.byte(), let height = segment.bigEndian(2),
            let width = segment.bigEndian(2)
        else { throw .broken(reason: "the JPEG ends within its frame header") }
        switch marker {
        case 0xC3, 0xC7, 0xCB, 0xCF: throw .unsupported(format: "Lossless JPEG")
        case 0xC5, 0xC6, 0xCD, 0xCE: throw .unsupported(format: "Hierarchical JPEG")
        default: break
        }
        if precision != 8 { throw .unsupported(format: "JPEG with \(precision) bits") }
        var header = Header(
            format: .jpeg, width: width, height: height, orientation: orientation,
            isProgressive: marker == 0xC2 || marker == 0xCA)
        let factors = try factors(&segment)
        let (across, down) = (factors.map(\.across).max() ?? 1, factors.map(\.down).max() ?? 1)
        // Per pixel.
        header.samples =
            factors.reduce(0) { $0 + Double($1.across * $1.down) } / Double(across * down)
        header.isInk = factors.count == 4
        return (header, factors)
    }

    /// Returns the samples of each component per block of the frame.
    private static func factors(
        _ frame: inout ByteReader
    ) throws(ImagingError) -> [(across: Int, down: Int)] {
        guard let components = frame.byte() else {
            throw .broken(reason: "the JPEG ends within its frame header")
        }
        guard 1...4 ~= components else {
            throw .unsupported(format: "JPEG with \(components) colors")
        }
        var areas: [(across: Int, down: Int)] = []
        for _ in 0..<components {
            guard frame.skip(1), let factors = frame.byte(), frame.skip(1) else {
                throw .broken(reason: "the JPEG ends within its frame header")
            }
            areas.append((factors >> 4, factors & 15))
        }
        guard areas.allSatisfy({ 1...4 ~= $0.across && 1...4 ~= $0.down }) else {
            throw .broken(reason: "the JPEG has impossible sampling factors")
        }
        return areas
    }

    /// Returns nil if the segment has no EXIF. The first segment with EXIF counts.
    private static func exif(_ segment: ByteReader) -> Orientation? {
        var segment = segment
        guard segment.take("Exif\0"), segment.skip(1) else { return nil }
        return Orientation.read(exif: segment) ?? .upright
    }
}
