/// The fields of a response head.
struct ResponseHead {
    let fields: [(name: String, value: String)]

    /// Reads `name: value` lines; the status line and the empty line are no fields.
    init(_ bytes: [UInt8]) {
        fields = bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.field)
    }

    private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
        guard !line.starts(with: "HTTP/".utf8),
            let colon = line.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return (
            name: String(decoding: line[..<colon], as: UTF8.self),
            value: String(decoding: trimmed(line[(colon + 1)...]), as: UTF8.self)
        )
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
        var bytes = bytes.drop(while: blank)
        while let last = bytes.last, blank(last) { bytes.removeLast() }
        return bytes
    }

    /// The first field of that name, given in lower case.
    func first(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }
}
