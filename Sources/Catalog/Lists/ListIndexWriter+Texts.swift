extension ListIndexWriter {
    /// Writes what is searched: the texts of the rows in their order, where each block of them begins, and the
    /// signatures. Call it once the offsets are written, and the number of rows is known.
    ///
    /// - Parameter isDouble: returns whether a row is left out.
    mutating func writeTexts(_ isDouble: (UInt64) -> Bool) throws(UnreadableList) {
        head.textBlocks = ListTexts.blocks(ofRows: head.rows)
        head.signatures = head.table + head.slots * 8
        // Their size follows from the number of rows, so that each segment is written once it is full.
        head.texts = head.signatures + ListTexts.signatureBytes(head.textBlocks)
        var signatures = ListSignatures(head.textBlocks)
        var place = head.signatures
        var ends: [UInt64] = [head.texts]
        var block: [UInt8] = []
        var pending: [UInt8] = []
        var (count, end): (UInt64, UInt64) = (0, head.texts)
        let output = output
        func close() throws(UnreadableList) {
            pending += block
            end += UInt64(block.count)
            ends.append(end)
            if let segment = signatures.add(block) {
                try Self.write(segment, to: output, at: place)
                place += UInt64(segment.count)
            }
            block = []
            if pending.count >= Self.pieceBytes {
                try Self.write(pending, to: output, at: end - UInt64(pending.count))
                pending = []
            }
        }
        try forEachRow { row, offset, _ throws(UnreadableList) in
            if isDouble(row) { return }
            block += ListTexts.line(of: try picture(at: offset))
            count += 1
            if count % ListTexts.rows == 0 { try close() }
        }
        if !block.isEmpty { try close() }
        try Self.write(pending, to: output, at: end - UInt64(pending.count))
        if let segment = signatures.rest() { try Self.write(segment, to: output, at: place) }
        head.directory = (end + 7) / 8 * 8
        try Self.write([UInt8](littleEndian: ends), to: output, at: head.directory)
        head.sums = head.directory + UInt64(ends.count) * 8
    }
}

/// Signatures of blocks, as they are made. Pure.
private struct ListSignatures {
    private let blocks: UInt64
    /// The first block of the segment.
    private var first: UInt64 = 0
    private var count: UInt64 = 0
    /// The columns of the segment; empty if a list has no signatures.
    private var bits: [UInt8] = []

    init(_ blocks: UInt64) {
        self.blocks = blocks
        begin()
    }

    private var columnBytes: UInt64 { ListTexts.columnBytes(blocks, from: first) }

    private mutating func begin() {
        guard blocks > ListTexts.fewest, first < blocks else {
            bits = []
            return
        }
        bits = [UInt8](repeating: 0, count: Int(ListTexts.columns * columnBytes))
    }

    /// Adds the next block. Returns the columns of a segment that has all its blocks now.
    mutating func add(_ block: [UInt8]) -> [UInt8]? {
        if bits.isEmpty { return nil }
        let (place, size) = (Int(count - first), Int(columnBytes))
        for column in ListTexts.columns(of: block[...]) {
            bits[column * size + place / 8] |= 1 << UInt8(place % 8)
        }
        count += 1
        guard count - first == ListTexts.segment else { return nil }
        let full = bits
        first = count
        begin()
        return full
    }

    /// Returns the columns of the last segment.
    func rest() -> [UInt8]? { bits.isEmpty || count == first ? nil : bits }
}
