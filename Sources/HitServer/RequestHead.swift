/// The head of a request that was read strictly (``RequestScan``), as text.
package struct RequestHead: Sendable {
    package var method: String
    /// As sent.
    package var target: String
    /// In their order, values without the blanks around them.
    package var fields: [(name: String, value: String)] = []

    /// Returns nil if the bytes are not a head.
    package init?(_ bytes: some Collection<UInt8>) {
        func text(_ bytes: some Collection<UInt8>) -> String {
            String(decoding: bytes, as: UTF8.self)
        }
        let (blank, colon) = (UInt8(ascii: " "), UInt8(ascii: ":"))
        var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
        // Empty lines before a request are forgiven (RFC 9112, section 2.2).
        lines = lines.drop { $0.count < 2 }
        guard let words = lines.popFirst()?.split(separator: blank), words.count == 3 else {
            return nil
        }
        (method, target) = (text(words[0]), text(words[1]))
        for line in lines {
            let line = line.dropLast()
            if line.isEmpty { break }
            guard let end = line.firstIndex(of: colon) else { return nil }
            let isBlank = { (byte: UInt8) in byte == blank || byte == UInt8(ascii: "\t") }
            let rest = line[line.index(after: end)...].drop(while: isBlank)
            let count = rest.reversed().drop(while: isBlank).count
            fields.append((text(line[..<end]), text(rest.prefix(count))))
        }
    }

    /// Returns the value of the first field of that name, given in lower case.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }
}
