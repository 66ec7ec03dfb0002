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
        if let others = BenchStatistics(shares), others.median > busyShare {
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

    /// Share of all processors from which on other programs change what is measured.
    static let busyShare = 0.1
}

/// How figures are printed.
enum BenchText {
    /// Formats with three digits: `0.0123`, `1.23`, `123`, `12345`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        if value < 0 { return "-" + number(-value) }
        if value == 0 { return "0" }
        var digits = 2
        var bound = 10.0
        while digits > 0, value >= bound {
            digits -= 1
            bound *= 10
        }
        bound = 1
        while value < bound, digits < 6 {
            digits += 1
            bound /= 10
        }
        return decimal(value, digits: digits)
    }

    /// Formats with a fixed number of digits after the point.
    static func decimal(_ value: Double, digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (value * scale).rounded()
        guard abs(scaled) < 9e15 else { return "\(value)" }
        let whole = Int(abs(scaled))
        let sign = scaled < 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let text = String(whole)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return "\(sign)\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }

    /// Formats a share as `12 %`.
    static func percent(_ share: Double) -> String {
        let percent = share * 100
        return "\(decimal(percent, digits: abs(percent) < 9.95 ? 1 : 0)) %"
    }
}
