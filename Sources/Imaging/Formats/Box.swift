/// One box of a container: JPEG 2000, JPEG XL (ISO/IEC 15444-1, annex I.4), AVIF and HEIC
/// (ISO/IEC 14496-12, section 4.2).
struct Box {
    var name: Name
    var content: ByteReader

    /// The four characters of a box's type.
    struct Name: Equatable, ExpressibleByStringLiteral {
        let code: Int

        init(code: Int) { self.code = code }

        init(stringLiteral text: StaticString) {
            code = text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
        }
    }

    /// Reads the next box and moves behind it; nil at the end and for an impossible length.
    static func next(_ reader: inout ByteReader) -> Box? {
        guard var length = reader.bigEndian(4), let code = reader.bigEndian(4) else { return nil }
        var header = 8
        if length == 1 {
            guard let high = reader.bigEndian(4), let low = reader.bigEndian(4), high < 1 << 20
            else { return nil }
            (length, header) = (high << 32 | low, 16)
        }
        // 0 means up to the end.
        if length == 0 { length = reader.remaining + header }
        guard length >= header else { return nil }
        let content = reader.part(length - header)
        if !reader.skip(length - header) { _ = reader.skip(reader.remaining) }
        return Box(name: Name(code: code), content: content)
    }

    /// Returns the first box of a name, among at most ``Header/maxParts``.
    static func first(_ name: Name, in reader: ByteReader) -> Box? {
        var reader = reader
        for _ in 0..<Header.maxParts {
            guard let box = next(&reader) else { return nil }
            if box.name == name { return box }
        }
        return nil
    }

    /// Returns all boxes, at most ``Header/maxParts``.
    static func all(in reader: ByteReader) -> [Box] {
        var reader = reader
        var boxes: [Box] = []
        while boxes.count < Header.maxParts, let box = next(&reader) { boxes.append(box) }
        return boxes
    }
}

extension Box {
    /// Version, flags and the content behind them; nil if the box is too short.
    var full: (version: Int, flags: Int, content: ByteReader)? {
        var reader = content
        guard let version = reader.byte(), let flags = reader.bigEndian(3) else { return nil }
        return (version, flags, reader)
    }
}
