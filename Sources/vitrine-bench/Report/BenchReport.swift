/// Everything that one run of `vitrine bench` found, as `--json` writes it.
struct BenchReport: Sendable, Equatable, Codable {
    /// The number that a reader checks before it reads on.
    static let format = 1

    var format = Self.format
    /// UTC, as `2026-11-22T02:16:42Z`.
    var started: String
    var seconds: Double
    /// Version of this program.
    var version: String
    /// The arguments after `vitrine bench`.
    var arguments: [String]
    var machine: BenchMachine
    /// Settings that decide the figures.
    var settings: [BenchSetting]
    var seed: UInt64
    var rounds: Int
    var before: BenchLoad
    var after: BenchLoad
    /// Why figures may be wrong: sentences.
    var warnings: [String]
    /// What was left out, such as a peer that is not installed: sentences.
    var notes: [String]
    var rows: [BenchRow]

    /// Whether work of this program failed. Peers may fail.
    var hasFailed: Bool { rows.contains { $0.errors > 0 && $0.head.peer == nil } }

    subscript(_ id: String) -> BenchRow? { rows.first { $0.id == id } }

    /// Returns what was measured with one of several configurations, by its name.
    func only(configuration name: String) -> BenchReport {
        var report = self
        report.settings = settings.compactMap { $0.of(configuration: name) }
        report.rows = rows.compactMap { row in
            guard row.head["config"] == name else { return nil }
            var row = row
            row.head.id = row.id.replacing("/config=\(name)", with: "")
            return row
        }
        return report
    }
}

extension BenchReport {
    /// What makes the figures doubtful, one sentence for each reason.
    var doubts: [String] {
        var warnings: [String] = []
        if let load = before.averages.first, load > Double(machine.cores) / 2 {
            warnings.append(
                "The machine was busy before the run: load \(BenchText.number(load)) on "
                    + "\(machine.cores) cores.")
        }
        let shares = rows.flatMap(\.others).compactMap(\.self)
        if let others = BenchStatistics(shares), others.median > BenchRow.busyShare {
            warnings.append(
                "Other programs had \(BenchText.percent(others.median)) of the processors during "
                    + "the rounds (median): wall times and rates are too low, processor time is "
                    + "closer.")
        }
        for (when, load) in [("before", before), ("after", after)] {
            if let clock = load.clock, clock < 0.9 {
                warnings.append(
                    "The clock was at \(BenchText.percent(clock)) of its highest frequency \(when) "
                        + "the run.")
            }
        }
        let failed = rows.filter { $0.errors > 0 }
        if !failed.isEmpty {
            warnings.append(
                "\(failed.count) of \(rows.count) rows have errors: "
                    + "\(failed.prefix(5).map(\.id).joined(separator: ", ")).")
        }
        let missed = rows.filter { $0.missed ?? 0 > 0 }
        if let reason = missed.first?.missedBecause {
            warnings.append(
                "\(missed.count) of \(rows.count) rows lack rounds: "
                    + "\(missed.prefix(5).map(\.id).joined(separator: ", ")). \(reason)")
        }
        return warnings
    }
}

/// The machine that a report was made on.
struct BenchMachine: Sendable, Equatable, Codable {
    /// Name of the processor.
    var processor: String
    /// Processors that this process may use.
    var cores: Int
    var memory: Int
    var kernel: String
    /// Architecture, as `x86_64`.
    var architecture: String
    /// Name of the distribution.
    var system: String
    /// Frequency governor; nil if the kernel doesn't say.
    var governor: String?
    /// Libraries and their versions.
    var libraries: [BenchSetting]
}

/// What the machine did at one moment.
struct BenchLoad: Sendable, Equatable, Codable {
    /// Runnable processes, averaged over 1, 5 and 15 minutes.
    var averages: [Double]
    /// Current clock as a share of the highest, slowest core; nil if the kernel doesn't say.
    var clock: Double?
}
