import Foundation

/// What makes figures doubtful. Pure.
enum BenchWarnings {
    /// Returns one sentence for each reason.
    static func of(
        rows: [BenchRow], machine: BenchMachine, before: BenchLoad, after: BenchLoad
    ) -> [String] {
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
        return warnings
    }
}

/// How figures are printed.
enum BenchText {
    /// Formats with three digits: `0.0123`, `1.23`, `123`, `12,345`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        if value == 0 { return "0" }
        let magnitude = abs(value)
        if magnitude >= 999.5 { return grouped(value) }
        let digits = 2 - Int(log10(magnitude).rounded(.down))
        return String(format: "%.\(max(0, min(6, digits)))f", value)
    }

    /// Formats a share as `12 %`.
    static func percent(_ share: Double) -> String {
        let percent = share * 100
        return String(format: "%.\(abs(percent) < 9.95 ? 1 : 0)f %%", percent)
    }

    /// Formats a time in microseconds as `120 µs`, `1.20 ms`, `3.10 s`.
    static func time(microseconds value: Double) -> String {
        if value < 999.5 { return "\(number(value)) µs" }
        if value < 999_500 { return "\(number(value / 1_000)) ms" }
        return "\(number(value / 1_000_000)) s"
    }

    /// Formats a figure with its unit, which is one in which it has few digits.
    static func figure(_ value: Double, _ unit: String) -> String {
        let parts = unit.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let scales = ["µs": 1.0, "ms": 1e3, "s": 1e6]
        guard let scale = scales[String(parts[0])] else { return "\(number(value)) \(unit)" }
        return time(microseconds: value * scale) + (parts.count > 1 ? "/\(parts[1])" : "")
    }

    private static func grouped(_ value: Double) -> String {
        let digits = Array(String(Int(abs(value).rounded())))
        let text = digits.enumerated().map { place, digit in
            place > 0 && (digits.count - place) % 3 == 0 ? ",\(digit)" : "\(digit)"
        }.joined()
        return (value < 0 ? "-" : "") + text
    }
}
