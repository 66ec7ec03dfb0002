/// Tags and texts of a well-formed XML document, with the place of each; every parser that follows
/// the standard sees the same. What isn't well-formed, or can mean more than it says, is refused.
struct XMLReader {
    struct Attribute {
        /// Without the prefix of its namespace, in lower case.
        var name: String
        /// References resolved.
        var value: String
        /// Name, `=` and the quoted value.
        var range: Range<Int>
    }

    enum Token {
        /// The name is without prefix and in lower case.
        case open(name: String, [Attribute])
        case close
        /// Character data as it stands, references not resolved.
        case text(Range<Int>)
        case instruction(name: String, Range<Int>)
    }

    private let bytes: [UInt8]
    private var at: Int
    /// An empty element is an opening and a closing token.
    private var owesClose = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func next() throws(ImagingError) -> Token? {
        if owesClose {
            owesClose = false
            return .close
        }
        while at < bytes.count {
            let start = at
            guard bytes[at] == UInt8(ascii: "<") else {
                at = bytes[at...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                return .text(start..<at)
            }
            if starts(with: "<!--") {
                _ = try pass("-->")
            } else if starts(with: "<![CDATA[") {
                at += 9
                return .text(try pass("]]>"))
            } else if starts(with: "<?") {
                let name = self.name(at + 2)
                _ = try pass("?>")
                return .instruction(name: name, start..<at)
            } else if starts(with: "<!") {
                try passDocumentType()
            } else if starts(with: "</") {
                _ = try pass(">")
                return .close
            } else {
                return try open()
            }
        }
        return nil
    }

    /// The five names and the numbers that XML knows without a document type.
    static func resolved(_ raw: ArraySlice<UInt8>) throws(ImagingError) -> String {
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        var text = ""
        for (index, part) in String(decoding: raw, as: UTF8.self)
            .split(separator: "&", omittingEmptySubsequences: false).enumerated()
        {
            guard index > 0 else {
                text += part
                continue
            }
            guard let end = part.firstIndex(of: ";") else { throw malformed }
            text.unicodeScalars.append(try scalar(part[..<end]))
            text += part[part.index(after: end)...]
        }
        return text
    }

    private static func scalar(_ name: Substring) throws(ImagingError) -> Unicode.Scalar {
        if name.hasPrefix("#") {
            let isHex = name.hasPrefix("#x")
            let number = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
            guard let scalar = number.flatMap(Unicode.Scalar.init) else { throw malformed }
            return scalar
        }
        let named: [Substring: Unicode.Scalar] = [
            "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
        ]
        guard let scalar = named[name] else {
            throw .unsupported(format: "SVG with entities of its own")
        }
        return scalar
    }

    private static let malformed = ImagingError.broken(reason: "the SVG is not well-formed XML")

    /// Moves behind `mark`; returns what lies before it.
    private mutating func pass(_ mark: StaticString) throws(ImagingError) -> Range<Int> {
        let start = at
        while at < bytes.count {
            if starts(with: mark) {
                defer { at += mark.utf8CodeUnitCount }
                return start..<at
            }
            at += 1
        }
        throw .broken(reason: "the SVG ends too early")
    }

    /// A document type that only names a public one: nobody fetches that. One that declares something
    /// is where the bombs are.
    private mutating func passDocumentType() throws(ImagingError) {
        let range = try pass(">")
        guard starts("<!DOCTYPE", at: range.lowerBound),
            !bytes[range].contains(UInt8(ascii: "["))
        else { throw .unsupported(format: "SVG with declarations in its document type") }
    }

    private mutating func open() throws(ImagingError) -> Token {
        let name = self.name(at + 1)
        at = nameEnd(at + 1)
        var attributes: [Attribute] = []
        while true {
            skipSpace()
            guard at < bytes.count else { throw .broken(reason: "the SVG ends within a tag") }
            if bytes[at] == UInt8(ascii: ">") {
                at += 1
                return .open(name: name, attributes)
            }
            if starts(with: "/>") {
                at += 2
                owesClose = true
                return .open(name: name, attributes)
            }
            guard attributes.count < 200 else {
                throw .unsupported(format: "SVG with hundreds of attributes in a tag")
            }
            attributes.append(try attribute())
        }
    }

    private mutating func attribute() throws(ImagingError) -> Attribute {
        let start = at
        let name = self.name(at)
        at = nameEnd(at)
        skipSpace()
        guard at > start, at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
            throw Self.malformed
        }
        at += 1
        skipSpace()
        guard at < bytes.count, bytes[at] == 0x22 || bytes[at] == 0x27,
            let end = bytes[(at + 1)...].firstIndex(of: bytes[at])
        else { throw Self.malformed }
        let raw = bytes[(at + 1)..<end]
        guard !raw.contains(UInt8(ascii: "<")) else { throw Self.malformed }
        at = end + 1
        return Attribute(name: name, value: try Self.resolved(raw), range: start..<at)
    }

    private func nameEnd(_ start: Int) -> Int {
        bytes[start...].firstIndex { Self.isSpace($0) || [0x3D, 0x3E, 0x2F, 0x3F].contains($0) }
            ?? bytes.count
    }

    private func name(_ start: Int) -> String {
        let name = bytes[start..<nameEnd(start)]
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        return String(decoding: local, as: UTF8.self).lowercased()
    }

    private mutating func skipSpace() {
        while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 }
    }

    private func starts(with mark: StaticString) -> Bool { starts(mark, at: at) }

    private func starts(_ mark: StaticString, at place: Int) -> Bool {
        guard place + mark.utf8CodeUnitCount <= bytes.count else { return false }
        return mark.withUTF8Buffer { $0.elementsEqual(bytes[place..<place + $0.count]) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
}
