package import FoundationEssentials

/// Numbers, times and names for people. Pure.
package enum ReadableText {
    /// Formats `512 B`, `2.9 KB`, `34.0 MB`, `27.1 GB`. Units are powers of a thousand.
    package static func size(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), 0)
        let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        return unit == 0 ? "\(bytes) B" : "\(decimal(value)) \(units[unit])"
    }

    /// Formats `1,677,721`.
    package static func count(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(number.magnitude).reversed().enumerated() {
            if place > 0, place % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }

    /// Formats `40 seconds`, `5 minutes`, `2 hours`, `7 days`, rounded to the nearest.
    package static func span(_ seconds: Double) -> String {
        let units = [("day", 86_400.0, 1.5), ("hour", 3_600, 1.5), ("minute", 60, 1.5)]
        for (noun, length, least) in units where seconds >= least * length {
            return counted(Int((seconds / length).rounded()), noun)
        }
        return counted(Int(max(0, seconds).rounded()), "second")
    }

    /// Formats `0.4 s`, `29 s`, `9 min 50 s`, `2 h 5 min`.
    package static func duration(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds).rounded())
        if whole < 10 { return "\(decimal(max(0, seconds))) s" }
        if whole < 60 { return "\(whole) s" }
        let (large, small, names) =
            whole < 3_600
            ? (whole / 60, whole % 60, ("min", "s"))
            : (whole / 3_600, whole / 60 % 60, ("h", "min"))
        return "\(large) \(names.0)" + (small > 0 ? " \(small) \(names.1)" : "")
    }

    /// Formats `2 hours ago (2026-11-22T19:25:07Z)`.
    package static func past(_ date: Date, now: Date) -> String {
        "\(span(now.timeIntervalSince(date))) ago (\(date.formatted(.iso8601)))"
    }

    /// Formats `fresh for 7 days` or `stale for 2 hours`.
    package static func freshness(_ until: Date, now: Date) -> String {
        let rest = until.timeIntervalSince(now)
        return rest > 0 ? "fresh for \(span(rest))" : "stale for \(span(-rest))"
    }

    /// Formats `12.3 MB`. A megabyte is a million bytes.
    package static func megabytes(_ bytes: Int) -> String {
        "\(decimal(Double(bytes) / 1_000_000)) MB"
    }

    /// Formats with one decimal below 100, with none above.
    package static func decimal(_ value: Double) -> String {
        if value >= 99.95 { return String(Int(value.rounded())) }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Formats `0:07`, `12:34`, `1:02:03`.
    package static func clock(_ duration: Duration) -> String {
        let seconds = Int(duration.components.seconds)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if seconds < 3_600 { return "\(seconds / 60):\(two(seconds % 60))" }
        return "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    /// Formats `1 fallback`, `2 fallbacks`.
    package static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }

    /// Escapes control characters, so that a line break in a name can't fake a line.
    package static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return text }
        return String(quoted(text).dropFirst().dropLast())
    }

    /// Joins lines, each without control characters.
    package static func lines(_ lines: [String]) -> String {
        lines.map(oneLine).joined(separator: "\n")
    }

    /// Returns a JSON string (RFC 8259, section 7).
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.properties.generalCategory == .control:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
