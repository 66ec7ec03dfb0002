/// What is searched in a list: the folded titles and ids of its rows, in blocks, with signatures that say which
/// blocks can't have a word. Pure.
///
/// A block has the lines of ``rows`` rows. Each line is the title, ``separator`` and the id, and ends with a line
/// feed. Signatures are kept by columns: a column has a bit for each block of a segment, so that a search reads a
/// column for each three bytes of its words, and the blocks that all of them leave.
enum ListTexts {
    /// Rows of a block.
    static let rows: UInt64 = 128
    /// Between the title and the id of a row.
    static let separator = UInt8(ascii: "\u{1F}")
    static let lineFeed = UInt8(ascii: "\n")
    /// Columns of signatures. A block of 128 titles has some 3,000 different groups of three bytes.
    static let columns: UInt64 = 8_192
    /// Blocks of a segment: its columns have 1 KiB, and all of them 8 MiB, which are in memory while they are made.
    static let segment: UInt64 = 8_192
    /// Lists with fewer blocks have no signatures: reading all of them takes less than a millisecond.
    static let fewest: UInt64 = 64

    /// Returns the blocks of a list.
    static func blocks(ofRows count: UInt64) -> UInt64 { (count + rows - 1) / rows }

    /// Returns the bytes of a column of the segment that begins with a block.
    static func columnBytes(_ blocks: UInt64, from first: UInt64) -> UInt64 {
        (min(segment, blocks - first) + 63) / 64 * 8
    }

    /// Returns the bytes of all signatures.
    static func signatureBytes(_ blocks: UInt64) -> UInt64 {
        guard blocks > fewest else { return 0 }
        var bytes: UInt64 = 0
        var first: UInt64 = 0
        while first < blocks {
            bytes += columns * columnBytes(blocks, from: first)
            first += segment
        }
        return bytes
    }

    /// Returns the columns of a text: one for each three bytes. Lines are not crossed.
    static func columns(of text: ArraySlice<UInt8>) -> Set<Int> {
        var found: Set<Int> = []
        var group: UInt32 = 0
        var length = 0
        for byte in text {
            if byte == lineFeed || byte == separator {
                length = 0
                continue
            }
            group = (group << 8 | UInt32(byte)) & 0xFF_FFFF
            length += 1
            if length >= 3 { found.insert(Int((group &* 0x9E37_79B1) >> 19)) }
        }
        return found
    }

    /// Returns a text without case, accents and control characters, as it is searched.
    static func folded(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if bytes.contains(where: { $0 >= 0x80 }) { bytes = Array(NormalizedText(text).text.utf8) }
        for place in bytes.indices {
            switch bytes[place] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes[place] |= 0x20
            case ..<0x20, 0x7F: bytes[place] = UInt8(ascii: " ")
            default: break
            }
        }
        return bytes
    }

    /// Returns the line of a row.
    static func line(of picture: ListedPicture) -> [UInt8] {
        folded(picture.shownTitle) + [separator] + folded(picture.id ?? "") + [lineFeed]
    }
}

extension ListedPicture {
    /// The title, or what stands for it.
    var shownTitle: String { title ?? id ?? SignedURL.place(of: place) }
}
