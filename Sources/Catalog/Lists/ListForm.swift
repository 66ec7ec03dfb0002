import JSON

/// The form of a list, by its first lines. Pure.
///
/// A first line that has delimiters and no URL names the columns. The URL column is the one whose values are
/// URLs.
struct ListForm {
    enum Layout {
        /// Each line is a URL or a path.
        case plain
        /// Each line is a URL, whatever it contains.
        case urls
        case table(separator: UInt8, ListHeading)
        /// JSON lines, with the names of the members that have URL, id and title.
        case objects(ListColumns)
    }

    typealias Line = (number: Int, bytes: ArraySlice<UInt8>)

    private static let separators: [UInt8] = [0x09, 0x2C, 0x3B, 0x7C]
    /// Members of objects that may be columns. Lists have a handful.
    private static let mostMembers = 1_000

    var layout = Layout.plain
    /// The last line before the first row.
    var headingEnd = 0

    /// Returns why a file that begins like this is not a list; nil if it may be one.
    static func refusal(ofFirst line: ArraySlice<UInt8>) -> String? {
        let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
        if line.starts(with: [0xFF, 0xFE]) || line.starts(with: [0xFE, 0xFF])
            || line.starts(with: replacement + replacement)
        {
            return "It is not UTF-8. Save it as “CSV UTF-8”."
        }
        if line.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            return "It is a workbook or an archive, not a text. Save the sheet as “CSV UTF-8”."
        }
        if line.starts(with: [0x1F, 0x8B]) || line.starts(with: [0x1F] + replacement) {
            return "It is compressed. Unpack it with gunzip."
        }
        if line.contains(0) { return "It is not a text. Save it as “CSV UTF-8”." }
        if line.dropLast().contains(0x0D) {
            return "Its lines end with CR, as on early Macintoshes. Save it as “CSV UTF-8”."
        }
        let begin = String(decoding: line.trimmed.prefix(16), as: UTF8.self).lowercased()
        if begin.hasPrefix("<") {
            return "It is a page of HTML or XML, not a list. Write one URL a line, or CSV with a "
                + "heading."
        }
        if begin.hasPrefix("[") {
            return "It is a JSON array. Write one object a line, as jq -c '.[]' does."
        }
        return nil
    }

    /// - Throws: ``UnreadableList`` if it is unknown where the URLs are.
    init(
        of lines: [Line], _ wanted: ListColumns, takesPaths: Bool
    ) throws(UnreadableList) {
        var lines = lines[...]
        var forced: UInt8?
        // What Excel takes as the separator.
        if let first = lines.first, first.bytes.starts(with: Array("sep=".utf8)),
            let last = first.bytes.last, first.bytes.count == 5
        {
            forced = last
            headingEnd = first.number
            lines.removeFirst()
        }
        lines = lines.drop { $0.bytes.trimmed.isEmpty || Self.isComment($0.bytes) }
        guard let first = lines.first else { return }
        let bare = first.bytes.trimmed
        if bare.first == UInt8(ascii: "{") || Self.isJSONText(bare) {
            layout = .objects(try Self.members(lines, wanted))
            return
        }
        let text = String(decoding: bare, as: UTF8.self)
        guard
            let separator = forced ?? Self.separator(of: lines)
        else {
            try column(text, first.number, lines, takesPaths: takesPaths)
            return
        }
        let records = Self.records(lines, separator)
        guard let names = records.first?.cells else { return }
        let rows = Array(records.dropFirst())
        if names.contains(where: { ListedURL.isURL($0) }) {
            try unnamed(records, separator, wanted, lines)
            return
        }
        if takesPaths, wanted.url == nil, !ListHeading.hasURLName(names),
            text.contains(where: { $0 == "/" || $0 == "." })
        {
            return
        }
        let heading = try ListHeading(
            names, line: first.number, rows: rows.map(\.cells), wanted)
        layout = .table(separator: separator, heading)
        headingEnd = rows.first.map { $0.number - 1 } ?? records[0].end
    }

    /// A list of one column.
    private mutating func column(
        _ first: String, _ number: Int, _ lines: ArraySlice<Line>, takesPaths: Bool
    ) throws(UnreadableList) {
        if first.schemeMark != nil || ListedURL.isURL(first) { return }
        let isQuoted = first.count > 2 && first.hasPrefix("\"") && first.hasSuffix("\"")
        let name = isQuoted ? String(first.dropFirst().dropLast()) : first
        let rest = lines.dropFirst().map { String(decoding: $0.bytes.trimmed, as: UTF8.self) }
        let hasURLs = rest.contains { ListedURL.isURL($0) || $0.hasPrefix("\"http") }
        guard ListHeading.hasURLName([name]) || hasURLs && !takesPaths else { return }
        headingEnd = number
        guard isQuoted || rest.contains(where: { $0.hasPrefix("\"") }) else {
            layout = .urls
            return
        }
        let heading = try ListHeading(["url"], line: number, rows: [], ListColumns())
        layout = .table(separator: UInt8(ascii: ","), heading)
    }

    /// A table without names.
    private mutating func unnamed(
        _ records: [Record], _ separator: UInt8, _ wanted: ListColumns, _ lines: ArraySlice<Line>
    ) throws(UnreadableList) {
        let number = records[0].number
        let texts = lines.map { String(decoding: $0.bytes.trimmed, as: UTF8.self) }
        if wanted == ListColumns(), texts.allSatisfy(ListedURL.isWholeLine) { return }
        let heading = try ListHeading(nil, line: number, rows: records.map(\.cells), wanted)
        let isCertain = records.allSatisfy { record in
            guard record.cells.count == heading.count else { return false }
            let url = record.cells[heading.url]
            return wanted.url != nil || url.isEmpty || heading.url == heading.count - 1
                || ListedURL.isPictureName(url) || record.quoted.contains(heading.url)
        }
        guard isCertain else {
            // URLs with nothing but separators behind them.
            if wanted == ListColumns(),
                texts.allSatisfy({ ListedURL.isWholeLine(ListedURL.bare($0)) })
            {
                return
            }
            throw UnreadableList(
                reason: "The columns of line \(number) have no names, and it is unclear where its "
                    + "URL ends. Begin the list with their names, such as url,title, or say "
                    + "--url-column \(heading.url + 1).")
        }
        layout = .table(separator: separator, heading)
    }

    private static func members(
        _ lines: ArraySlice<Line>, _ wanted: ListColumns
    ) throws(UnreadableList) -> ListColumns {
        var names: [String] = []
        var places: [String: Int] = [:]
        var objects: [[Int: String]] = []
        for line in lines {
            // A line that can't be read is named when the list is.
            guard let tree = try? JSON(parsing: Array(line.bytes.trimmed)) else { continue }
            guard case .object(let members) = tree else { continue }
            var texts: [Int: String] = [:]
            for member in members {
                let place = places[member.name] ?? names.count
                if place == Self.mostMembers { continue }
                if place == names.count { names.append(member.name) }
                places[member.name] = place
                // The last one of equals wins.
                texts[place] = member.value.plainText ?? ""
            }
            objects.append(texts)
        }
        guard let first = lines.first, !objects.isEmpty else {
            return ListColumns()
        }
        let rows = objects.map { texts in names.indices.map { texts[$0] ?? "" } }
        let heading = try ListHeading(names, line: first.number, rows: rows, wanted)
        return ListColumns(
            url: names[heading.url], id: heading.id.map { names[$0] },
            title: heading.title.map { names[$0] })
    }

    private static func isComment(_ bytes: ArraySlice<UInt8>) -> Bool {
        let bare = bytes.trimmed
        // A column may be called “#”.
        return bare.first == UInt8(ascii: "#")
            && !(bare.dropFirst().first.map(separators.contains) ?? false)
    }

    /// Whether a line is nothing but a URL as a JSON text.
    private static func isJSONText(_ bare: ArraySlice<UInt8>) -> Bool {
        bare.starts(with: Array("\"http".utf8)) && bare.last == UInt8(ascii: "\"")
            && bare.count { $0 == UInt8(ascii: "\"") } == 2
    }

    // MARK: - Records

    struct Record {
        var number: Int
        /// Its last line.
        var end: Int
        var cells: [String]
        /// The values that are in quotation marks.
        var quoted: Set<Int>
    }

    /// Returns the complete records of lines.
    private static func records(_ lines: ArraySlice<Line>, _ separator: UInt8) -> [Record] {
        var records: [Record] = []
        var open: (number: Int, record: DelimitedRecord)?
        for line in lines {
            if open == nil, line.bytes.allSatisfy({ $0.isBlank && $0 != separator }) { continue }
            let number = open?.number ?? line.number
            var record = open?.record ?? DelimitedRecord(separator)
            open = nil
            guard let cells = record.add(line.bytes) else {
                open = (number, record)
                continue
            }
            records.append(
                Record(
                    number: number, end: line.number,
                    cells: cells.map { String(decoding: $0.trimmed, as: UTF8.self) },
                    quoted: record.quoted))
        }
        return records
    }

    /// Returns the separator by which most records have as many values as the first; nil if the first has
    /// only one.
    private static func separator(of lines: ArraySlice<Line>) -> UInt8? {
        var best: (separator: UInt8, alike: Int)?
        for separator in separators {
            let records = records(lines, separator)
            guard let count = records.first?.cells.count, count > 1 else { continue }
            let alike = records.count { $0.cells.count == count }
            if alike > best?.alike ?? 0 { best = (separator, alike) }
        }
        return best?.separator
    }
}
