import Hashing

/// Percent-decoding of paths and queries, as requests may have them (RFC 3986). Pure.
enum PercentEncoding {
    /// The text can't be decoded, or hides characters that are not allowed.
    struct Malformed: Error, Equatable {
        /// One sentence.
        var reason: String
    }

    /// Decodes one segment of a path. Rejects `.`, `..`, encoded slashes and control characters, so
    /// that routing sees exactly what was validated.
    static func decodeSegment(_ raw: Substring) throws(Malformed) -> String {
        guard let text = PercentCoding.decoded(raw) else {
            throw Malformed(reason: "The path has broken percent-encoding.")
        }
        guard text != ".", text != ".." else {
            throw Malformed(reason: "The path must not contain “.” or “..” segments.")
        }
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f })
        else {
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
            guard let name = PercentCoding.decoded(halves[0], isForm: true),
                let value = PercentCoding.decoded(
                    halves.count > 1 ? halves[1] : "", isForm: true)
            else { throw Malformed(reason: "The query has broken percent-encoding.") }
            guard !(name + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                throw Malformed(reason: "The query must not contain control characters.")
            }
            pairs.append((name, value))
        }
        return pairs
    }
}
