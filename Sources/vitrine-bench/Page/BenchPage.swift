import Console
import FoundationEssentials

/// A report as one page without links to anything else. Well-formed XML, too. Pure.
///
/// It begins with numbers to quote and one chart beside other programs. Below are a table for each
/// subject, and the settings; the JSON is at its end.
struct BenchPage {
    let report: BenchReport
    /// The loss that a comparison of two configurations accepts, as a share.
    private let tolerance: Double
    private let json: String

    init(_ report: BenchReport, tolerance: Double = 0.05) throws {
        self.report = report
        self.tolerance = tolerance
        json = try compactJSON(report)
    }

    var html: String {
        let subjects = BenchSubject.allCases.map(\.rawValue).filter { subject in
            report.rows.contains { $0.head.subject == subject }
        }
        let contents = (["summary"] + subjects + ["settings"]).map {
            "<a href=\"#\($0)\">\(escape($0))</a>"
        }
        let parts = [
            "TITLE": escape("vitrine bench, \(report.started)"), "CONTENTS": contents.joined(),
            "SUMMARY": summary, "SECTIONS": subjects.map(section).joined(separator: "\n"),
            "SETTINGS": settings,
            // Markup would end the element; JSON may write these characters as their numbers.
            "JSON": json.replacing("&", with: "\\u0026").replacing("<", with: "\\u003c"),
        ]
        let page = String(decoding: PackageResources.page_html, as: UTF8.self)
        return page.split(separator: "§", omittingEmptySubsequences: false)
            .map { parts[String($0)] ?? String($0) }.joined()
    }

    // MARK: The beginning

    private var summary: String {
        let machine = report.machine
        let cards = BenchQuote.all(of: report.rows).map { quote in
            """
            <div class="card\(quote.isDoubtful ? " doubtful" : "")"><b>\(escape(quote.number))</b> \
            <i>\(escape(quote.spread))\(quote.isDoubtful ? ", busy machine" : "")</i>
            <p>\(escape(quote.sentence))</p></div>
            """
        }
        let warnings = report.warnings.map { "<p class=\"warning\">\(escape($0))</p>" }
        let facts =
            "\(machine.processor), \(machine.cores) cores, \(machine.memory >> 30) GiB, "
            + "\(machine.system). \(report.started), \(BenchText.number(report.seconds)) s, "
            + "\(rounds); ± is the median deviation of three rounds or more."
        return """
            <h1>vitrine \(escape(report.version)), measured</h1>
            <p class="soft">\(escape(facts))</p>
            \(warnings.joined(separator: "\n"))
            <div class="cards">\(cards.joined(separator: "\n"))</div>
            \(comparison)
            \(chart)
            """
    }

    /// How many rounds the subjects had: `1 to 3 rounds` if the time was up for some.
    private var rounds: String {
        let all = Dictionary(grouping: report.rows, by: \.head.subject).values
            .map(BenchRun.completedRounds).filter { $0 > 0 }
        let (least, most) = (all.min() ?? report.rounds, all.max() ?? report.rounds)
        let words = least == most ? "\(most)" : "\(least) to \(most)"
        return "\(words) \(most == 1 ? "round" : "rounds")"
    }

    /// Two configurations beside each other, with the verdict on each figure; empty if there is one.
    private var comparison: String {
        var names: [String] = []
        for name in report.rows.compactMap({ $0.head["config"] }) where !names.contains(name) {
            names.append(name)
        }
        guard names.count == 2 else { return "" }
        let both = BenchComparison(
            report.only(configuration: names[0]), report.only(configuration: names[1]),
            tolerance: tolerance)
        let number = { (value: Double?, unit: String) in
            value.map { BenchText.figure($0, unit) } ?? "–"
        }
        let words = Dictionary(
            report.rows.map { ($0.id, $0.words) }, uniquingKeysWith: { first, _ in first })
        let body = both.lines.map { line in
            let end = ", \(names[0])"
            let own = words["\(line.id)/config=\(names[0])"] ?? line.id
            let cells = [
                own.hasSuffix(end) ? String(own.dropLast(end.count)) : own, line.quantity.name,
                number(line.before, line.quantity.unit), number(line.after, line.quantity.unit),
                line.ratio.map { BenchText.number($0) + " ×" } ?? "–", line.words,
            ]
            return "<tr title=\"\(escape(line.id))\">"
                + cells.map { "<td>\(escape($0))</td>" }.joined() + "</tr>"
        }
        let heads = ["", "figure", names[0], names[1], "ratio", "verdict"]
        let cautions = both.cautions.map { "<li>\(escape($0))</li>" }
        return """
            <h2>\(escape("\(names[0]) and \(names[1])"))</h2>
            <p class="soft">\(escape(both.summary))</p>
            <ul>\(cautions.joined())</ul>
            <div class="table"><table class="compared"><tr>\(heads.map { "<th>\(escape($0))</th>" }.joined())</tr>
            \(body.joined(separator: "\n"))
            </table></div>
            """
    }

    /// What this program does beside nginx, h2o and libvips, as bars; beside all others if neither was
    /// measured.
    private var chart: String {
        let measured = report.rows.compactMap { row in
            BenchBeside.of(row, among: report.rows).map { (row: row, beside: $0) }
        }
        let known = measured.filter {
            ["nginx", "h2o", "vipsthumbnail", "pyvips"].contains($0.row.head["peer"] ?? "")
        }
        let shown = known.isEmpty ? measured : known
        guard let most = shown.map(\.beside.times).max(), most > 0 else { return "" }
        let bars = shown.map { row, beside in
            let words = "\(row.words), beside \(row.head["peer"] ?? "")"
            return bar(
                words, share: beside.times / most, mark: 1 / most,
                text: "\(BenchText.number(beside.times)) × \(beside.what)")
        }
        return """
            <h2>Beside other programs</h2>
            <p class="soft">How many times as much this program does, or how many times less it needs.
            Right of the line at 1 it is ahead.</p>
            <div class="chart">\(bars.joined(separator: "\n"))</div>
            """
    }

    private func bar(_ words: String, share: Double, mark: Double?, text: String) -> String {
        func percent(_ share: Double) -> String { "\(Int((share * 1_000).rounded()))" }
        let line = mark.map { "<s style=\"left:calc(\(percent($0))% / 10)\"></s>" } ?? ""
        return """
            <div class="bar"><span>\(escape(words))</span><span class="track"><u \
            style="width:calc(\(percent(share))% / 10)"></u>\(line)</span><span>\(escape(text))</span></div>
            """
    }

    // MARK: Subjects

    private func section(_ subject: String) -> String {
        let rows = report.rows.filter { $0.head.subject == subject }
        let tables = BenchTable.groups(of: rows).map { table($0, all: rows) }
        let notes = rows.compactMap { row -> String? in
            row.head.note.map { "\(row.words)\(row.head.peer.map { " by \($0)" } ?? ""): \($0)" }
        }
        let list = notes.map { "<li>\(escape($0))</li>" }.joined()
        return """
            <section id="\(subject)"><h2>\(escape(subject.prefix(1).uppercased() + subject.dropFirst()))</h2>
            \(tables.joined(separator: "\n"))
            \(list.isEmpty ? "" : "<details><summary>Notes</summary><ul>\(list)</ul></details>")
            </section>
            """
    }

    private func table(_ rows: [BenchRow], all: [BenchRow]) -> String {
        let columns = BenchColumn.all(of: rows, among: all)
        let most = rows.compactMap { $0.headline?.median }.max() ?? 0
        let body = rows.map { row in
            let share = most > 0 ? Int(((row.headline?.median ?? 0) / most * 100).rounded()) : 0
            var cells = columns.map { column in
                let (value, spread) = column.cell(row, hasUnit: true)
                return escape(value) + (spread.map { " <i>± \(escape($0))</i>" } ?? "")
            }
            cells.insert(
                "<div class=\"small\" style=\"width:\(share)px\"></div>", at: min(1, cells.count))
            if let error = row.firstError {
                cells.append("<em>\(row.errors) failed. \(escape(error))</em>")
            }
            if let missed = row.missed, let reason = row.missedBecause {
                cells.append("<em>Rounds without figures: \(missed). \(escape(reason))</em>")
            }
            let name = escape(row.words + (row.head.peer.map { " by \($0)" } ?? ""))
            return
                "<tr\(row.head.peer == nil ? "" : " class=\"peer\"") title=\"\(escape(row.id))\">"
                + "<td>\(name)</td>" + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
        }
        var heads = columns.map { "<th>\(escape($0.name))</th>" }
        heads.insert("<th></th>", at: min(1, heads.count))
        return """
            <div class="table"><table><tr><th></th>\(heads.joined())</tr>
            \(body.joined(separator: "\n"))
            </table></div>
            """
    }

    // MARK: The end

    private var settings: String {
        let load = { (load: BenchLoad) in load.averages.map(BenchText.number).joined(separator: " ")
        }
        let machine = report.machine
        let facts =
            [
                ("command", "vitrine bench " + report.arguments.joined(separator: " ")),
                ("kernel", "\(machine.kernel) \(machine.architecture)"),
                ("seed", "\(report.seed)"),
                ("load", "\(load(report.before)) before, \(load(report.after)) after"),
            ] + (report.settings + machine.libraries).map { ($0.name, $0.value) }
            + report.notes.map { ("note", $0) }
        return facts.map { "<dt>\(escape($0))</dt><dd>\(escape($1))</dd>" }.joined(separator: "\n")
    }

    /// Returns text that means itself in an element and in a quoted attribute.
    private func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(character)
            // Other control characters are not allowed in a page at all.
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{fffe}"..."\u{ffff}":
                escaped += "\u{fffd}"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
