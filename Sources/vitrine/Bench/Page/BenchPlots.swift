import Glibc

/// A plot of a page, with its words.
struct BenchPlot {
    var title: String
    /// What is seen and how to read it, as a sentence or two.
    var caption: String
    /// Names of the colors, in their order.
    var legend: [String] = []
    var svg: String
}

/// Which plots a subject's rows give. Pure.
enum BenchPlots {
    static func all(of rows: [BenchRow]) -> [BenchPlot] {
        [threads(rows), levels(rows)].compactMap(\.self) + headlines(rows) + latencies(rows)
            + [stages(rows), peers(rows)].compactMap(\.self)
    }

    /// Rate by number of threads, beside what as many separate cores would give.
    static func threads(_ rows: [BenchRow]) -> BenchPlot? {
        let own = rows.filter { $0.head.peer == nil && $0.headline?.median != nil }
        var groups: [(name: String, points: [(x: Double, y: Double)])] = []
        for row in own {
            guard let count = row.head["threads"].flatMap(Double.init),
                let rate = row["rate"]?.median
            else { continue }
            let name = row.shortID.split(separator: "/").filter { !$0.hasPrefix("threads=") }
                .joined(separator: "/")
            if let place = groups.firstIndex(where: { $0.name == name }) {
                groups[place].points.append((count, rate))
            } else {
                groups.append((name, [(count, rate)]))
            }
        }
        groups = groups.filter { $0.points.count > 1 }
        for place in groups.indices { groups[place].points.sort { $0.x < $1.x } }
        groups = Array(groups.prefix(LineChart.colors))
        guard let most = groups.flatMap(\.points).map(\.x).max() else { return nil }
        let unit = own.first { $0["rate"] != nil }?["rate"]?.quantity.unit ?? ""
        let ideals = groups.compactMap { group -> LineChart.Line? in
            guard let first = group.points.first else { return nil }
            let points = [0, most].map { (x: $0, y: first.y / first.x * $0) }
            return LineChart.Line(name: "ideal", points: points, isDashed: true)
        }
        let lines = groups.map { LineChart.Line(name: $0.name, points: $0.points) }
        let highest = (lines + ideals).flatMap(\.points).map(\.y).max() ?? 1
        let counts = Set(groups.flatMap(\.points).map(\.x)).sorted()
        let chart = LineChart(
            title: "Rate by threads", lines: ideals + lines,
            x: Axis(
                scale: .linear, low: 0, high: most, from: LineChart.left, to: LineChart.right,
                ticks: []),
            y: .linear(to: highest, from: LineChart.bottom, to: LineChart.top),
            xTicks: counts.map { ($0, "\(Int($0))") }, yLabel: BenchText.short)
        return BenchPlot(
            title: "Throughput by threads",
            caption: "\(unit) by the number of render threads. The dashed line is the first point, "
                + "multiplied: what threads that share nothing would give.",
            legend: groups.map(\.name), svg: chart.svg)
    }

    /// Processor time of each level alone, and of all from one decode.
    static func levels(_ rows: [BenchRow]) -> BenchPlot? {
        let single = rows.filter {
            $0.head.peer == nil && $0.head["level"] != nil && $0.head["level"] != "all-levels"
        }
        guard let first = single.first else { return nil }
        let all = rows.filter { row in
            row.head["level"] == "all-levels" && row.head.peer == nil
                && ["corpus", "format", "threads"].allSatisfy { row.head[$0] == first.head[$0] }
        }
        let bars = (single + all).compactMap { row in
            bar(row, "processor time", label: row.head["level"] ?? row.shortID)
        }
        guard bars.count > 1 else { return nil }
        let unit = BenchQuantity.processorTime("ms/image").unit
        let chart = BarChart(title: "Processor time by level", unit: unit, bars: bars)
        return BenchPlot(
            title: "Processor time by level",
            caption: "\(unit) for each level alone, and for all of them from one decode "
                + "(\(first.head["corpus"] ?? ""), \(first.head["format"] ?? "")). Less is better.",
            svg: chart.svg)
    }

    /// The headline of every row of this program, one plot a unit.
    static func headlines(_ rows: [BenchRow]) -> [BenchPlot] {
        var groups: [(quantity: BenchQuantity, rows: [BenchRow])] = []
        for row in rows where row.head.peer == nil {
            guard let quantity = row.headline?.quantity else { continue }
            if let place = groups.firstIndex(where: { $0.quantity == quantity }) {
                groups[place].rows.append(row)
            } else {
                groups.append((quantity, [row]))
            }
        }
        return groups.compactMap { group in
            let bars = group.rows.compactMap { bar($0, group.quantity.name, label: $0.shortID) }
            guard bars.count > 1 else { return nil }
            let title = group.quantity.name.prefix(1).uppercased() + group.quantity.name.dropFirst()
            let chart = BarChart(title: title, unit: group.quantity.unit, bars: bars)
            let better = group.quantity.better.map {
                " \($0 == .more ? "More" : "Less") is better."
            }
            return BenchPlot(
                title: "\(title), \(group.quantity.unit)",
                caption: "Median; the thin line is the range of the rounds.\(better ?? "")",
                svg: chart.svg)
        }
    }

    /// Latency by percentile, on a logarithmic scale, six rows a plot.
    static func latencies(_ rows: [BenchRow]) -> [BenchPlot] {
        let timed = rows.filter { ($0.latency?.points.count ?? 0) > 1 }
        return stride(from: 0, to: timed.count, by: LineChart.colors).map { first in
            let part = Array(timed[first..<min(timed.count, first + LineChart.colors)])
            let lines = part.map { row in
                LineChart.Line(
                    name: row.shortID,
                    points: (row.latency?.points ?? []).map {
                        (x: nines($0.percentile), y: $0.microseconds)
                    })
            }
            let all = lines.flatMap(\.points)
            let high = max(2, all.map(\.x).max() ?? 2)
            let chart = LineChart(
                title: "Latency by percentile", lines: lines,
                x: Axis(
                    scale: .linear, low: 0, high: high, from: LineChart.left,
                    to: LineChart.right, ticks: []),
                y: .logarithmic(
                    all.map(\.y).min() ?? 1, all.map(\.y).max() ?? 10, from: LineChart.bottom,
                    to: LineChart.top),
                xTicks: [0.0, 50, 90, 99, 99.9, 99.99].filter { nines($0) <= high + 1e-9 }
                    .map { (nines($0), "\($0 == $0.rounded() ? "\(Int($0))" : "\($0)") %") },
                yLabel: { BenchText.time(microseconds: $0) })
            return BenchPlot(
                title: "Latency",
                caption: "Latency that so many per cent don't exceed. Both scales are logarithmic.",
                legend: part.map(\.shortID), svg: chart.svg)
        }
    }

    /// How far right a percentile is: 90 is 1, 99 is 2, 99.9 is 3.
    private static func nines(_ percentile: Double) -> Double {
        -log10(max(1e-6, 1 - percentile / 100))
    }

    /// Where time goes, of all rows that say so.
    static func stages(_ rows: [BenchRow]) -> BenchPlot? {
        var bars: [StackChart.Bar] = []
        var unit = ""
        for row in rows where row.head.peer == nil {
            let parts = row.figures.compactMap { figure -> (name: String, value: Double)? in
                guard let stage = figure.quantity.stage, let median = figure.median else {
                    return nil
                }
                unit = figure.quantity.unit
                return (stage, median)
            }
            if !parts.isEmpty { bars.append(.init(label: row.shortID, parts: parts)) }
        }
        guard !bars.isEmpty else { return nil }
        let chart = StackChart(title: "Time per stage", unit: unit, bars: bars)
        return BenchPlot(
            title: "Time per stage",
            caption: "\(unit) of wall time in each stage, all work under way added up.",
            legend: chart.names, svg: chart.svg)
    }

    /// Peers' processor time as a multiple of this program's, or of the rate's inverse where a peer
    /// has no processor time.
    static func peers(_ rows: [BenchRow]) -> BenchPlot? {
        let bars = rows.filter { $0.head.peer != nil }.compactMap { row -> BarChart.Bar? in
            guard let own = rows.first(where: { $0.id == row.ownID }),
                let theirs = row["processor time"], let mine = own["processor time"],
                let ratio = BenchStatistics.pairedRatio(theirs.samples, to: mine.samples)
            else { return nil }
            let name = row.head["peer"] ?? row.shortID
            let how = row.ownID.split(separator: "/").dropFirst().filter { $0 != "all-levels" }
            return .init(
                label: "\(name), \(how.joined(separator: " "))", value: ratio, least: ratio,
                most: ratio, isPeer: true)
        }
        guard !bars.isEmpty else { return nil }
        let chart = BarChart(
            title: "Processor time of other programs", unit: "times this program's", bars: bars,
            mark: 1)
        return BenchPlot(
            title: "Other programs",
            caption: "Their processor time as a multiple of this program's for the same work, "
                + "paired round by round. Beyond the line at 1 they take more.",
            svg: chart.svg)
    }

    private static func bar(_ row: BenchRow, _ name: String, label: String) -> BarChart.Bar? {
        row[name]?.statistics.map {
            BarChart.Bar(
                label: label, value: $0.median, least: $0.least, most: $0.most)
        }
    }
}
