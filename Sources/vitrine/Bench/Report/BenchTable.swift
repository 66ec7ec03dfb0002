import App

/// A report as text for a terminal. Pure.
enum BenchTable {
    /// Returns the machine and the settings that are known before the first measurement.
    static func opening(of report: BenchReport) -> String {
        let machine = report.machine
        let load = report.before.averages.map(BenchText.number).joined(separator: " ")
        return """
            vitrine \(report.version) on \(machine.processor), \(machine.cores) cores, \
            \(machine.memory >> 30) GiB
            \(machine.system), kernel \(machine.kernel) \(machine.architecture)\
            \(machine.governor.map { ", governor \($0)" } ?? "")
            seed \(report.seed), \(report.rounds) rounds, load \(load)
            """
    }

    /// Returns what is known after the last measurement.
    static func closing(of report: BenchReport) -> String {
        let pairs = { (settings: [BenchSetting]) in
            settings.map { "\($0.name) \($0.value)" }.joined(separator: "; ")
        }
        var lines: [String] = []
        if !report.settings.isEmpty { lines.append("Settings: \(pairs(report.settings)).") }
        if !report.machine.libraries.isEmpty {
            lines.append("Versions: \(pairs(report.machine.libraries)).")
        }
        lines += report.notes.map { "Note: \($0)" }
        lines += report.warnings.map { "Warning: \($0)" }
        let load = report.after.averages.map(BenchText.number).joined(separator: " ")
        lines.append("\(BenchText.number(report.seconds)) s, load \(load).")
        return lines.joined(separator: "\n")
    }

    /// Returns the rows of a subject with the median of every figure, then peers as ratios.
    static func text(of rows: [BenchRow], _ subject: BenchSubject) -> String {
        var text = groups(of: rows).map { rows in
            let columns = columns(of: rows)
            var lines = [["\(subject.rawValue)"] + columns.map(\.header) + ["errors"]]
            for row in rows {
                lines.append(
                    [row.shortID] + columns.map { $0.cell(row) }
                        + [row.errors == 0 ? "" : "\(row.errors)"])
            }
            if rows.allSatisfy({ $0.errors == 0 }) { lines = lines.map { $0.dropLast() } }
            return aligned(lines)
        }.joined(separator: "\n\n")
        let peers = peerLines(rows)
        if peers.count > 1 { text += "\n\n" + aligned(peers) }
        for row in rows {
            if let error = row.firstError { text += "\n\(row.shortID): \(error)" }
        }
        return text
    }

    /// Returns the rows in groups with the same headline, which share their columns, in the order of
    /// their first rows. A table of all would be mostly empty where a subject measures many things.
    static func groups(of rows: [BenchRow]) -> [[BenchRow]] {
        var groups: [(headline: BenchQuantity?, rows: [BenchRow])] = []
        for row in rows {
            let headline = row.headline?.quantity
            if let known = groups.firstIndex(where: { $0.headline == headline }) {
                groups[known].rows.append(row)
            } else {
                groups.append((headline, [row]))
            }
        }
        return groups.map(\.rows)
    }

    /// A column of the table.
    struct Column: Sendable {
        var header: String
        var cell: @Sendable (BenchRow) -> String
    }

    /// Returns the columns that any row has something for: figures, then percentiles.
    static func columns(of rows: [BenchRow]) -> [Column] {
        var quantities: [BenchQuantity] = []
        for quantity in rows.flatMap({ $0.figures.map(\.quantity) })
        where !quantities.contains(quantity) && isShown(quantity, rows) {
            quantities.append(quantity)
        }
        var columns = quantities.map { quantity in
            Column(header: quantity.header) { row in
                guard
                    let statistics = row.figures.first(where: { $0.quantity == quantity })?
                        .statistics
                else { return "" }
                let median = BenchText.number(statistics.median)
                guard quantity.better != nil, statistics.count > 1 else { return median }
                return "\(median) ±\(BenchText.percent(statistics.relativeDeviation))"
            }
        }
        for percentile in [50, 99, 99.9, 99.99]
        where rows.contains(where: { $0.latency?[percentile] != nil }) {
            let name = percentile == percentile.rounded() ? "\(Int(percentile))" : "\(percentile)"
            columns.append(
                Column(header: "p\(name) µs") { row in
                    row.latency?[percentile].map(BenchText.number) ?? ""
                })
        }
        if rows.contains(where: { $0.latency != nil }) {
            columns.append(
                Column(header: "max µs") { $0.latency.map { BenchText.number($0.max) } ?? "" })
        }
        if rows.contains(where: { $0.head.state == .warm }) {
            columns.append(Column(header: "cache") { $0.head.state.rawValue })
        }
        return columns
    }

    /// Peers with their ratios to the row of this program that they are measured beside.
    static func peerLines(_ rows: [BenchRow]) -> [[String]] {
        var lines = [["beside this program", "processor time", "rate", "differs"]]
        for row in rows where row.head.peer != nil {
            guard let own = rows.first(where: { $0.id == row.ownID }) else { continue }
            func ratio(_ name: String) -> String {
                guard let figure = row[name], let mine = own[name],
                    let ratio = BenchStatistics.pairedRatio(figure.samples, to: mine.samples)
                else { return "" }
                return "\(BenchText.number(ratio)) ×"
            }
            lines.append([
                row.shortID, ratio("processor time"), ratio("rate"), row.head.note ?? "",
            ])
        }
        return lines
    }

    private static func isShown(_ quantity: BenchQuantity, _ rows: [BenchRow]) -> Bool {
        if quantity.stage != nil { return false }
        guard quantity.name == BenchQuantity.diskFaults("").name else { return true }
        return rows.contains { ($0[quantity.name]?.median ?? 0) > 0 }
    }

    /// Returns lines with text to the left of its column and numbers to the right.
    static func aligned(_ lines: [[String]]) -> String {
        let count = lines.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        // Sentences and names begin at the left.
        let texts = Set(
            (0..<count).filter { column in
                column == 0
                    || lines.contains { column < $0.count && $0[column].hasSuffix(".") }
            })
        return lines.map { line in
            let cells = line.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return texts.contains(column) ? cell + space : space + cell
            }
            var text = cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }
}

extension BenchQuantity {
    /// How a column of it is headed.
    var header: String {
        switch name {
        case "rate": unit
        case "processor time": "CPU \(unit)"
        case "bytes out": unit
        case "page faults": "faults\(unit)"
        case "peak memory": "peak \(unit)"
        case "scaling efficiency": "scaling \(unit)"
        default: unit.isEmpty ? name : "\(name), \(unit)"
        }
    }
}

extension BenchRow {
    /// The id without the subject.
    var shortID: String { String(id.drop { $0 != "/" }.dropFirst()) }

    /// The id of this program's row that a peer is measured beside.
    var ownID: String {
        id.split(separator: "/").filter { !$0.hasPrefix("peer=") }.joined(separator: "/")
    }
}
