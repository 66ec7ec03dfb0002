import Console

/// A report as text for a terminal, at most ``width`` columns wide. Pure.
enum BenchTable {
    static let width = 100

    /// Returns the machine and the settings that are known before the first measurement.
    static func opening(of report: BenchReport) -> String {
        let machine = report.machine
        let load = report.before.averages.map(BenchText.number).joined(separator: " ")
        return wrapped(
            """
            vitrine \(report.version) on \(machine.processor), \(machine.cores) cores, \
            \(machine.memory >> 30) GiB
            \(machine.system), kernel \(machine.kernel) \(machine.architecture)\
            \(machine.governor.map { ", governor \($0)" } ?? "")
            seed \(report.seed), \(report.rounds) \(report.rounds == 1 ? "round" : "rounds"), load \(load)
            """)
    }

    /// Returns what is known after the last measurement, and at the end what one would quote.
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
        let quotes = BenchQuote.all(of: report.rows).map(\.sentence)
        return wrapped((lines + (quotes.isEmpty ? [] : [""] + quotes)).joined(separator: "\n"))
    }

    /// Returns the rows of a subject with the median of their figures, in groups of the same headline.
    static func text(of rows: [BenchRow], _ subject: String) -> String {
        var parts = groups(of: rows).map { group in
            var columns = BenchColumn.all(of: group, among: rows)
            var lines = table(group, columns, subject)
            while let widest = lines.map(\.count).max(), widest > width, columns.count > 1 {
                columns.removeLast()
                lines = table(group, columns, subject)
            }
            return lines.map { String($0.prefix(width)) }.joined(separator: "\n")
        }
        for row in rows {
            if let error = row.firstError {
                parts.append(wrapped("\(row.shortID): \(row.errors) failed. \(error)"))
            }
            if let missed = row.missed, let reason = row.missedBecause {
                parts.append(
                    wrapped("\(row.shortID): rounds without figures: \(missed). \(reason)"))
            }
        }
        return parts.joined(separator: "\n\n")
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

    private static func table(
        _ rows: [BenchRow], _ columns: [BenchColumn], _ subject: String
    ) -> [String] {
        TextTable(
            right: Set(1...max(1, columns.count)),
            rows: [[subject] + columns.map(\.header)]
                + rows.map { row in
                    [row.shortID]
                        + columns.map { column in
                            let cell = column.cell(row)
                            return cell.value + (cell.spread.map { " ±\($0)" } ?? "")
                        }
                }
        ).lines
    }

    /// Breaks lines between words where they are wider than the table.
    static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.count > width else { return String(line) }
            var lines = [""]
            for word in line.split(separator: " ", omittingEmptySubsequences: false) {
                let last = lines[lines.count - 1]
                if !last.isEmpty, last.count + 1 + word.count > width {
                    lines.append(String(word))
                } else {
                    lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
                }
            }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
