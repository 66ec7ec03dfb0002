/// Percent-encoding of paths and queries (RFC 3986). Pure.
enum PercentEncoding {
    /// The text can't be decoded, or hides characters that are not allowed.
    struct Malformed: Error, Equatable {
        /// One sentence.
        var reason: String
    }

    /// Decodes one segment of a path. Rejects `.`, `..`, encoded slashes and control characters, so
    /// that routing sees exactly what was validated.
    static func decodeSegment(_ raw: Substring) throws(Malformed) -> String {
        guard let bytes = decode(raw, plusIsSpace: false), let text = text(bytes) else {
            throw Malformed(reason: "The path has broken percent-encoding.")
        }
        guard text != ".", text != ".." else {
            throw Malformed(reason: "The path must not contain “.” or “..” segments.")
        }
        guard !bytes.contains(where: { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f }) else {
            throw Malformed(
                reason: "The path must not contain an encoded slash or control characters.")
        }
        return text
    }

    /// Decodes a segment that may contain encoded slashes. Each part between them is checked like a
    /// segment.
    static func decodeSegments(_ raw: Substring) throws(Malformed) -> String {
        var parts: [String] = []
        for part in raw.replacing("%2f", with: "%2F").split(
            separator: "%2F", omittingEmptySubsequences: false)
        {
            parts.append(try decodeSegment(part))
        }
        return parts.joined(separator: "/")
    }

    /// Returns all name and value pairs in order, including repeated names.
    static func decodeQuery(_ query: Substring) throws(Malformed) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for part in query.split(separator: "&") {
            let halves = part.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(halves[0], plusIsSpace: true).flatMap(text),
                let value = decode(halves.count > 1 ? halves[1] : "", plusIsSpace: true)
                    .flatMap(text)
            else { throw Malformed(reason: "The query has broken percent-encoding.") }
            guard !(name + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                throw Malformed(reason: "The query must not contain control characters.")
            }
            pairs.append((name, value))
        }
        return pairs
    }

    /// Encodes a path. Slashes and RFC 3986's unreserved characters stay.
    static func encodePath(_ path: String) -> String {
        encode(path) { $0 == UInt8(ascii: "/") }
    }

    static func encodeQueryValue(_ value: String) -> String {
        encode(value) { _ in false }
    }

    private static func encode(_ text: String, keeping: (UInt8) -> Bool) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where keeping(byte):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                result += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return result
    }

    private static func text(_ bytes: [UInt8]) -> String? {
        String(validating: bytes, as: UTF8.self)
    }

    private static func decode(_ raw: Substring, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = raw.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue),
                    let low = rest.popFirst().flatMap(hexValue)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
