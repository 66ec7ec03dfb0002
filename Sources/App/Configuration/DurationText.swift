/// Durations in settings: `500ms`, `30s`, `15m`, `24h`, `7d`, and a plain `0`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    package static func parse(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        guard let (number, unit) = numberAndUnit(text),
            let factor = units.first(where: { $0.name == unit })?.milliseconds
        else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : .milliseconds(value)
    }

    /// Formats a duration in the largest unit that gives a whole number, without fractions of a
    /// millisecond.
    ///
    /// Durations below 48 hours are not written in days: `24h`, but `7d`.
    static func print(_ duration: Duration) -> String {
        let milliseconds = Int64(duration / .milliseconds(1))
        if milliseconds == 0 { return "0s" }
        for unit in units where milliseconds % unit.milliseconds == 0 {
            if unit.name == "d", milliseconds < 2 * unit.milliseconds { continue }
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }

    /// Splits `15m` into 15 and `m`; `nil` unless the text begins with a whole number.
    static func numberAndUnit(_ text: String) -> (Int64, Substring)? {
        let digits = text.prefix { "0"..."9" ~= $0 }
        guard let number = Int64(digits) else { return nil }
        return (number, text.dropFirst(digits.count))
    }
}
