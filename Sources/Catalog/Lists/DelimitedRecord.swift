/// A record of CSV (RFC 4180) or TSV, taken line by line: a value in quotation marks may contain line ends.
/// Each byte is looked at once, however many lines a record has. Pure.
struct DelimitedRecord {
    private static let quote = UInt8(ascii: "\"")

    private let separator: UInt8
    private var cells: [ArraySlice<UInt8>] = []
    /// The last value so far.
    private var cell: [UInt8] = []
    private var isBlank = true
    private var isQuoted = false
    /// Whether the last value began with a quotation mark.
    private var wasQuoted = false
    /// Bytes of all lines, with the line ends between them.
    private(set) var byteCount = 0
    /// The values that are in quotation marks, by their places.
    private(set) var quoted: Set<Int> = []

    init(_ separator: UInt8) { self.separator = separator }

    /// Takes the next line. Returns the values; nil if a quotation mark is not closed, so that the record
    /// continues in the next line. Inside of quotation marks, two of them stand for one.
    mutating func add(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        if !isQuoted, !line.contains(Self.quote) {
            byteCount = line.count
            return line.split(separator: separator, omittingEmptySubsequences: false)
        }
        if isQuoted { append(0x0A) }
        byteCount += line.count
        var index = line.startIndex
        while index < line.endIndex {
            let byte = line[index]
            index += 1
            switch byte {
            case Self.quote where isQuoted && index < line.endIndex && line[index] == Self.quote:
                cell.append(byte)
                index += 1
            case Self.quote where isQuoted: isQuoted = false
            case Self.quote where !wasQuoted && isBlank:
                cell = []
                (isQuoted, wasQuoted) = (true, true)
                quoted.insert(cells.count)
            case separator where !isQuoted: endCell()
            default:
                cell.append(byte)
                isBlank = isBlank && byte.isBlank
            }
        }
        if isQuoted { return nil }
        endCell()
        return cells
    }

    private mutating func append(_ byte: UInt8) {
        byteCount += 1
        cell.append(byte)
    }

    private mutating func endCell() {
        cells.append(cell[...])
        cell = []
        (isBlank, wasQuoted) = (true, false)
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
