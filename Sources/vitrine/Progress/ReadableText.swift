import FoundationEssentials

/// Numbers and times for people. Pure.
enum ReadableText {
    /// Formats `512 B`, `2.9 KB`, `34.0 MB`, `27.1 GB`. Units are powers of a thousand.
    static func size(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), 0)
        let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        return unit == 0 ? "\(bytes) B" : "\(ProgressReport.decimal(value)) \(units[unit])"
    }

    /// Formats `1,677,721`.
    static func count(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(number.magnitude).reversed().enumerated() {
            if place > 0, place % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }

    /// Formats `40 seconds`, `5 minutes`, `2 hours`, `7 days`, rounded to the nearest.
    static func span(_ seconds: Double) -> String {
        let units = [("day", 86_400.0, 1.5), ("hour", 3_600, 1.5), ("minute", 60, 1.5)]
        for (noun, length, least) in units where seconds >= least * length {
            return ProgressReport.counted(Int((seconds / length).rounded()), noun)
        }
        return ProgressReport.counted(Int(max(0, seconds).rounded()), "second")
    }

    /// Formats `0.4 s`, `29 s`, `9 min 50 s`, `2 h 5 min`.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds).rounded())
        if whole < 10 { return "\(ProgressReport.decimal(max(0, seconds))) s" }
        if whole < 60 { return "\(whole) s" }
        let (large, small, names) =
            whole < 3_600
            ? (whole / 60, whole % 60, ("min", "s"))
            : (whole / 3_600, whole / 60 % 60, ("h", "min"))
        return "\(large) \(names.0)" + (small > 0 ? " \(small) \(names.1)" : "")
    }

    /// Formats `2 hours ago (2026-11-22T19:25:07Z)`.
    static func past(_ date: Date, now: Date) -> String {
        "\(span(now.timeIntervalSince(date))) ago (\(date.formatted(.iso8601)))"
    }

    /// Formats `fresh for 7 days` or `stale for 2 hours`.
    static func freshness(_ until: Date, now: Date) -> String {
        let rest = until.timeIntervalSince(now)
        return rest > 0 ? "fresh for \(span(rest))" : "stale for \(span(-rest))"
    }
}
