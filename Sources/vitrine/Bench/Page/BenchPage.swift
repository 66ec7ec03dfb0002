/// A report as one page without links to anything else. Well-formed XML, too. Pure.
struct BenchPage {
    let report: BenchReport

    init(_ report: BenchReport) { self.report = report }

    var html: String {
        let style = String(decoding: PackageResources.bench_css, as: UTF8.self)
        let subjects = BenchSubject.allCases.compactMap(section)
        return """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <title>\(Markup.escape("vitrine bench, \(report.started)"))</title>
            <style>
            \(style)</style>
            </head>
            <body>
            \(opening)
            \(subjects.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    /// Title, machine, settings, warnings.
    private var opening: String {
        let machine = report.machine
        let load = { (load: BenchLoad) in
            load.averages.map(BenchText.number).joined(separator: " ")
        }
        let facts =
            [
                ("Processor", "\(machine.processor), \(machine.cores) cores"),
                ("Memory", "\(machine.memory >> 30) GiB"),
                ("System", "\(machine.system), kernel \(machine.kernel) \(machine.architecture)"),
                ("Command", "vitrine " + report.arguments.joined(separator: " ")),
                ("Seed, rounds", "\(report.seed), \(report.rounds)"),
                ("Load", "\(load(report.before)) before, \(load(report.after)) after"),
            ] + report.settings.map { ($0.name.capitalizedFirst, $0.value) }
            + [
                (
                    "Versions",
                    machine.libraries.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
                )
            ]
        let list = facts.map { name, value in
            Markup.text("dt", name) + Markup.text("dd", value)
        }
        let warnings = report.warnings.map { Markup.text("p", $0) }.joined(separator: "\n")
        return """
            \(Markup.text("h1", "vitrine \(report.version), measured"))
            \(Markup.text("p", "\(report.started), \(BenchText.number(report.seconds)) s", [("class", "soft")]))
            \(warnings.isEmpty ? "" : Markup.element("div", [("class", "warning")], warnings))
            \(Markup.element("dl", [], list.joined(separator: "\n")))
            \(report.notes.map { Markup.text("p", $0, [("class", "soft")]) }.joined(separator: "\n"))
            """
    }

    /// Plots and table of a subject; nil if it was not measured.
    private func section(_ subject: BenchSubject) -> String? {
        let rows = report.rows.filter { $0.head.subject == subject }
        if rows.isEmpty { return nil }
        let figures = BenchPlots.all(of: rows).map(figure)
        let tables = BenchTable.groups(of: rows).map(table)
        return ([Markup.text("h2", subject.rawValue)] + figures + tables + [notes(rows)])
            .joined(separator: "\n")
    }

    private func figure(_ plot: BenchPlot) -> String {
        let legend = plot.legend.enumerated().map { index, name in
            Markup.element(
                "li", [("class", "k\(index % LineChart.colors + 1)")], Markup.text("span", name))
        }
        let list =
            legend.isEmpty ? "" : Markup.element("ul", [("class", "legend")], legend.joined())
        return Markup.element(
            "figure", [],
            """

            \(Markup.text("h3", plot.title))
            \(Markup.text("figcaption", plot.caption))
            \(plot.svg)
            \(list)

            """)
    }

    private func table(_ rows: [BenchRow]) -> String {
        let columns = BenchTable.columns(of: rows)
        let head = ([""] + columns.map(\.header)).map { Markup.text("th", $0) }.joined()
        let body = rows.map { row in
            var cells = Markup.text("td", row.shortID)
            cells += columns.map { Markup.text("td", $0.cell(row)) }.joined()
            if let error = row.firstError {
                cells += Markup.text(
                    "td", "\(row.errors) failed: \(error)", [("class", "failed")])
            }
            return Markup.element("tr", row.head.peer == nil ? [] : [("class", "peer")], cells)
        }
        let content =
            "\n" + ([Markup.element("tr", [], head)] + body).joined(separator: "\n") + "\n"
        return Markup.element("div", [("class", "table")], Markup.element("table", [], content))
    }

    /// What differs between rows, each sentence once.
    private func notes(_ rows: [BenchRow]) -> String {
        var seen: Set<String> = []
        let items = rows.compactMap { row -> String? in
            guard let note = row.head.note else { return nil }
            let text = "\(row.head.peer ?? row.shortID): \(note)"
            return seen.insert(text).inserted ? Markup.text("li", text) : nil
        }
        return items.isEmpty
            ? "" : Markup.element("ul", [("class", "soft notes")], items.joined())
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
