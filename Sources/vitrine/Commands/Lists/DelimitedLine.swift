/// A record of CSV (RFC 4180) or TSV. Pure.
enum DelimitedLine {
    /// Returns the values; nil if a quotation mark is not closed, so that the record continues in the
    /// next line. Inside of quotation marks, two of them stand for one.
    static func cells(of record: String, _ separator: Character) -> [String]? {
        var cells: [String] = []
        var cell = ""
        var isQuoted = false
        // Whether the value began with a quotation mark.
        var wasQuoted = false
        var characters = record.makeIterator()
        var next = characters.next()
        while let character = next {
            next = characters.next()
            switch character {
            case "\"" where isQuoted && next == "\"":
                cell.append("\"")
                next = characters.next()
            case "\"" where isQuoted: isQuoted = false
            case "\"" where !wasQuoted && cell.allSatisfy(\.isWhitespace):
                cell = ""
                (isQuoted, wasQuoted) = (true, true)
            case separator where !isQuoted:
                cells.append(cell)
                cell = ""
                wasQuoted = false
            default: cell.append(character)
            }
        }
        if isQuoted { return nil }
        return cells + [cell]
    }
}
