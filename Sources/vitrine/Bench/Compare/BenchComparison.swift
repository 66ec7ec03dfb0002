/// Two reports beside each other, row by row. Pure.
struct BenchComparison: Sendable {
    enum Verdict: String, Sendable, Comparable {
        /// The difference is within the spread of the rounds.
        case noChange = "no change"
        case better
        /// Beyond the spread, but within the tolerance.
        case slightlyWorse = "slightly worse"
        /// Wall time changed, but other programs had the machine: that says nothing of this one.
        case unclear = "unclear, the machine was busy"
        /// Worse by more than the spread and the tolerance.
        case regression
        /// The row had a figure and has none now.
        case failed

        private var rank: Int {
            switch self {
            case .noChange: 0
            case .better: 1
            case .slightlyWorse: 2
            case .unclear: 3
            case .regression: 4
            case .failed: 5
            }
        }

        static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

        var isRegression: Bool { self == .regression || self == .failed }
    }

    /// One figure of one row.
    struct Line: Sendable, Equatable {
        var id: String
        var quantity: BenchQuantity
        var before: Double?
        var after: Double?
        /// The median after, divided by the median before.
        var ratio: Double?
        var verdict: Verdict
    }

    var lines: [Line]
    /// Ids of rows that only one report has.
    var onlyBefore: [String]
    var onlyAfter: [String]
    /// Why the reports may not be comparable: sentences.
    var cautions: [String]

    /// - Parameter tolerance: the loss that is accepted, as a share: 0.05 is 5 %.
    init(_ before: BenchReport, _ after: BenchReport, tolerance: Double) {
        lines = before.rows.flatMap { row -> [Line] in
            guard let other = after[row.id] else { return [] }
            let isBusy = row.isBusy || other.isBusy
            return row.figures.filter { $0.quantity.better != nil }.map { figure in
                let later = other[figure.quantity.name]
                return Line(
                    id: row.id, quantity: figure.quantity, before: figure.median,
                    after: later?.median, ratio: Self.ratio(figure, later),
                    verdict: Self.verdict(
                        figure, later, tolerance: tolerance, isBusy: isBusy))
            }
        }
        onlyBefore = before.rows.map(\.id).filter { after[$0] == nil }
        onlyAfter = after.rows.map(\.id).filter { before[$0] == nil }
        cautions = Self.cautions(before, after)
    }

    var hasRegression: Bool { lines.contains(where: \.verdict.isRegression) }

    /// Whether a figure changed.
    ///
    /// It did not if the rounds overlap, that is if the worst of the better report reaches the best
    /// of the other; nor if the medians are closer than twice both deviations. With five rounds each,
    /// less than one figure in a hundred gets past the first of these by chance.
    static func verdict(
        _ before: BenchFigure, _ after: BenchFigure?, tolerance: Double, isBusy: Bool
    ) -> Verdict {
        guard let old = before.statistics else { return .noChange }
        guard let new = after?.statistics else { return .failed }
        let overlaps = old.least <= new.most && new.least <= old.most
        let band = 2 * (old.deviation + new.deviation)
        if overlaps || abs(new.median - old.median) <= band { return .noChange }
        if before.quantity.isWall, isBusy { return .unclear }
        let isWorse =
            before.quantity.better == .less ? new.median > old.median : new.median < old.median
        guard isWorse else { return .better }
        let (small, large) = (min(old.median, new.median), max(old.median, new.median))
        return large > small * (1 + tolerance) ? .regression : .slightlyWorse
    }

    private static func ratio(_ before: BenchFigure, _ after: BenchFigure?) -> Double? {
        guard let old = before.median, let new = after?.median, old != 0 else { return nil }
        return new / old
    }

    private static func cautions(_ before: BenchReport, _ after: BenchReport) -> [String] {
        var cautions: [String] = []
        if before.machine.processor != after.machine.processor
            || before.machine.cores != after.machine.cores
        {
            cautions.append("The reports are from different machines.")
        }
        if before.seed != after.seed {
            cautions.append("The reports have different seeds, so their pictures differ.")
        }
        let settings = after.settings.filter { setting in
            before.settings.contains { $0.name == setting.name && $0.value != setting.value }
        }
        if !settings.isEmpty {
            cautions.append(
                "The reports have different settings: "
                    + "\(settings.map(\.name).joined(separator: "; ")).")
        }
        for (name, report) in [("first", before), ("second", after)] {
            cautions += report.warnings.map { "In the \(name) report: \($0)" }
        }
        return cautions
    }

    /// The comparison as text for a terminal: the headline of every row, every other figure that
    /// changed, and a summary.
    var text: String {
        var table = [["row", "figure", "before", "after", "ratio", "verdict"]]
        var last = ""
        for line in lines {
            let isHeadline = line.id != last
            last = line.id
            guard isHeadline || line.verdict != .noChange else { continue }
            let number = { (value: Double?) in value.map(BenchText.number) ?? "–" }
            table.append([
                isHeadline ? line.id : "", line.quantity.header, number(line.before),
                number(line.after), line.ratio.map { BenchText.number($0) + " ×" } ?? "–",
                line.verdict.rawValue,
            ])
        }
        var parts = table.count > 1 ? [BenchTable.aligned(table)] : []
        parts += onlyBefore.map { "Only in the first report: \($0)" }
        parts += onlyAfter.map { "Only in the second report: \($0)" }
        parts += cautions.map { "Caution: \($0)" }
        parts.append(summary)
        return parts.joined(separator: "\n")
    }

    /// How many rows have which verdict; a row has the worst of its figures.
    var summary: String {
        let verdicts = Dictionary(grouping: lines, by: \.id).compactMap {
            $0.value.map(\.verdict).max()
        }
        if verdicts.isEmpty { return "The reports have no row in common." }
        let counts = Dictionary(grouping: verdicts, by: \.self).mapValues(\.count)
        let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.rawValue)" }
        return "\(verdicts.count) rows: \(parts.joined(separator: ", "))."
    }
}

extension BenchRow {
    /// Whether other programs had enough of the machine to change wall times.
    var isBusy: Bool {
        guard let others = BenchStatistics(others.compactMap(\.self)) else { return false }
        return others.median > BenchWarnings.busyShare
    }
}
