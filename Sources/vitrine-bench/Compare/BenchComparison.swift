import Console

/// Two reports, or two configurations of one, beside each other, row by row. Pure.
struct BenchComparison: Sendable {
    enum Verdict: Int, Sendable, Comparable {
        /// The difference is within the spread of the rounds.
        case same
        case better
        /// Beyond the spread, but within the tolerance.
        case slightlyWorse
        /// Wall time changed, but other programs had the machine: that says nothing of this one.
        case unclear
        /// The rounds are apart, but so few of them may be by chance.
        case tooFew
        /// Worse by more than the spread and the tolerance.
        case worse
        /// The row had a figure and has none now.
        case missing

        static func < (left: Verdict, right: Verdict) -> Bool { left.rawValue < right.rawValue }
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

        /// The verdict as one word or two: `slower`, `slightly larger`.
        var words: String {
            let (better, worse) = quantity.comparatives
            return switch verdict {
            case .same: "no change"
            case .better: better
            case .slightlyWorse:
                quantity == .quality ? "looks slightly worse" : "slightly \(worse)"
            case .unclear: "unclear, busy machine"
            case .tooFew: "unclear, too few rounds"
            case .worse: worse
            case .missing: "missing"
            }
        }
    }

    var lines: [Line]
    /// Ids of rows that only one report has.
    var onlyBefore: [String]
    var onlyAfter: [String]
    /// Settings that differ, and why the reports may not be comparable: sentences.
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

    /// Whether something is worse beyond the tolerance, or missing.
    var isWorse: Bool { lines.contains { $0.verdict >= .worse } }

    /// Whether a figure changed.
    ///
    /// It did not if the rounds overlap, that is if the worst of the better report reaches the best
    /// of the other; nor if the medians are closer than twice both deviations. With five rounds each,
    /// less than one figure in a hundred gets past the first of these by chance; with three each,
    /// one in ten. Fewer are not judged, unless every round has the same value.
    static func verdict(
        _ before: BenchFigure, _ after: BenchFigure?, tolerance: Double, isBusy: Bool
    ) -> Verdict {
        guard let old = before.statistics else { return .same }
        guard let new = after?.statistics else { return .missing }
        let overlaps = old.least <= new.most && new.least <= old.most
        let band = 2 * (old.deviation + new.deviation)
        let isApart = !overlaps && abs(new.median - old.median) > band
        let (small, large) = (min(old.median, new.median), max(old.median, new.median))
        let isLarge = large > small * (1 + tolerance)
        // A busy machine spreads the rounds, so that they overlap whatever changed.
        if before.quantity.isWall, isBusy, isApart || isLarge { return .unclear }
        if !isApart { return .same }
        if !before.quantity.isExact, min(old.count, new.count) < BenchStatistics.leastRounds {
            return .tooFew
        }
        let isWorse =
            before.quantity.better == .less ? new.median > old.median : new.median < old.median
        guard isWorse else { return .better }
        return isLarge ? .worse : .slightlyWorse
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
        cautions += before.settings.compactMap { setting in
            guard let value = after.settings.first(where: { $0.name == setting.name })?.value,
                value != setting.value
            else { return nil }
            return "\(setting.name) differs: \(setting.value), then \(value)."
        }
        // Two configurations of one run share its warnings.
        for warning in before.warnings {
            let isOfBoth = after.warnings.contains(warning)
            cautions.append("In \(isOfBoth ? "both reports" : "the first report"): \(warning)")
        }
        cautions += after.warnings.filter { !before.warnings.contains($0) }
            .map { "In the second report: \($0)" }
        return cautions
    }

    /// The comparison as text for a terminal: the headline of every row, its bytes and its quality,
    /// every other figure that changed, and a summary.
    ///
    /// - Parameter names: what the two are called.
    func text(_ names: (String, String) = ("before", "after")) -> String {
        var rows = [["figure", names.0, names.1, "ratio", "verdict"]]
        var last = ""
        for line in lines {
            let isHeadline = line.id != last
            if isHeadline { rows.append([line.id]) }
            last = line.id
            guard isHeadline || line.quantity.isOutput || line.verdict != .same else { continue }
            let number = { (value: Double?) in value.map(BenchText.number) ?? "–" }
            rows.append([
                "  " + line.quantity.header, number(line.before), number(line.after),
                line.ratio.map { BenchText.number($0) + " ×" } ?? "–", line.words,
            ])
        }
        let table = TextTable(right: [1, 2, 3], rows: rows).lines
        var parts = rows.count > 1 ? table.map { String($0.prefix(BenchTable.width)) } : []
        parts += onlyBefore.map { "Only in the first report: \($0)" }
        parts += onlyAfter.map { "Only in the second report: \($0)" }
        parts += cautions
        parts.append(summary)
        return BenchTable.wrapped(parts.joined(separator: "\n"))
    }

    /// How many rows have which verdict; a row has the worst of its figures.
    var summary: String {
        let worst = Dictionary(grouping: lines, by: \.id).compactMap {
            $0.value.max { $0.verdict < $1.verdict }
        }
        if worst.isEmpty { return "The reports have no row in common." }
        let counts = Dictionary(grouping: worst, by: \.words)
        let parts = counts.sorted { ($0.value[0].verdict, $0.key) < ($1.value[0].verdict, $1.key) }
            .map { "\($0.value.count) \($0.key)" }
        return "\(worst.count) \(worst.count == 1 ? "row" : "rows"): "
            + "\(parts.joined(separator: ", "))."
    }
}

extension BenchQuantity {
    /// Bytes or quality of what came out: shown even if nothing changed.
    fileprivate var isOutput: Bool { name == Self.bytesOutName || self == .quality }

    /// Whether one round says it all, because the next has the same value.
    fileprivate var isExact: Bool { isOutput || self == .downloads }

    /// What a better and a worse value is called.
    fileprivate var comparatives: (better: String, worse: String) {
        if self == .quality { return ("looks better", "looks worse") }
        let isTime = ["s", "ms", "µs"].contains(unit.split(separator: "/").first ?? "")
        if isTime || unit.hasSuffix("/s") { return ("faster", "slower") }
        if name.contains("memory") { return ("less memory", "more memory") }
        if name == Self.bytesOutName || unit.hasPrefix("bytes") { return ("smaller", "larger") }
        return better == .less ? ("less", "more") : ("more", "less")
    }
}
