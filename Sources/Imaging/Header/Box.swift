/// One box of a container as JPEG 2000 and JPEG XL have it (ISO/IEC 15444-1, annex I.4).
struct Box {
    var name: String
    var content: ByteReader

    /// Moves behind the next box; nil at the end and where a length can't be.
    static func next(_ reader: inout ByteReader) -> Box? {
        guard var length = reader.bigEndian(4), let code = reader.bigEndian(4) else { return nil }
        var header = 8
        if length == 1 {
            guard let high = reader.bigEndian(4), let low = reader.bigEndian(4), high < 1 << 20
            else { return nil }
            (length, header) = (high << 32 | low, 16)
        }
        // 0 reaches to the end.
        if length == 0 { length = reader.remaining + header }
        guard length >= header else { return nil }
        let name = String(
            decoding: [24, 16, 8, 0].map { UInt8(code >> $0 & 0xFF) }, as: UTF8.self)
        let content = reader.part(length - header)
        if !reader.skip(length - header) { _ = reader.skip(reader.remaining) }
        return Box(name: name, content: content)
    }
}
