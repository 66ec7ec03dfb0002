import FoundationEssentials

/// Tells a URL that contains commas from a URL with further columns behind it. Pure.
enum ListedURL {
    private static let pictureEndings = [
        "jpg", "jpeg", "png", "webp", "avif", "gif", "svg", "tif", "tiff", "jxl", "heic", "heif",
        "bmp", "jp2",
    ]

    /// Returns why it is unknown where the URL of a plain line begins or ends; nil if all of the line
    /// is the URL, or if it has none.
    ///
    /// A comma or semicolon belongs to the URL if a path goes on behind it, such as
    /// `/full/400,/0/default.jpg`, or a parameter such as `?size=3,4&w=2`, and if the part before it
    /// doesn't end like the name of a picture.
    static func ambiguity(of line: String) -> String? {
        guard let scheme = line.firstRange(of: "://") else { return nil }
        let isFirst = line[..<scheme.lowerBound].utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        }
        guard isFirst else {
            return "its URL is not its first part; \(way)"
        }
        let parts = line.split(omittingEmptySubsequences: false) { ",;\t".contains($0) }
        guard parts.count > 1, let last = parts.last else { return nil }
        let isOne =
            !line.contains { $0.isWhitespace || $0 == "\"" }
            && !parts.dropLast().contains { isPictureName($0) }
            && (last.contains("/") || last.contains("=") || isPictureName(last))
        return isOne ? nil : "it has something behind its URL; \(way)"
    }

    private static let way =
        "begin the list with the names of its columns, such as url,title, or with “url” if every "
        + "line is nothing but a URL"

    /// Returns whether a text ends like the name of a picture, without query and fragment.
    private static func isPictureName(_ text: Substring) -> Bool {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        guard let dot = path.lastIndex(of: ".") else { return false }
        return pictureEndings.contains(path[path.index(after: dot)...].lowercased())
    }
}
