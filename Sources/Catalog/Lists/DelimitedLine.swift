/// A record of CSV (RFC 4180) or TSV. Pure.
enum DelimitedLine {
    private static let quote = UInt8(ascii: "\"")

    /// Returns the values; nil if a quotation mark is not closed, so that the record continues in the
    /// next line. Inside of quotation marks, two of them stand for one.
    static func cells(of record: ArraySlice<UInt8>, _ separator: UInt8) -> [ArraySlice<UInt8>]? {
        if !record.contains(quote) {
            return record.split(separator: separator, omittingEmptySubsequences: false)
        }
        var cells: [ArraySlice<UInt8>] = []
        var cell: [UInt8] = []
        var isQuoted = false
        // Whether the value began with a quotation mark.
        var wasQuoted = false
        var index = record.startIndex
        while index < record.endIndex {
            let byte = record[index]
            index += 1
            switch byte {
            case quote where isQuoted && index < record.endIndex && record[index] == quote:
                cell.append(quote)
                index += 1
            case quote where isQuoted: isQuoted = false
            case quote where !wasQuoted && cell.allSatisfy(\.isBlank):
                cell = []
                (isQuoted, wasQuoted) = (true, true)
            case separator where !isQuoted:
                cells.append(cell[...])
                cell = []
                wasQuoted = false
            default: cell.append(byte)
            }
        }
        if isQuoted { return nil }
        cells.append(cell[...])
        return cells
    }
}

extension UInt8 {
    /// Whether it is a blank, a tab or a line end.
    var isBlank: Bool { self == 0x20 || 0x09...0x0D ~= self }
}

extension ArraySlice<UInt8> {
    private static let noBreakSpace: [UInt8] = [0xC2, 0xA0]

    /// The bytes without blanks and no-break spaces at both ends.
    var trimmed: ArraySlice<UInt8> {
        var rest = self
        while true {
            if let first = rest.first, first.isBlank {
                rest.removeFirst()
            } else if rest.starts(with: Self.noBreakSpace) {
                rest.removeFirst(2)
            } else if let last = rest.last, last.isBlank {
                rest.removeLast()
            } else if rest.suffix(2).elementsEqual(Self.noBreakSpace) {
                rest.removeLast(2)
            } else {
                return rest
            }
        }
    }
}
