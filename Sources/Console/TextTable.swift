/// Rows as lines with aligned columns. Pure.
package struct TextTable {
    /// Numbers of columns that end at the same place, like numbers.
    package var right: Set<Int> = []
    /// Widths that columns have at most. A longer cell moves the rest of its line.
    package var widest: [Int: Int] = [:]
    package var rows: [[String]] = []

    package init(right: Set<Int> = [], widest: [Int: Int] = [:], rows: [[String]] = []) {
        self.right = right
        self.widest = widest
        self.rows = rows
    }

    /// Returns a cell with blanks up to a width.
    ///
    /// - Parameter isRight: whether it ends there, like a number.
    package static func padded(_ cell: String, to width: Int, isRight: Bool = false) -> String {
        let room = String(repeating: " ", count: max(0, width - cell.count))
        return isRight ? room + cell : cell + room
    }

    /// Returns a line for each row, with two spaces between columns. The last cell of a short row
    /// may be a sentence: it takes the room of the cells that are missing.
    package var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            let width =
                rows.map { row in
                    column < row.count && (column + 1 < row.count || row.count == count)
                        ? row[column].count : 0
                }.max() ?? 0
            return min(width, widest[column] ?? width)
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                Self.padded(cell, to: widths[column], isRight: right.contains(column))
            }
            let line = cells.joined(separator: "  ")
            let end = line.lastIndex { $0 != " " }
            return end.map { String(line[...$0]) } ?? ""
        }
    }
}
