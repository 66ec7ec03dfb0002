import FoundationEssentials

/// base64url without padding (RFC 4648, section 5). Pure.
package enum Base64URL {
    /// Returns the encoded bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        let standard = Data(bytes).base64EncodedData()
        let digits = standard.filter { $0 != UInt8(ascii: "=") }.map { digit in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: digit
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns the bytes; `nil` for any text that ``encode(_:)`` would not have written.
    package static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy(isDigit) else { return nil }
        var standard = text.utf8.map { digit in
            switch digit {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: digit
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        guard let data = Data(base64Encoded: Data(standard)), encode(Array(data)) == text
        else { return nil }
        return Array(data)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
