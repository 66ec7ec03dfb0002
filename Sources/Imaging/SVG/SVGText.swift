/// Small readings in attribute values and style sheets.
enum SVGText {
    /// Contents of all `url(…)`, without quotes and space, with where each stands.
    static func urls(_ bytes: ArraySlice<UInt8>) -> [(text: String, range: Range<Int>)] {
        var found: [(String, Range<Int>)] = []
        let mark = Array("url(".utf8)
        var at = bytes.startIndex
        while at + mark.count <= bytes.endIndex {
            let isMark = zip(mark, bytes[at...]).allSatisfy { $0 == $1 | ($1 >= 0x41 ? 0x20 : 0) }
            guard isMark else {
                at += 1
                continue
            }
            let start = at + mark.count
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ")")) ?? bytes.endIndex
            let text = bytes[start..<end].filter { ![0x20, 9, 10, 13, 0x22, 0x27].contains($0) }
            found.append((String(decoding: text, as: UTF8.self), start..<end))
            at = end
        }
        return found
    }

    /// Whether a reference is to one element and nothing else: not more of a text whose quotes or
    /// brackets were misread.
    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        !text.utf8.contains { "(){};,/*<>&@%\\".utf8.contains($0) }
    }

    /// Every number, in whatever stands between them.
    static func numbers(_ text: some StringProtocol) -> [Double] {
        var found: [Double] = []
        var current = ""
        func flush() {
            if let number = Double(current), number.isFinite { found.append(number) }
            current = ""
        }
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            switch byte {
            case 0x30...0x39: current.append(character)
            case UInt8(ascii: "."):
                if current.contains(".") { flush() }
                current.append(character)
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                current.append(character)
            case UInt8(ascii: "-"), UInt8(ascii: "+"):
                if let last = current.last, last != "e", last != "E" { flush() }
                current.append(character)
            default: flush()
            }
        }
        flush()
        return found
    }

    /// The bytes of `data:image/png;base64,…`; nil where it is none of PNG and JPEG.
    static func embeddedPicture(_ url: String) -> [UInt8]? {
        guard let comma = url.utf8.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let kind = url[..<comma].lowercased()
        guard
            ["data:image/png", "data:image/jpeg", "data:image/jpg"].contains(where: kind.hasPrefix),
            kind.hasSuffix(";base64")
        else { return nil }
        return base64(url.utf8[comma...].dropFirst())
    }

    private static func base64(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (pending, bits): (UInt32, Int) = (0, 0)
        for byte in text {
            let value: UInt8
            switch byte {
            case 0x41...0x5A: value = byte - 0x41
            case 0x61...0x7A: value = byte - 0x61 + 26
            case 0x30...0x39: value = byte - 0x30 + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="), 0x20, 0x09...0x0D: continue
            default: return nil
            }
            pending = (pending << 6 | UInt32(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        return bytes
    }
}
