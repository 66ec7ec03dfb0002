import JSON

/// Reads lists of pictures line by line: plain lines, CSV, TSV or JSON lines. Pure.
///
/// The first lines decide about the form, see ``ListForm``. Lines end with LF or CR LF; a byte order mark is
/// skipped. CSV follows RFC 4180, so a value in quotation marks may contain line ends. A list whose URLs
/// can't be told from the rest is refused as a whole: a tolerant origin would answer a URL with the rest of
/// its line in it.
package struct PictureListParser {
    private typealias Line = ListForm.Line

    /// Lines that decide about the form.
    private static let sampleLines = 24
    /// Fewer lines decide if they are this long together.
    private static let sampleBytes = 1 << 20
    /// A list of which this many of the first rows can't be read, and none can, is refused as a whole.
    private static let hopeless = 5
    /// A value in quotation marks that never ends would take the rest of the list.
    private static let maxRecordBytes = 1 << 20
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let columns: ListColumns
    private let takesPaths: Bool
    private var sample: [Line] = []
    private var sampledBytes = 0
    private var form: ListForm?
    /// A record whose quotation mark is open, and its first line.
    private var open: (number: Int, record: DelimitedRecord)?

    /// - Parameter takesPaths: whether a line may be a path: a first line without a URL is then not always a
    ///   heading.
    package init(_ columns: ListColumns = ListColumns(), takesPaths: Bool = false) {
        self.columns = columns
        self.takesPaths = takesPaths
    }

    /// Takes the next line and returns the rows that are known by it. The first lines decide about the form,
    /// so their rows come with a later one, or with ``finish()``.
    ///
    /// - Parameter line: without its LF.
    package mutating func rows(
        ofLine line: ArraySlice<UInt8>, _ number: Int
    ) throws(UnreadableList) -> [ListedRow] {
        var bytes = line
        if bytes.last == 0x0D { bytes.removeLast() }
        if number == 1 {
            if let reason = ListForm.refusal(ofFirst: bytes) {
                throw UnreadableList(reason: reason)
            }
            if bytes.starts(with: Self.byteOrderMark) { bytes.removeFirst(3) }
        }
        if form != nil { return row((number, bytes)).map { [$0] } ?? [] }
        sample.append((number, bytes))
        sampledBytes += bytes.count
        guard sample.count >= Self.sampleLines || sampledBytes >= Self.sampleBytes else {
            return []
        }
        return try decide()
    }

    /// Returns the last rows. Call it after the last line.
    package mutating func finish() throws(UnreadableList) -> [ListedRow] {
        var rows = form == nil ? try decide() : []
        if let open {
            rows.append(.failure(BadLine(line: open.number, reason: Self.unclosed)))
            self.open = nil
        }
        return rows
    }

    private static let unclosed = "a quotation mark is not closed"

    private mutating func decide() throws(UnreadableList) -> [ListedRow] {
        let chosen = try ListForm(of: sample, columns, takesPaths: takesPaths)
        form = chosen
        var rows: [ListedRow] = []
        for line in sample where line.number > chosen.headingEnd {
            if let row = row(line) { rows.append(row) }
        }
        sample = []
        var bad: [BadLine] = []
        for row in rows {
            guard case .failure(let line) = row else { return rows }
            bad.append(line)
        }
        guard let first = bad.first, let last = bad.last, bad.count >= Self.hopeless else {
            return rows
        }
        throw UnreadableList(
            reason: "None of lines \(first.line) to \(last.line) can be read. Line \(first.line): "
                + "\(first.reason).")
    }

    /// Returns the row of a line; nil if the line has none, or is part of a record.
    private mutating func row(_ line: Line) -> ListedRow? {
        do throws(BadLine) {
            return try picture(line).map(ListedRow.success)
        } catch {
            return .failure(error)
        }
    }

    private mutating func picture(_ line: Line) throws(BadLine) -> ListedPicture? {
        switch form?.layout {
        case .table(let separator, let heading)?:
            return try record(line, separator, heading)
        case .objects(let members)?:
            guard let text = try Self.plain(line) else { return nil }
            return try object(text, line, members)
        case .plain?, nil:
            guard let given = try Self.plain(line) else { return nil }
            let text = ListedURL.bare(given)
            guard ListedURL.isWholeLine(text) else {
                throw BadLine(
                    line: line.number,
                    reason: "it has more than a URL; write one URL a line, or begin the list with "
                        + "the names of its columns, such as url,title")
            }
            return ListedPicture(line: line.number, place: try checked(text, line.number))
        case .urls?:
            guard let text = try Self.plain(line) else { return nil }
            return ListedPicture(
                line: line.number, place: try checked(ListedURL.first(of: text), line.number))
        }
    }

    /// Returns the text of a line that is not a record; nil for an empty line or a comment.
    private static func plain(_ line: Line) throws(BadLine) -> String? {
        let bytes = line.bytes.trimmed
        return bytes.isEmpty || bytes.first == UInt8(ascii: "#")
            ? nil : try text(bytes, line.number)
    }

    private mutating func record(
        _ line: Line, _ separator: UInt8, _ heading: ListHeading
    ) throws(BadLine) -> ListedPicture? {
        if open == nil, line.bytes.allSatisfy({ $0.isBlank && $0 != separator }) { return nil }
        let number = open?.number ?? line.number
        var record = open?.record ?? DelimitedRecord(separator)
        // So that the record's bytes have one owner, and are not copied for each of its lines.
        open = nil
        guard var cells = record.add(line.bytes) else {
            if record.byteCount > Self.maxRecordBytes {
                throw BadLine(line: number, reason: Self.unclosed)
            }
            open = (number, record)
            return nil
        }
        // Spreadsheets write separators for empty columns, and whole rows of them.
        while cells.count > heading.count, cells.last?.trimmed.isEmpty == true {
            cells.removeLast()
        }
        if cells.count > 1, cells.allSatisfy(\.trimmed.isEmpty) { return nil }
        guard cells.count == heading.count else {
            throw BadLine(
                line: number,
                reason: "it has \(cells.count) columns, and the first line has \(heading.count)")
        }
        func value(_ column: Int?) throws(BadLine) -> String? {
            guard let column else { return nil }
            return try Self.text(cells[column].trimmed, number).nonEmpty
        }
        guard let place = try value(heading.url) else {
            throw BadLine(line: number, reason: "its URL is empty")
        }
        return ListedPicture(
            line: number,
            place: try checked(ListedURL.first(of: place), number),
            id: try value(heading.id), title: try value(heading.title))
    }

    private func object(
        _ text: String, _ line: Line, _ members: ListColumns
    ) throws(BadLine) -> ListedPicture {
        // The reason below says what is expected.
        guard let tree = try? JSON(parsing: Array(text.utf8)) else {
            throw BadLine(line: line.number, reason: "it is not a JSON object")
        }
        if let place = tree.plainText {
            return ListedPicture(
                line: line.number, place: try checked(ListedURL.first(of: place), line.number))
        }
        guard case .object = tree else {
            throw BadLine(line: line.number, reason: "it is not a JSON object")
        }
        let url = members.url ?? "url"
        guard let place = tree.text(of: url) else {
            let reason =
                tree.listed(url) == nil
                ? "it has no member “\(url)”" : "its member “\(url)” is not a text"
            throw BadLine(line: line.number, reason: reason)
        }
        return ListedPicture(
            line: line.number, place: try checked(ListedURL.first(of: place), line.number),
            id: members.id.flatMap(tree.text), title: members.title.flatMap(tree.text))
    }

    private static func text(
        _ bytes: ArraySlice<UInt8>, _ number: Int
    ) throws(BadLine) -> String {
        guard let text = String(validating: bytes, as: UTF8.self),
            // What a reader puts in place of other bytes.
            bytes.allSatisfy({ $0 < 0x80 }) || !text.unicodeScalars.contains("\u{FFFD}")
        else { throw BadLine(line: number, reason: "it is not UTF-8; save the list as UTF-8") }
        return text
    }

    /// Returns the URL in its normal form, or a path as it is where paths are taken.
    private func checked(_ text: String, _ number: Int) throws(BadLine) -> String {
        let text = text.hasPrefix("//") && ListedURL.isURL(text) ? "https:\(text)" : text
        if takesPaths, text.schemeMark == nil { return text }
        do throws(NormalURL.Refusal) {
            return try NormalURL(text).text
        } catch {
            // Its query may be a secret, and the sentence reaches the log.
            let shown = SignedURL.place(of: text).shortened
            throw BadLine(line: number, reason: "“\(shown)” \(error.phrase)")
        }
    }
}

extension JSON {
    /// Returns the text or number of a member; nil if it is neither.
    func text(of member: String) -> String? { listed(member)?.plainText }

    /// Returns the member of that name, whose case may differ.
    func listed(_ member: String) -> JSON? {
        if let value = self.member(member) { return value }
        guard case .object(let members) = self else { return nil }
        let name = ListHeading.simple(member)
        return members.first { ListHeading.simple($0.name) == name }?.value
    }
}
