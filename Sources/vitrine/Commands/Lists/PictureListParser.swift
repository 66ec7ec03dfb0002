import App
import Catalog
import FoundationEssentials

/// One picture of a list.
struct ListedPicture: Sendable, Equatable {
    /// Of its first line, from 1.
    var line: Int
    /// A URL as browsers send it, or a path.
    var place: String
    var id: String?
    var title: String?
}

/// A line of a list that can't be read.
struct BadLine: Error, Equatable {
    var line: Int
    var reason: String
    /// Whether no other line can be read either: the form of the list is unknown.
    var isWholeList = false
}

/// Reads lists of pictures line by line: plain lines, CSV, TSV or JSON lines. Pure.
///
/// The first line decides. A table begins with the names of its columns, one of which is `url`. A list
/// whose first line has columns, but doesn't say which of them has the URL, is refused as a whole: a
/// tolerant origin would answer a URL with the rest of its line in it. Lines end with LF or CR LF; a
/// byte order mark is skipped. CSV follows RFC 4180, so a value in quotation marks may contain line
/// ends.
struct PictureListParser {
    private enum Form {
        case plain, json
        /// Each line is a URL, whatever it contains.
        case urls
        case table(separator: Character, Columns)
    }

    /// Positions in a table.
    private struct Columns {
        var place: Int
        var id: Int?
        var title: Int?
        var count: Int

        /// Returns nil if no column has the picture's address.
        init?(_ names: [String]) {
            let names = names.map { $0.lowercased() }
            func position(_ known: [String]) -> Int? {
                names.firstIndex { known.contains($0) }
            }
            guard let place = position(PictureListParser.placeNames) else { return nil }
            self.place = place
            id = position(PictureListParser.idNames)
            title = position(PictureListParser.titleNames)
            count = names.count
        }
    }

    private static let placeNames = [
        "url", "image_url", "imageurl", "image", "src", "path", "file",
    ]
    private static let idNames = ["id", "key", "sku"]
    private static let titleNames = ["title", "name", "caption"]
    /// A value in quotation marks that never ends would take the rest of the list.
    private static let maxRecordBytes = 1 << 20

    /// Whether a line may be a path: a first line without a URL is then not always a heading.
    private let takesPaths: Bool
    private var form: Form?
    /// The beginning of a record whose quotation mark is open.
    private var open: (line: Int, text: String)?

    init(takesPaths: Bool) {
        self.takesPaths = takesPaths
    }

    /// Returns the picture of a line; nil if the line has none, or is part of a record.
    ///
    /// - Parameter text: without its LF.
    mutating func picture(
        inLine text: String, _ number: Int
    ) throws(BadLine) -> ListedPicture? {
        var text = text
        // A Swift character may be CR with what follows, so scalars are compared.
        if text.unicodeScalars.last == "\r" { text.unicodeScalars.removeLast() }
        if number == 1, text.unicodeScalars.first == "\u{FEFF}" {
            text.unicodeScalars.removeFirst()
        }
        if text.unicodeScalars.contains("\u{FFFD}") {
            throw BadLine(line: number, reason: "it is not UTF-8")
        }
        if case .table(let separator, let columns) = form {
            return try row(text, number, separator, columns)
        }
        let bare = Self.trimmed(text)
        if bare.isEmpty || bare.hasPrefix("#") { return nil }
        if form == nil {
            let first = try form(ofFirst: bare, number)
            form = first
            switch first {
            case .table, .urls: return nil
            case .plain, .json: break
            }
        }
        switch form {
        case .json: return try object(bare, number)
        case .urls: break
        default:
            if let reason = ListedURL.ambiguity(of: bare) {
                throw BadLine(line: number, reason: reason)
            }
        }
        return ListedPicture(line: number, place: try Self.place(bare, number))
    }

    /// Call after the last line.
    ///
    /// - Throws: ``BadLine`` for a record whose quotation mark is still open.
    mutating func finish() throws(BadLine) {
        guard let open else { return }
        self.open = nil
        throw BadLine(line: open.line, reason: "a quotation mark is not closed")
    }

    /// - Throws: ``BadLine`` of the whole list.
    private func form(ofFirst line: String, _ number: Int) throws(BadLine) -> Form {
        if line.lowercased() == "url" { return .urls }
        if line.lowercased() == "\"url\"", let columns = Columns(["url"]) {
            return .table(separator: ",", columns)
        }
        for separator in Self.separators where line.contains(separator) {
            guard let cells = DelimitedLine.cells(of: line, separator)?.map(Self.trimmed) else {
                continue
            }
            if let columns = Columns(cells) { return .table(separator: separator, columns) }
        }
        if line.hasPrefix("{") { return .json }
        let cells =
            Self.separators.lazy.filter { line.contains($0) }
            .compactMap { DelimitedLine.cells(of: line, $0)?.map(Self.trimmed) }.first ?? [line]
        let isPath = takesPaths && line.contains { $0 == "/" || $0 == "." }
        if cells.count > 1, line.firstRange(of: "://") == nil, !isPath {
            throw BadLine(
                line: number,
                reason:
                    "it names \(cells.prefix(20).listed(by: "and")), and none of them is “url”; "
                    + "call the column with the URLs “url”",
                isWholeList: true)
        }
        if line.hasPrefix("\"http"), cells.count == 1 { return .json }
        if let reason = ListedURL.ambiguity(of: line) {
            throw BadLine(line: number, reason: reason, isWholeList: true)
        }
        return .plain
    }

    private static let separators: [Character] = ["\t", ",", ";"]

    private mutating func row(
        _ text: String, _ number: Int, _ separator: Character, _ columns: Columns
    ) throws(BadLine) -> ListedPicture? {
        let first = open?.line ?? number
        let record = open.map { "\($0.text)\n\(text)" } ?? text
        if open == nil, record.allSatisfy({ $0.isWhitespace && $0 != separator }) { return nil }
        guard let cells = DelimitedLine.cells(of: record, separator) else {
            if record.utf8.count > Self.maxRecordBytes {
                open = nil
                throw BadLine(line: first, reason: "a quotation mark is not closed")
            }
            open = (first, record)
            return nil
        }
        open = nil
        guard cells.count == columns.count else {
            throw BadLine(
                line: first,
                reason: "it has \(cells.count) columns, and the first line names \(columns.count)")
        }
        func value(_ column: Int?) -> String? {
            column.map { Self.trimmed(cells[$0]) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let place = value(columns.place) else {
            throw BadLine(line: first, reason: "its URL is empty")
        }
        return ListedPicture(
            line: first, place: try Self.place(place, first), id: value(columns.id),
            title: value(columns.title))
    }

    /// A member that is a text or a number.
    private enum Value: Decodable {
        case text(String)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Int.self) {
                self = .text("\(number)")
            } else {
                self = .other
            }
        }

        var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    private func object(_ text: String, _ number: Int) throws(BadLine) -> ListedPicture {
        let data = Data(text.utf8)
        if let place = try? JSONDecoder().decode(String.self, from: data) {
            return ListedPicture(line: number, place: try Self.place(place, number))
        }
        guard let members = try? JSONDecoder().decode([String: Value].self, from: data) else {
            throw BadLine(line: number, reason: "it is not a JSON object")
        }
        func member(_ known: [String]) -> String? {
            let names = members.keys.filter { known.contains($0.lowercased()) }
            return names.min().flatMap { members[$0]?.text }
        }
        guard let place = member(Self.placeNames), !place.isEmpty else {
            throw BadLine(line: number, reason: "it has no member “url”")
        }
        return ListedPicture(
            line: number, place: try Self.place(place, number), id: member(Self.idNames),
            title: member(Self.titleNames))
    }

    /// Returns the URL as browsers send it; a path stays as it is.
    private static func place(_ text: String, _ number: Int) throws(BadLine) -> String {
        if text.firstRange(of: "://") == nil { return text }
        guard let url = BrowserURL.encoded(text) else {
            let host = text.split(separator: "/").dropFirst().first ?? ""
            let isASCII = host.utf8.allSatisfy { $0 < 0x7f }
            throw BadLine(
                line: number,
                reason: isASCII
                    ? "“\(text)” has a blank in its host name"
                    : "“\(text)” has a host name that is not ASCII; write it as xn--…")
        }
        return url
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
