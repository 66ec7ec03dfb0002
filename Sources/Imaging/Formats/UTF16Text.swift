/// XML in UTF-16 (XML 1.0, appendix F).
enum UTF16Text {
    enum Order {
        case little, big
    }

    /// Returns the order of the bytes of a text in UTF-16, by its mark or its first `<`; nil for another text.
    static func order(of bytes: [UInt8]) -> Order? {
        guard bytes.count >= 4 else { return nil }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        // Of UTF-32, which no browser reads.
        case (0xFF, 0xFE, 0, 0): return nil
        case (0xFF, 0xFE, _, _): return .little
        case (0xFE, 0xFF, _, _): return .big
        case (0x3C, 0, 1..., 0): return .little
        case (0, 0x3C, 0, 1...): return .big
        default: return nil
        }
    }

    /// Returns a byte for each unit of a text: those of ASCII, and question marks.
    static func letters(of bytes: ArraySlice<UInt8>, _ order: Order) -> [UInt8] {
        var letters: [UInt8] = []
        letters.reserveCapacity(bytes.count / 2)
        forEachUnit(of: bytes, order) { letters.append($0 < 0x80 ? UInt8($0) : 0x3F) }
        return letters
    }

    /// Returns a text in UTF-8 without the encoding that its declaration names; as it is if it is not in UTF-16.
    ///
    /// - Throws: ``ImagingError/broken(reason:)`` for half a character.
    static func utf8(of bytes: [UInt8]) throws(ImagingError) -> [UInt8] {
        guard let order = order(of: bytes) else { return bytes }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        forEachUnit(of: bytes[...], order) { units.append($0) }
        guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
            throw .broken(reason: "its UTF-16 text is damaged")
        }
        var result = Array(text.utf8)
        guard let start = result.first("<?xml ", from: 0), start < 64,
            let end = result.first("?>", from: start),
            let name = result.first("encoding", from: start, to: end)
        else { return result }
        // Up to the end of its quoted value.
        let quotes: [UInt8] = [0x22, 0x27]
        guard let open = result[name..<end].firstIndex(where: quotes.contains),
            let close = result[(open + 1)..<end].firstIndex(of: result[open])
        else { return result }
        for index in name...close { result[index] = 0x20 }
        return result
    }

    /// Leaves out the mark.
    private static func forEachUnit(
        of bytes: ArraySlice<UInt8>, _ order: Order, _ body: (UInt16) -> Void
    ) {
        var at = bytes.startIndex
        while at + 1 < bytes.endIndex {
            let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
            let unit = order == .little ? second << 8 | first : first << 8 | second
            if unit != 0xFEFF || at > bytes.startIndex { body(unit) }
            at += 2
        }
    }
}
