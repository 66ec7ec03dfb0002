import CVips

/// The last bytes of a picture, which say nothing of its pixels: phones and servers lose them, and browsers
/// don't miss them.
///
/// A missing pixel must still be noticed. libjpeg only warns of one before an end, and libnsgif doesn't notice, so
/// that a GIF's pixels are counted here.
enum PictureTail {
    /// Returns the picture with the end that it lacks; nil if it has one, or if more is missing than that.
    static func added(to original: [UInt8], _ format: ImageFormat) -> [UInt8]? {
        switch format {
        case .jpeg:
            guard lacksEnd(original), JPEGScans.areComplete(original) else { return nil }
            return withEnd(original)
        case .jp2: return lacksEnd(original) ? withEnd(original) : nil
        case .png: return png(original)
        case .gif: return gif(original)
        // Browsers refuse a WebP or AVIF that is shorter than it says, and a TIFF, BMP, Radiance or OpenEXR
        // picture ends with its pixels or with what says where they are.
        case .webp, .avif, .heic, .tiff, .svg, .bmp, .jxl, .exr, .hdr: return nil
        }
    }

    /// Returns whether a JPEG ends before the last of its scans does.
    static func cutsScans(_ original: [UInt8]) -> Bool {
        lacksEnd(original) && !JPEGScans.areComplete(original)
    }

    private static func lacksEnd(_ original: [UInt8]) -> Bool {
        !original.suffix(2).elementsEqual([0xFF, 0xD9])
    }

    /// Appends the marker that ends a JPEG (EOI) and a codestream of JPEG 2000 (EOC), or its second byte.
    private static func withEnd(_ original: [UInt8]) -> [UInt8] {
        original + (original.last == 0xFF ? [0xD9] : [0xFF, 0xD9])
    }

    /// Completes the last chunk with pixels and appends the one that ends a PNG. Whether the pixels are all
    /// there is up to the decoder, which inflates them.
    private static func png(_ original: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(original)
        guard reader.skip(8) else { return nil }
        var end: Int?
        while true {
            let start = reader.position
            guard let length = reader.bigEndian(4), let name = reader.bigEndian(4) else { break }
            if name == 0x4945_4E44 { return nil }
            let isPixels = name == 0x4944_4154
            if reader.skip(length), reader.skip(4) {
                if isPixels { end = reader.position }
            } else if isPixels {
                let data = min(length, original.count - start - 8)
                var whole = Array(original[..<start])
                whole += bigEndian(data) + original[(start + 4)..<(start + 8 + data)]
                whole += bigEndian(checksum(original[(start + 4)..<(start + 8 + data)]))
                return whole + pngEnd
            } else {
                break
            }
        }
        return end.map { original[..<$0] + pngEnd }
    }

    /// The chunk IEND.
    private static let pngEnd: [UInt8] = [
        0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBufferPointer { Int(vitrine_crc32($0.baseAddress, $0.count)) }
    }

    /// Ends the block of a GIF's first frame in which the file ends, if all of its pixels are there.
    private static func gif(_ original: [UInt8]) -> [UInt8]? {
        guard var frame = GIFFrame(original), frame.skipBlocks() else { return nil }
        guard GIFPixels.areComplete(frame.blocks, in: original, bits: frame.bits, frame.pixels)
        else { return nil }
        var whole = original
        if let last = frame.blocks.last, last.upperBound == original.count {
            if last.isEmpty {
                whole.removeLast()
            } else {
                whole[last.lowerBound - 1] = UInt8(last.count)
            }
        }
        return whole + [0, 0x3B]
    }
}

/// The scans of a JPEG (ITU-T T.81, annex G).
enum JPEGScans {
    /// Returns whether the scans that begin bring every coefficient of every color in full. The last one may be
    /// cut.
    static func areComplete(_ original: [UInt8]) -> Bool {
        var reader = ByteReader(original)
        guard reader.skip(2) else { return false }
        /// By the numbers of colors: bits of each coefficient that are still to come; nil for all.
        var missing: [Int: [Int?]] = [:]
        var isProgressive = false
        while let marker = nextMarker(&reader) {
            if marker == 0x01 || 0xD0...0xD8 ~= marker { continue }
            guard marker != 0xD9, let length = reader.bigEndian(2), length >= 2 else { break }
            var segment = reader.part(length - 2)
            guard reader.skip(length - 2) else { return false }
            if 0xC0...0xCF ~= marker, marker != 0xC4, marker != 0xC8, marker != 0xCC {
                isProgressive = marker == 0xC2 || marker == 0xCA
                guard segment.skip(5), let colors = segment.byte() else { return false }
                for _ in 0..<colors {
                    guard let number = segment.byte(), segment.skip(2) else { return false }
                    missing[number] = [Int?](repeating: nil, count: 64)
                }
            } else if marker == 0xDA {
                guard scan(&segment, isProgressive, &missing) else { return false }
            }
        }
        return !missing.isEmpty && missing.values.allSatisfy { $0.allSatisfy { $0 == 0 } }
    }

    private static func scan(
        _ segment: inout ByteReader, _ isProgressive: Bool, _ missing: inout [Int: [Int?]]
    ) -> Bool {
        guard let count = segment.byte() else { return false }
        var colors: [Int] = []
        for _ in 0..<count {
            guard let number = segment.byte(), segment.skip(1) else { return false }
            colors.append(number)
        }
        guard let first = segment.byte(), let last = segment.byte(), let bits = segment.byte()
        else { return false }
        for number in colors {
            if !isProgressive {
                missing[number]? = [Int?](repeating: 0, count: 64)
            } else if first <= last, last < 64 {
                for index in first...last { missing[number]?[index] = bits & 15 }
            }
        }
        return true
    }

    /// Returns the next marker, behind the data of a scan.
    private static func nextMarker(_ reader: inout ByteReader) -> Int? {
        var isMarked = false
        while let byte = reader.byte() {
            if byte == 0xFF {
                isMarked = true
            } else {
                if isMarked, byte != 0 { return byte }
                isMarked = false
            }
        }
        return nil
    }
}

/// The first frame of a GIF (GIF89a specification).
private struct GIFFrame {
    /// Bits of a pixel's color.
    private(set) var bits = 0
    private(set) var pixels = 0
    /// The places of the data of its blocks. The last one may be cut.
    private(set) var blocks: [Range<Int>] = []
    private var reader: ByteReader

    /// Returns nil if the file ends before the frame's data.
    init?(_ original: [UInt8]) {
        reader = ByteReader(original)
        guard reader.skip(10), let flags = reader.byte(), reader.skip(2),
            reader.skip(Self.colors(flags))
        else { return nil }
        while let kind = reader.byte() {
            if kind == 0x21 {
                guard reader.skip(1) else { return nil }
                while let size = reader.byte(), size > 0 {
                    guard reader.skip(size) else { return nil }
                }
            } else if kind == 0x2C {
                guard reader.skip(4), let width = reader.littleEndian(2),
                    let height = reader.littleEndian(2), let flags = reader.byte(),
                    reader.skip(Self.colors(flags)), let bits = reader.byte()
                else { return nil }
                self.bits = bits
                pixels = width * height
                return
            }
        }
        return nil
    }

    /// Goes to the end of the file; returns false if the frame ends before.
    mutating func skipBlocks() -> Bool {
        while let size = reader.byte() {
            if size == 0 { return false }
            let there = min(size, reader.remaining)
            blocks.append(reader.position..<reader.position + there)
            _ = reader.skip(there)
        }
        return true
    }

    private static func colors(_ flags: Int) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << ((flags & 7) + 1)
    }
}

/// Counts the pixels of a GIF's frame, without decoding them.
private enum GIFPixels {
    /// Returns whether the codes in the blocks stand for at least that number of pixels.
    static func areComplete(
        _ blocks: [Range<Int>], in original: [UInt8], bits: Int, _ wanted: Int
    ) -> Bool {
        guard 1...11 ~= bits else { return false }
        let clear = 1 << bits
        // Pixels that each code stands for.
        var lengths = [Int](repeating: 1, count: 4_096)
        var (width, next, before) = (bits + 1, clear + 2, Int?.none)
        var (held, count, pixels) = (0, 0, 0)
        for block in blocks {
            for byte in original[block] {
                held |= Int(byte) << count
                count += 8
                while count >= width {
                    let code = held & ((1 << width) - 1)
                    held >>= width
                    count -= width
                    if code == clear {
                        (width, next, before) = (bits + 1, clear + 2, nil)
                        continue
                    }
                    if code == clear + 1 { return pixels >= wanted }
                    guard code < next || (code == next && before != nil) else { return false }
                    if let before, next < 4_096 {
                        lengths[next] = lengths[before] + 1
                        next += 1
                        if next == 1 << width, width < 12 { width += 1 }
                    }
                    pixels += lengths[code]
                    before = code
                    if pixels >= wanted { return true }
                }
            }
        }
        return pixels >= wanted
    }
}
