import FoundationEssentials

/// Where a URL begins and ends in a list. Pure.
enum ListedURL {
    private static let pictureEndings = [
        "jpg", "jpeg", "png", "webp", "avif", "gif", "svg", "tif", "tiff", "jxl", "heic", "heif",
        "bmp", "jp2",
    ]

    /// Returns whether a value is an absolute http or https URL, perhaps with others behind it.
    static func isURL(_ value: String) -> Bool {
        let start = value.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
            || value.hasPrefix("//") && value.dropFirst(2).prefix { $0 != "/" }.contains(".")
    }

    /// Returns whether all of a plain line is one URL, or has none.
    ///
    /// A comma or semicolon belongs to the URL if a path continues behind it, such as
    /// `/full/400,/0/default.jpg`, or a parameter such as `?size=3,4&w=2`, and if the part before it
    /// doesn't end like the name of a picture.
    static func isWholeLine(_ line: String) -> Bool {
        guard let scheme = line.schemeMark else { return true }
        let isFirst = line[..<scheme.lowerBound].utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        }
        let words = line.split(whereSeparator: \.isWhitespace)
        guard isFirst, !words.dropFirst().contains(where: { isURL(String($0)) }) else {
            return false
        }
        let parts = line.split(omittingEmptySubsequences: false) { ",;|\t".contains($0) }
        guard parts.count > 1, let last = parts.last else { return true }
        return !line.contains { $0.isWhitespace || $0 == "\"" }
            && !parts.dropLast().contains { isPictureName($0) }
            && (last.contains("/") || last.contains("=") || isPictureName(last))
    }

    /// Returns whether a text ends like the name of a picture, without query and fragment.
    static func isPictureName(_ text: some StringProtocol) -> Bool {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        guard let dot = path.lastIndex(of: ".") else { return false }
        return pictureEndings.contains(path[path.index(after: dot)...].lowercased())
    }

    /// Returns the first URL of a value, which may have several, as shops export galleries:
    /// `https://a/1.jpg, https://a/2.jpg`. Separators around it are not part of it.
    static func first(of value: String) -> String {
        let text = bare(value)
        guard let given = text.schemeMark,
            String(text[given.upperBound...]).schemeMark != nil
        else { return text }
        for scheme in text.ranges(of: "://").dropFirst() {
            let begin = text[..<scheme.lowerBound].utf8.lastIndex { byte in
                !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20)
            }
            guard let begin else { continue }
            // A URL before the mark, and a part of the value, and no copy of it, because a value may have any
            // number of these marks.
            guard begin >= given.upperBound else { continue }
            let head = text[...begin]
            guard let last = head.last, isSeparator(last) else { continue }
            return bare(String(head))
        }
        return text
    }

    /// Returns a URL without separators and blanks at its ends, and a path as it is.
    static func bare(_ text: String) -> String {
        if text.schemeMark == nil { return text }
        var rest = text[...]
        while let last = rest.last, isSeparator(last) { rest.removeLast() }
        while let first = rest.first, isSeparator(first) { rest.removeFirst() }
        return String(rest)
    }

    private static func isSeparator(_ character: Character) -> Bool {
        ",;|".contains(character) || character.isWhitespace
    }
}
