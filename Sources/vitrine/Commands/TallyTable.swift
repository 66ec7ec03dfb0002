import Console
import Store

/// The thumbnails of a cache as a matrix of sources and levels. Pure.
struct TallyTable {
    private struct Column: Hashable {
        var name: String
        /// Of the level's box, by which columns are in order.
        var pixels: Int
    }

    /// Columns of a line.
    private static let width = 80

    private let sources: [String]
    private let columns: [Column]
    private let counts: [String: [Column: Int]]
    private let bytes: [String: Int]
    private let formats: [(name: String, count: Int, bytes: Int)]

    init(_ tallies: [IndexStatistics.Tally]) {
        var counts: [String: [Column: Int]] = [:]
        var bytes: [String: Int] = [:]
        for tally in tallies {
            counts[tally.source, default: [:]][Self.column(tally.level), default: 0] +=
                tally.thumbnails
            bytes[tally.source, default: 0] += tally.bytes
        }
        (self.counts, self.bytes) = (counts, bytes)
        sources = counts.keys.sorted()
        columns = Set(tallies.map { Self.column($0.level) })
            .sorted { ($0.pixels, $0.name) < ($1.pixels, $1.name) }
        formats = Dictionary(grouping: tallies, by: \.format).map { name, tallies in
            (
                name: name, count: tallies.reduce(0) { $0 + $1.thumbnails },
                bytes: tallies.reduce(0) { $0 + $1.bytes }
            )
        }.sorted { $0.name < $1.name }
    }

    /// The matrix, in as many parts as its columns need, and what each format takes; none without
    /// thumbnails.
    var tables: [TextTable] {
        if sources.isEmpty { return [] }
        var parts: [[Column]] = [[]]
        let names = max("thumbnails".count, sources.map(\.count).max() ?? 0)
        // Beside the sum, which is in the last part.
        var left = Self.width - names - Self.room
        for column in columns {
            let room = 2 + max(column.name.count, ReadableText.count(most(column)).count)
            if left < room, parts.last?.isEmpty == false {
                parts.append([])
                left = Self.width - names - Self.room
            }
            parts[parts.count - 1].append(column)
            left -= room
        }
        return parts.enumerated().map { number, part in
            table(part, isLast: number == parts.count - 1)
        } + [formatTable]
    }

    /// Columns of the sum, such as `104.2 MB`.
    private static let room = 10

    private func most(_ column: Column) -> Int {
        counts.values.map { $0[column] ?? 0 }.max() ?? 0
    }

    private func table(_ part: [Column], isLast: Bool) -> TextTable {
        TextTable(
            right: Set(1...part.count + 1),
            rows: [["thumbnails"] + part.map(\.name) + (isLast ? [""] : [])]
                + sources.map { source in
                    let cells = part.map { column in
                        counts[source]?[column].map { ReadableText.count($0) } ?? "–"
                    }
                    return [source] + cells
                        + (isLast ? [ReadableText.size(bytes[source] ?? 0)] : [])
                })
    }

    private var formatTable: TextTable {
        TextTable(
            right: [1, 2],
            rows: formats.map { name, count, bytes in
                [name, ReadableText.count(count), ReadableText.size(bytes)]
            })
    }

    /// Returns `l` for `l:640x960`, `tile` for `tile:240x240c`, and `zoom` for the tiles of pyramids, whose box
    /// has no limit.
    private static func column(_ level: String) -> Column {
        let parts = level.split(separator: ":", maxSplits: 1)
        let name = String(parts.first ?? "")
        if name.hasPrefix(pyramid) { return Column(name: "zoom", pixels: .max) }
        let sides = parts.dropFirst().first?.split(separator: "x").compactMap { side in
            Int(side.prefix { $0.isNumber })
        }
        let pixels = sides?.reduce(1) { $0.multipliedReportingOverflow(by: $1).partialValue }
        return Column(name: name, pixels: pixels ?? 0)
    }

    private static let pyramid = "pyramid/"
}
